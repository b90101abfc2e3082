# Builds, runs and checks rollcall. Needs npm (it comes with Node) or Bun; everything else is fetched into this folder.
# `make help` lists what there is.

BUN_VERSION := 1.4.5

# Bun of exactly this version from the PATH, else one of our own under .bun/, which no other project sees.
ifeq ($(shell bun --version 2>/dev/null),$(BUN_VERSION))
BUN := bun
OWN_BUN :=
else
BUN := .bun/bun-$(BUN_VERSION)
OWN_BUN := $(BUN)
endif

# Tools are JavaScript with `node` in their first line; --bun runs them where there is no node.
TOOL := $(BUN) --bun node_modules/.bin/

SOURCES := $(shell find src drizzle -type f) packaging/rollcall.service package.json tsconfig.json

# The second time without the tests: what only they use is no part of the product.
KNIP := --no-progress --treat-config-hints-as-errors

# What the tests of a run came to, for test/proofs.ts.
REPORT := dist/tests.xml

# Many tests wait for a clock or a child process, so more files than cores run beside each other, the slowest first.
TESTS_AT_ONCE := 4

.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: build run check test proofs bench bench-due bench-storm bench-status bench-dashboards mutants prove timings zones slots simulate fuzz torture messages migrations clean help

build: dist/rollcall ## compile dist/rollcall, one executable that needs nothing else (the default)

run: dist/rollcall ## start the service on 127.0.0.1:8787 with its data in ./data; Ctrl-C stops it
	@exec dist/rollcall serve --log pretty

check: node_modules/.installed ## check types, style and what nothing uses, without running a test
	@echo "==> Checking types"
	@$(TOOL)tsc
	@$(TOOL)tsc --project src/web/assets/browser
	@echo "==> Checking style"
	@$(TOOL)biome check --error-on-warnings
	@echo "==> Looking for what nothing uses"
	@$(TOOL)knip $(KNIP)
	@$(TOOL)knip $(KNIP) --production --strict --include=files,dependencies,unlisted

test: check dist/rollcall ## check types and style, run every test, some against dist/rollcall, and hold docs/contract.md to its word
	@echo "==> Running the tests"
	@rm -f $(REPORT)
	@$(BUN) test --parallel=$(TESTS_AT_ONCE) --timings=test/timings.json --timeout 120000 --reporter=junit --reporter-outfile=$(REPORT); tested=$$?; \
		echo "==> Holding docs/contract.md to its word"; \
		$(BUN) test/proofs.ts $(REPORT) && exit $$tested

proofs: node_modules/.installed ## list in docs/proofs.md which tests prove which rule, as the last make test ran them
	@$(BUN) test/proofs.ts $(REPORT) --write

bench: dist/rollcall ## measure dist/rollcall beside a bare server, for docs/performance.md; needs wrk (takes five minutes)
	@$(BUN) bench/bench.ts
	@$(BUN) bench/sync.ts

bench-due: dist/rollcall ## measure how soon dist/rollcall tells of 10,000 monitors that close in one second (takes three minutes)
	@$(BUN) bench/due.ts

bench-storm: dist/rollcall ## measure how 100,000 monitors that close in one second are settled and told (takes five minutes)
	@$(BUN) bench/storm.ts

bench-status: dist/rollcall ## measure how long reports wait for anything that is done with 100,000 monitors in trouble (takes minutes)
	@$(BUN) bench/turns.ts
	@$(BUN) bench/status.ts

bench-dashboards: dist/rollcall ## measure the first page, and how long reports wait while 50 browsers keep it open (takes two minutes)
	@$(BUN) bench/dashboards.ts

mutants: node_modules/.installed ## break the core and the service in known ways and expect a test to notice each (takes some minutes)
	@$(BUN) test/mutants/run.ts

prove: node_modules/.installed ## hold the laws of the core against three thousand timelines; PROPERTY_SEED repeats a run
	@PROPERTY_RUNS=3000 $(BUN) test --timeout 3600000 test/domain/laws.test.ts test/domain/transition-timelines.test.ts

