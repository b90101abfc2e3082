# Builds, runs and checks rollcall. Needs npm (it comes with Node) or Bun; everything else is fetched into this folder.
# `make help` lists what there is, `test/task --help` what those who change rollcall need beside it.

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

# Many tests wait for a clock or a child process, so more files than cores run beside each other. Each process starts the
# slowest of its files first, as the last run measured them; before the first, as test/timings.json has them. The files
# that one process runs share its modules (--no-isolate), because half of the time went into loading these again for
# each file. A file is named *.slow.test.ts if it takes longer than five seconds or starts many processes.
TESTS := $(BUN) test --no-isolate --timings=dist/timings.json --timings=test/timings.json --update-timings \
	--timeout 120000 --reporter=junit --reporter-outfile=dist/tests.xml

# Says at the end of a run how many tests passed and failed, and what it took.
STARTED := $(shell date +%s)
COUNT = sed -n '2s/.* $(1)="\([0-9]*\)".*/\1/p' dist/tests.xml
FIGURES = tests=$$($(call COUNT,tests)) failed=$$($(call COUNT,failures)) skipped=$$($(call COUNT,skipped)); \
	echo "==> make $@: $$((tests - failed - skipped)) passed, $$failed failed, $$skipped left out," \
		"$$(($$(date +%s) - $(STARTED))) s"

# --minify is not used: the web framework reads the source of its handlers, and minified it validates nothing.
# The two --no- flags keep the executable from obeying files it finds in the working directory.
# --splitting lets `rollcall run`, for which a job waits, load a small part alone.
COMPILE := $(BUN) build src/main.ts --compile --splitting --sourcemap --bytecode --format=esm \
	--no-compile-autoload-dotenv --no-compile-autoload-bunfig --define 'process.env.NODE_ENV="production"'

# Where `make install` puts things; DESTDIR comes before it.
PREFIX := /usr/local

.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: build run check check-types check-style check-unused test test-all bench docs deb dist install uninstall clean help

build: dist/rollcall ## compile dist/rollcall, one executable that needs nothing else (the default)

run: dist/rollcall ## start the service on 127.0.0.1:8787 with its data in ./data; Ctrl-C stops it
	@exec dist/rollcall serve

# The three do not wait for each other. The compiler of types goes on from what it found the last time; it runs in one
# thread, because several take twice the processor time, which the other two checks need.
check: node_modules/.installed ## check types, style and what nothing uses, without running a test
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target --keep-going check-types check-style check-unused

check-types:
	@echo "==> Checking types"
	@mkdir -p dist
	@$(TOOL)tsc --singleThreaded --incremental --tsBuildInfoFile dist/types.tsbuildinfo
	@$(TOOL)tsc --singleThreaded --project src/web/assets/browser

check-style:
	@echo "==> Checking style"
	@$(TOOL)biome check --error-on-warnings

check-unused:
	@echo "==> Looking for what nothing uses"
	@$(TOOL)knip $(KNIP)
	@$(TOOL)knip $(KNIP) --production --strict --include=files,dependencies,unlisted

test: check dist/rollcall ## check types and style, and run every test but the slow ones, some against dist/rollcall (takes a minute and a half)
	@echo "==> Running the tests"
	@rm -f dist/tests.xml
	@$(TESTS) --parallel=4 --path-ignore-patterns='**/*.slow.test.ts'; tested=$$?; $(FIGURES); exit $$tested

test-all: check dist/rollcall ## run the slow tests too, and hold docs/contract.md to what all of them prove (takes under ten minutes)
	@echo "==> Running all tests"
	@rm -f dist/tests.xml
	@$(TESTS) --parallel=6; tested=$$?; \
		echo "==> Holding docs/contract.md to what the tests prove"; \
		$(BUN) test/proofs.ts dist/tests.xml; proved=$$?; $(FIGURES); exit $$((tested > proved ? tested : proved))

bench: dist/rollcall ## measure dist/rollcall beside a bare server, for bench/performance.md; needs wrk (takes five minutes)
	@$(BUN) bench/bench.ts
	@$(BUN) bench/sync.ts

docs: dist/rollcall ## write the tables and messages in docs/ that are made from the code
	@UPDATE_DOCS=1 $(BUN) test --timeout 120000 test/config/reference test/http/metrics test/notify/failures.slow
	@test/task messages

install: dist/rollcall dist/share ## install rollcall with unit, manual, completions and documents below PREFIX (/usr/local) in DESTDIR
	@DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" EXECUTABLE=dist/rollcall packaging/install.sh install

uninstall: ## remove what make install installed; configuration and data stay
	@DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" EXECUTABLE=dist/rollcall packaging/install.sh uninstall

dist deb: export BUN_VERSION := $(BUN_VERSION)
dist deb: export COMPILE := $(COMPILE)
dist: dist/rollcall dist/share ## build every release into dist/release: archives and Debian packages for x64 and arm64, checksums
	@packaging/dist.sh dist/release

deb: export DIST_TARGETS := $(if $(filter aarch64 arm64,$(shell uname -m)),arm64,x64)
deb: dist/rollcall dist/share ## build the Debian package and the archive of this machine's kind into dist/deb (takes half a minute)
	@packaging/dist.sh dist/deb
	@for package in dist/deb/*.deb; do echo "==> Install it: sudo apt install ./$$package"; done

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

# What is installed beside the executable.
dist/share: dist/rollcall README.md $(shell find docs packaging -type f)
	@BUN=$(BUN) packaging/share.sh dist/rollcall dist/share.new
	@rm -rf $@ && mv dist/share.new $@
