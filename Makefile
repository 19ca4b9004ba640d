# make demo   the main job on examples/
# make test   the tests
# make bench  the measurements, as ratios of one run
# make lint   formatting, lint and types
# Each makes its own virtual environment when there is none; VENV=... names another place.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test bench lint docs

demo: $(READY) encoder
	PATH="$(abspath $(BIN)):$$PATH" $(MAKE) --no-print-directory -C examples

test: $(READY) encoder
	$(BIN)/python -m pytest -n 2 $(PYTEST)

bench: $(READY) encoder
	$(BIN)/python -m tests.benchmarks

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/cog -P --check README.md

docs: $(READY)
	$(BIN)/cog -P -r README.md

.PHONY: encoder
encoder: $(READY)
	@$(BIN)/wf-models where all-mpnet-base-v2 >/dev/null 2>&1 || $(BIN)/wf-models fetch all-mpnet-base-v2

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[all,dev]'
	touch $@