timings: dist/rollcall ## measure how long each file of tests takes, for test/timings.json: make test begins with the slowest
	@$(BUN) test --parallel=$(TESTS_AT_ONCE) --timings=test/timings.json --update-timings --timeout 120000 --only-failures

zones: node_modules/.installed ## prove for every zone and clock change 2000-2040 that none raises an alarm (takes some minutes)
	@ZONE_PROOF=all $(BUN) test test/domain/zone-proof.test.ts

slots: node_modules/.installed ## compare a thousand schedules in forty zones over ten years with a look at every minute (takes over an hour); SLOT_SKIP=10 leaves out the first ten
	@SLOT_PROOF=all $(BUN) test test/domain/slots-oracle.test.ts

simulate: node_modules/.installed ## run jobs, schedulers, crashes and wrong clocks against the whole service; YEARS=1 SEED=1 MONITORS=300 FAULTS=1
	@YEARS=$(or $(YEARS),1) SEED=$(or $(SEED),1) MONITORS=$(or $(MONITORS),300) FAULTS=$(or $(FAULTS),1) $(BUN) test/simulation/simulate.ts

fuzz: dist/rollcall ## attack dist/rollcall with random requests, sound and broken ones; REQUESTS=100000, SEED repeats an attack
	@$(BUN) test/fuzz/fuzz.ts

torture: dist/rollcall ## kill, starve and overrun dist/rollcall for an hour; PARTS=kills picks a part, KILLS=50 a count, SEED repeats a run
	@$(BUN) test/torture/torture.ts

messages: node_modules/.installed ## print every message in every circumstance to docs/messages.md
	@mkdir -p dist && $(BUN) test/messages/print.ts > dist/messages.md && mv dist/messages.md docs/messages.md

migrations: node_modules/.installed ## turn a change of src/store/schema.ts into SQL under drizzle/; NAME=what_changed names it
	@$(TOOL)drizzle-kit generate $(if $(NAME),--name $(NAME))

clean: ## remove what was built and fetched; ./data stays
	rm -rf dist node_modules .bun

help: ## print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# --minify is not used: the web framework reads the source of its handlers, and minified it validates nothing.
# The two --no- flags keep the executable from obeying files it finds in the working directory.
# It is made in a folder of its own and moved into place, so that a running rollcall is not written over; the source map
# beside it is in the executable too.
dist/rollcall: node_modules/.installed $(SOURCES) Makefile
	@echo "==> Compiling dist/rollcall"
	@mkdir -p dist/new
	@$(BUN) build --compile --sourcemap --bytecode --format=esm \
		--no-compile-autoload-dotenv --no-compile-autoload-bunfig \
		--define 'process.env.NODE_ENV="production"' \
		src/main.ts --outfile dist/new/rollcall
	@mv dist/new/rollcall dist/rollcall
	@rm -r dist/new

node_modules/.installed: package.json bun.lock | $(OWN_BUN)
	@echo "==> Installing dependencies"
	@$(BUN) install --frozen-lockfile
	@touch $@

# npm may have been told to run no scripts, and then bun.exe is only a placeholder: whichever file works is linked.
.bun/bun-$(BUN_VERSION):
	@echo "==> Fetching Bun $(BUN_VERSION) into .bun/ (about 40 MB, only this once)"
	@rm -rf .bun && mkdir .bun
	@if command -v npm >/dev/null; then \
		npm install --prefix .bun --no-save --no-package-lock --no-audit --no-fund --loglevel=error bun@$(BUN_VERSION); \
	elif command -v bun >/dev/null; then \
		echo '{}' > .bun/package.json && bun add --cwd .bun --no-save bun@$(BUN_VERSION); \
	else \
		echo "Neither npm nor Bun is on the PATH: install Node (with npm) or Bun $(BUN_VERSION), then run make again." >&2; exit 1; \
	fi
	@cd .bun && for file in node_modules/bun/bin/bun.exe node_modules/@oven/*/bin/bun; do \
		if [ "$$("$$file" --version 2>/dev/null)" = "$(BUN_VERSION)" ]; then ln -s "$$file" bun-$(BUN_VERSION); exit 0; fi; \
	done; \
	echo "Bun $(BUN_VERSION) was fetched, but does not run on this machine ($$(uname -sm))." >&2; exit 1
