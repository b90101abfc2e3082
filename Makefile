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

# --minify is not used: the web framework reads the source of its handlers, and minified it validates nothing.
# The two --no- flags keep the executable from obeying files it finds in the working directory.
COMPILE := $(BUN) build src/main.ts --compile --sourcemap --bytecode --format=esm \
	--no-compile-autoload-dotenv --no-compile-autoload-bunfig --define 'process.env.NODE_ENV="production"'

# Where `make install` puts things; DESTDIR comes before it.
PREFIX := /usr/local

.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: build run check test proofs bench bench-due bench-storm bench-status bench-dashboards bench-floods bench-backup bench-run mutants prove timings zones slots simulate fuzz torture messages pictures migrations install uninstall dist image test-package test-move test-image test-debian clean help

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

bench-floods: dist/rollcall ## measure how long reports wait, and the memory, while one person opens 10,000 live connections or searches 60 times among 30,000 jobs
	@$(BUN) bench/floods.ts

bench-backup: dist/rollcall ## measure backup and restore of a gigabyte, and how long reports wait meanwhile (takes ten minutes); BENCH_FOLDER on a real disk
	@$(BUN) bench/backup.ts

bench-run: dist/rollcall ## measure by how much rollcall run delays a job (takes a minute)
	@$(BUN) bench/run.ts

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
	@SPOOLED_DAYS=$(or $(SPOOLED_DAYS),300) $(BUN) test ./test/simulation/spooling.test.ts

fuzz: dist/rollcall ## attack dist/rollcall with random requests, sound and broken ones; REQUESTS=100000, SEED repeats an attack
	@$(BUN) test/fuzz/fuzz.ts

torture: dist/rollcall ## kill, starve and overrun dist/rollcall for an hour; PARTS=kills picks a part, KILLS=50 a count, SEED repeats a run
	@$(BUN) test/torture/torture.ts

messages: node_modules/.installed ## print every message in every circumstance to docs/messages.md
	@mkdir -p dist && $(BUN) test/messages/print.ts > dist/messages.md && mv dist/messages.md docs/messages.md

pictures: node_modules/.installed ## take a picture of each page for docs/images; needs chromium (takes minutes), ONLY=day,job takes some
	@$(BUN) test/web/pictures.ts

migrations: node_modules/.installed ## turn a change of src/store/schema.ts into SQL under drizzle/; NAME=what_changed names it
	@$(TOOL)drizzle-kit generate $(if $(NAME),--name $(NAME))

install: dist/rollcall dist/share ## install rollcall with unit, manual, completions and documents below PREFIX (/usr/local) in DESTDIR
	@DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" EXECUTABLE=dist/rollcall packaging/install.sh install

uninstall: ## remove what make install installed; configuration and data stay
	@DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" EXECUTABLE=dist/rollcall packaging/install.sh uninstall

dist: export BUN_VERSION := $(BUN_VERSION)
dist: export COMPILE := $(COMPILE)
dist: dist/rollcall dist/share ## build every release into dist/release: archives and Debian packages for x64 and arm64, checksums
	@packaging/dist.sh dist/release

image: dist/rollcall ## build the image of dist/rollcall with buildah, podman or docker; BASE names another image to build on
	@packaging/image.sh

test-package: dist/rollcall dist/share ## install, use, hang, upgrade, remove and purge the Debian package in a new Debian with systemd (root; takes minutes)
	@BUN=$(BUN) packaging/test-package.sh

test-move: dist/rollcall dist/share ## move thirty jobs of a new Debian to rollcall and back, with its cron and systemd (root; takes ten minutes)
	@BUN=$(BUN) packaging/test-move.sh

test-image: dist/rollcall ## build the image on a new Debian and run it without any rights (root; takes a minute)
	@BUN=$(BUN) packaging/test-image.sh

test-debian: ## run make test on a new Debian 12 with only what the README asks for, and old clients on Debian 11 (root; takes 20 minutes)
	@packaging/test-debian.sh

clean: ## remove what was built and fetched; ./data stays
	rm -rf dist node_modules .bun

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# It is made in a folder of its own and moved into place, so that a running rollcall is not written over; the source map
# beside it is in the executable too.
dist/rollcall: node_modules/.installed $(SOURCES) Makefile
	@echo "==> Compiling dist/rollcall"
	@mkdir -p dist/new
	@$(COMPILE) --outfile dist/new/rollcall
	@mv dist/new/rollcall dist/rollcall
	@rm -r dist/new

node_modules/.installed: package.json bun.lock | $(OWN_BUN)
	@echo "==> Installing dependencies"
	@$(BUN) install --frozen-lockfile
	@touch $@

# Held to the hashes of packaging/bun.sha256.
.bun/bun-$(BUN_VERSION):
	@packaging/fetch-bun.sh $(BUN_VERSION) here $@

# What is installed beside the executable, by its own word.
dist/share: dist/rollcall $(shell find packaging -type f)
	@BUN=$(BUN) packaging/share.sh dist/rollcall dist/share.new
	@rm -rf $@ && mv dist/share.new $@
