# Two commands do everything on a fresh machine with Python 3.11+: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
JOBS ?= 2

# threads of a linear algebra library wait for each other where cores are shared: one each, ten times faster there
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: demo test bench study lint clean

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; try: make PYTHON=python3.12 demo"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { echo "No venv module; try: apt-get install python3-venv"; exit 1; }
	@echo "Installing into $(VENV) (about a minute, once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(STAMP)
	@$(BIN)/railtwin demo --out build/demo

test: lint
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal tests --ignore=tests/benchmarks

lint: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

bench: $(STAMP)
	@mkdir -p build
	@$(BIN)/python tests/benchmarks/run.py --out build/figures.json

study: $(STAMP)
	@mkdir -p build
	@$(BIN)/python tests/benchmarks/run.py --study --out build/study.json
	@$(BIN)/python tests/published/falomi.py

clean:
	rm -rf build dist .mypy_cache .ruff_cache .hypothesis $${XDG_CACHE_HOME:-$$HOME/.cache}/railtwin
