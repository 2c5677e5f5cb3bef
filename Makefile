# Everything works on a machine with Python 3.11, make and git; the first target that needs it installs into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
NAME ?=

.DEFAULT_GOAL := help
.PHONY: help digest test check format bench record-demo test-model check-schema build

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  \1\t\2/' | expand -t 16

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

digest: $(STAMP) ## install, replay the bundled demo week without key or network, print where the digest is
	$(BIN)/prhub-digest run --dry-run --lang en --lang zh

test: $(STAMP) ## install and run every test
	$(BIN)/pytest

check: $(STAMP) ## format, lint, types, import directions
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy --allow-untyped-defs --allow-untyped-calls --allow-incomplete-defs tests
	$(BIN)/lint-imports

format: $(STAMP) ## format and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(STAMP) ## measure; NAME=chunk measures one
	$(BIN)/python -m bench $(NAME)

record-demo: $(STAMP) ## write the demo requests whose replies are missing or stale, as batch files
	$(BIN)/prhub-digest record --fixture demo

test-model: $(STAMP) ## tests against a live model: set OPENAI_BASE_URL, OPENAI_API_KEY and PRHUB_MODEL
	$(BIN)/pytest -m model -n 0

check-schema: $(STAMP) ## hold the queries against GitHub's official schema (needs npm and a network)
	PYTHONPATH=tests/collect $(BIN)/python tests/collect/check_schema.py

build: $(STAMP) ## build the wheel
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .
