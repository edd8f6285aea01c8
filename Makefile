# `make demo` and `make test` set up everything they need in .venv-demo and .venv from a bare python3 (3.10 or newer).
PYTHON ?= python3
VENV := .venv
LITE := .venv-lite
DOCS := .venv-docs
DEMO := .venv-demo
PORTS := .venv-ports
BIN := $(VENV)/bin
# Which TensorFlow, where it is not to be the newest: make test TENSORFLOW='tensorflow==2.16.* tf-keras==2.16.*'
TENSORFLOW ?=
# On Linux PyPI's wheels of PyTorch bring CUDA: PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu has none.
PORTS_NEED ?= torch jax optax keras numpy
PIP_FLAGS := --quiet --disable-pip-version-check
export TF_CPP_MIN_LOG_LEVEL ?= 3
export TF_ENABLE_ONEDNN_OPTS ?= 0

.PHONY: help demo test environments lint types docs pages transcript browser test-lite test-tensorflow test-all test-ports format clean

help:  ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

$(VENV)/.installed: pyproject.toml runtime/pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install $(PIP_FLAGS) -e '.[dev]' $(TENSORFLOW)
	$(BIN)/python -m pip install $(PIP_FLAGS) --no-deps -e runtime
	@touch $@

$(LITE)/.installed: pyproject.toml runtime/pyproject.toml
	$(PYTHON) -m venv $(LITE)
	$(LITE)/bin/python -m pip install $(PIP_FLAGS) -e '.[test]'
	$(LITE)/bin/python -m pip install $(PIP_FLAGS) --no-deps -e runtime
	@touch $@

$(DOCS)/.installed: pyproject.toml runtime/pyproject.toml
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install $(PIP_FLAGS) -e '.[docs]'
	$(DOCS)/bin/python -m pip install $(PIP_FLAGS) --no-deps -e runtime
	@touch $@

# An environment of developers has what the demo needs; without one the demo installs no more than that.
demo:  ## migrate a real TF1 program, run both, compare them
	@test -e $(VENV)/.installed || $(MAKE) --no-print-directory $(DEMO)/.installed
	@if test -e $(VENV)/.installed; then $(BIN)/python scripts/demo.py; else $(DEMO)/bin/python scripts/demo.py; fi

$(DEMO)/.installed: pyproject.toml runtime/pyproject.toml
	@echo "The demo installs TensorFlow in $(DEMO): 0.7 GB to download, 2.1 GB on disk, a few minutes the first time."
	$(PYTHON) -m venv $(DEMO)
	$(DEMO)/bin/python -m pip install --disable-pip-version-check -e '.[runtime]' $(TENSORFLOW)
	$(DEMO)/bin/python -m pip install $(PIP_FLAGS) --no-deps -e runtime
	@touch $@

test: environments  ## everything CI runs
	@$(MAKE) --no-print-directory --jobs=2 --output-sync lint types docs
	@$(MAKE) --no-print-directory test-lite test-tensorflow

environments: $(VENV)/.installed $(LITE)/.installed $(DOCS)/.installed browser

lint: $(VENV)/.installed  ## ruff: lint and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed  ## mypy, strict
	$(BIN)/mypy

docs: $(DOCS)/.installed  ## the site in build/docs, without TensorFlow; a broken link is an error
	$(DOCS)/bin/sphinx-build -q -W --keep-going -j auto -d build/doctrees -b html docs build/docs

pages: $(VENV)/.installed  ## write the pages of docs/ that are made from code
	$(BIN)/python scripts/pages/rule_pages.py
	$(BIN)/python scripts/pages/guide_examples.py
	$(BIN)/python scripts/pages/messages.py
	$(BIN)/python scripts/pages/api.py
	$(BIN)/python scripts/pages/causes.py

transcript: $(VENV)/.installed  ## the session in docs/tutorial/getting_started.md, from real runs
	$(BIN)/python scripts/pages/transcript.py

test-lite: $(LITE)/.installed  ## the migrator's tests where there is no tensorflow, without the long tail
	$(LITE)/bin/python -m pytest -q -n auto -m 'not long' tests/migrator

browser:  ## a headless Chromium for the tests that look at reports, where the machine has none
	$(PYTHON) scripts/install_browser.py || echo "tests that need a browser are skipped"

test-tensorflow: $(VENV)/.installed browser  ## all other tests, on TensorFlow, without the long tail
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m 'not long' --durations=60 --durations-min=5 --ignore=tests/migrator tests

# Ports run without TensorFlow and without tfmigrate: only what they train with is installed.
$(PORTS)/.installed: pyproject.toml
	$(PYTHON) -m venv $(PORTS)
	$(PORTS)/bin/python -m pip install $(PIP_FLAGS) $(PORTS_NEED)
	@touch $@

test-ports: $(VENV)/.installed $(PORTS)/.installed  ## the examples of ports and their faults, in PyTorch, JAX and Keras
	$(BIN)/python -m pytest -q -n auto -m long tests/record

test-all: $(VENV)/.installed browser  ## all tests, the long tail among them, on TensorFlow
	$(BIN)/python -m pytest -q -n auto --dist worksteal --hypothesis-profile=long tests

format: $(VENV)/.installed  ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## remove the virtual environments, the browser and what the demo wrote
	rm -rf $(VENV) $(LITE) $(DOCS) $(DEMO) $(PORTS) .browser demo
