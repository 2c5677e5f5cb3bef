"""`python -m prhub_digest` is the command `prhub-digest`."""

from prhub_digest.cli.main import main

main()
