"""Requests to a model: one interface, several endpoints, a store of replies."""
