"""A weekly digest of a repository's merged pull requests that a reader can trust."""

__version__ = "0.1.0"
