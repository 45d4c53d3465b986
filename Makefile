# SPDX-License-Identifier: Apache-2.0
# `make help` lists the targets. Every target makes .venv itself when pyproject.toml is newer.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help demo quick test check coverage quality client client-check mutants docs-check evidence matrix docs bench bench-quick doctor

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

# --group needs pip 25.1, and a fresh environment of Python 3.11 has an older one.
$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "powercontext-deerflow needs Python 3.11 or newer, and $(PYTHON) is older: run make again with PYTHON=python3.11 (or newer)")'
	@echo "Installing into $(VENV) (once; about a minute) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	@touch $@

demo: $(STAMP) ## remember in one chat, recall in the next, on a real PowerContext server
	@PYTHONPATH=tests/host $(BIN)/python -m scripts.demo

doctor: $(STAMP) ## what `powercontext-deerflow doctor` says of the demo's deployment
	@PYTHONPATH=tests/host $(BIN)/python -m scripts.demo doctor

quick: $(STAMP) ## unit tests and module arrows: no servers, at most half a minute
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/python -m pytest -n 2 tests/unit tests/project/test_architecture.py

coverage: $(STAMP) ## branch coverage of the package by the unit tests, with a floor
	@$(BIN)/python -m coverage run -m pytest tests/unit
	@$(BIN)/python -m coverage report --skip-covered

test: $(STAMP) client-check ## the whole test suite, by three workers: at most eight minutes on two cores
	@$(BIN)/python -m pytest -n 3 --dist loadgroup

check: $(STAMP) client-check ## lint, format, types, drift of the generated client, import directions
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/python -m pytest tests/project/test_architecture.py

quality: $(STAMP) ## what recall finds on a real server, into docs/en/recall-quality.md
	@$(BIN)/python -m scripts.quality $(ARGS)

bench: $(STAMP) ## everyone side by side, into docs/en/benchmarks.md; at most six minutes
	@PYTHONPATH=tests/host $(BIN)/python -m scripts.bench $(ARGS)

bench-quick: $(STAMP) ## the bounds of the benchmark only, under a minute; ARGS=--json for machines
	@PYTHONPATH=tests/host $(BIN)/python -m scripts.bench --quick $(ARGS)

evidence: $(STAMP) ## run both suites of evidence and write docs/en/evidence.md
	@$(BIN)/python -m scripts.evidence

mutants: $(STAMP) ## break the package on purpose; every mutant must be caught by a test
	@$(BIN)/python -m scripts.mutants

docs-check: $(STAMP) ## the documents against the code, and the two languages against each other
	@$(BIN)/python -m pytest tests/project/docs

matrix: $(STAMP) ## every operation on every PowerContext release, into docs/en/compatibility.md
	@$(BIN)/python -m scripts.matrix

docs: $(STAMP) ## the API reference, the doctor's pages and the pictures, each from what it is drawn from
	@$(BIN)/python -m scripts.reference
	@$(BIN)/python -m scripts.doctor_codes
	@$(BIN)/python -m scripts.pictures

client: $(STAMP) ## regenerate generated/ from openapi/pin.toml
	@$(BIN)/python -m scripts.regenerate_client

client-check: $(STAMP) ## prove that openapi/ and generated/ are byte for byte what the pin gives
	@$(BIN)/python -m scripts.regenerate_client --check
