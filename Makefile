# Every target sets itself up; all it needs is Python 3.11 or newer, pip and venv.
# All paths are relative, so that the checkout may lie in a folder with spaces in its name.

PYTHON ?= python3
PYTEST_ARGS ?=
DEMO_ARGS ?=
BENCH_ARGS ?=
LOCK_ARGS ?=
FUZZ_ARGS ?=

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Two pips at work in one environment would trip over each other.
.NOTPARALLEL:
export PYTHON
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Twice quiet: errors are still shown, warnings about this machine's pip settings are not.
PIP_INSTALL := -m pip install --quiet --quiet
LOCKED := $(PIP_INSTALL) --require-hashes
OURSELVES := $(PIP_INSTALL) --no-deps --no-build-isolation --editable .
IN := .venv/bin/python
CODE := src tests hatch_build.py $(wildcard bench)

.PHONY: help demo demo-web web test test-frameworks check bench fuzz lock clean

help:  ## list the targets
	@echo 'make TARGET, where TARGET is one of:'
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 18

demo: .venv/.assent  ## see the gate at work (DEMO_ARGS=...)
	@.venv/bin/assent demo $(DEMO_ARGS)

demo-web: .venv/.web .venv/.assent web  ## see the page at work in your browser, without a key (DEMO_ARGS=...)
	@$(IN) scripts/demo-web $(DEMO_ARGS)

# Node comes from the machine, else as a wheel; a page that fits its sources is left as it is.
web: .venv/.run  ## build the page of `assent serve` (ASSENT_BUILD_UI=1: in any case)
	@$(IN) hatch_build.py --has-node || $(IN) $(LOCKED) -r requirements/node.txt
	@$(IN) hatch_build.py

# More than there are cores: many tests wait for a disk, a terminal or a process. Empty: one after the other.
PYTEST_WORKERS ?= 4

test: .venv/.dev .venv/.assent web  ## run the tests (PYTEST_ARGS=...)
	@scripts/system-packages bubblewrap chromium git patch tmux
	@$(IN) -m pytest $(PYTEST_WORKERS:%=-n % --dist worksteal) $(PYTEST_ARGS)

FRAMEWORKS := anthropic claude-agent deepagents langchain openai-agents pydantic-ai
test-frameworks: $(FRAMEWORKS:%=.venv-frameworks/%/.assent)  ## run each framework's tests where it is installed alone
	@scripts/test-frameworks $(FRAMEWORKS)

check: .venv/.dev .venv/.assent  ## lint, types and imports
	$(IN) -m ruff check $(CODE)
	$(IN) -m ruff format --check $(CODE)
	$(IN) -m mypy $(CODE)
	$(IN) -m pyright --warnings
	.venv/bin/lint-imports --no-logo
	$(IN) hatch_build.py run check

fuzz: .venv/.dev .venv/.assent  ## run what the shell rules allow in real bash (FUZZ_ARGS="--count 100000 --seed 1")
	@scripts/system-packages --required bubblewrap
	@$(IN) scripts/fuzz-shell $(FUZZ_ARGS)

bench: .venv-bench/.assent web  ## measure assent, and its peer where they do the same (BENCH_ARGS=...)
	@scripts/system-packages chromium
	@.venv-bench/bin/python -m bench $(BENCH_ARGS)

# Keeps the versions that still fit; `make lock LOCK_ARGS=--upgrade` takes the newest.
COMPILE = .venv-lock/bin/uv pip compile --quiet --system-certs --generate-hashes --universal --python-version 3.11 \
	--no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock' $(LOCK_ARGS)
lock: .venv-lock/.uv  ## write requirements/*.txt anew from pyproject.toml and requirements/*.in
	$(COMPILE) requirements/lock.in --output-file requirements/lock.txt
	$(COMPILE) requirements/build.in --output-file requirements/build.txt
	$(COMPILE) pyproject.toml --output-file requirements/run.txt
	$(COMPILE) pyproject.toml --extra all requirements/dev.in --output-file requirements/dev.txt \
		--constraints requirements/run.txt --constraints requirements/build.txt
	$(COMPILE) requirements/node.in --output-file requirements/node.txt --constraints requirements/dev.txt
	$(COMPILE) pyproject.toml --extra web --output-file requirements/web.txt --constraints requirements/dev.txt
	$(COMPILE) pyproject.toml requirements/bench.in --output-file requirements/bench.txt \
		--overrides requirements/bench-overrides.in --constraints requirements/dev.txt
	for name in anthropic claude-agent langchain openai-agents pydantic-ai; do \
		$(COMPILE) pyproject.toml --extra $$name requirements/frameworks.in \
			--output-file requirements/framework-$$name.txt --constraints requirements/dev.txt; \
	done
	$(COMPILE) pyproject.toml --extra langchain requirements/frameworks.in requirements/deepagents.in \
		--output-file requirements/framework-deepagents.txt \
		--constraints requirements/run.txt --constraints requirements/build.txt

clean:  ## remove everything that the other targets made
	rm -rf .venv .venv-bench .venv-frameworks .venv-lock build dist .hypothesis .import_linter_cache .grimp_cache \
		.inline-snapshot .mypy_cache .pytest_cache .ruff_cache web/node_modules bench/web/node_modules \
		src/assent/server/bundle src/assent/server/bundle.new
	find src tests $(wildcard bench) -name __pycache__ -type d -prune -exec rm -rf {} +

# The environments. A changed lock makes its environment anew, so that nothing old lingers in it.
.venv/.run: requirements/run.txt requirements/build.txt requirements/dev.txt
	@echo 'Making .venv ...'
	@scripts/new-venv .venv
	@$(IN) $(LOCKED) -r requirements/build.txt -r requirements/run.txt
	@touch $@

.venv/.dev: .venv/.run
	@echo 'Installing what tests and checks need ...'
	@$(IN) $(LOCKED) -r requirements/dev.txt
	@touch $@

.venv/.web: .venv/.run requirements/web.txt
	@echo 'Installing what the server needs ...'
	@$(IN) $(LOCKED) -r requirements/web.txt
	@touch $@

# An install into an environment of ours does not build the page: `make web` does, for who needs it.
.venv/.assent .venv-bench/.assent .venv-frameworks/%/.assent: export ASSENT_BUILD_UI := 0

.venv/.assent: pyproject.toml .venv/.run
	@$(IN) $(OURSELVES)
	@touch $@

.venv-bench/.run: requirements/bench.txt requirements/build.txt
	@echo 'Making .venv-bench ...'
	@scripts/new-venv .venv-bench
	@.venv-bench/bin/python $(LOCKED) -r requirements/build.txt
	@.venv-bench/bin/python $(LOCKED) --no-deps -r requirements/bench.txt
	@touch $@

.venv-bench/.assent: pyproject.toml .venv-bench/.run
	@.venv-bench/bin/python $(OURSELVES)
	@touch $@

.PRECIOUS: .venv-frameworks/%/.run
.venv-frameworks/%/.run: requirements/framework-%.txt requirements/build.txt
	@echo 'Making .venv-frameworks/$* ...'
	@scripts/new-venv .venv-frameworks/$*
	@.venv-frameworks/$*/bin/python $(LOCKED) -r requirements/build.txt -r requirements/framework-$*.txt
	@touch $@

.venv-frameworks/%/.assent: pyproject.toml .venv-frameworks/%/.run
	@.venv-frameworks/$*/bin/python $(OURSELVES)
	@touch $@

.venv-lock/.uv: requirements/lock.txt
	@scripts/new-venv .venv-lock
	@.venv-lock/bin/python $(LOCKED) -r requirements/lock.txt
	@touch $@
