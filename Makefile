# `make` alone lists what can be made. Everything needs Go and make; what else is needed is installed
# by the target that needs it, and said first.

GO     ?= go
TOOL   := $(GO) tool -modfile=tools/go.mod
WITHDB := $(GO) run ./internal/cmd/withdb
# A shell whose PATH has the sqlcas of this tree, which sqlc runs as its plugin. Without a version control
# stamp it is "devel" at each commit, so that what it writes is the same.
SQLCAS := bin=$$(mktemp -d) && trap 'rm -rf '$$bin EXIT && $(GO) build -buildvcs=false -o $$bin/sqlcas ./cmd/sqlcas && \
	PATH=$$bin:$$PATH && export PATH
MODULES := examples bench tools

# Vulnerabilities of the standard library are mended by Go's patch releases: the one to build with.
# A GOTOOLCHAIN of local is kept to: no other Go is fetched then.
PATCHED := go1.26.10

# The race detector needs a C compiler. Without one the tests run without it, and say so.
HAVE_CC := $(shell command -v gcc >/dev/null 2>&1 && echo yes)
RACE    := $(if $(HAVE_CC),-race,)

.DEFAULT_GOAL := help
.PHONY: help demo test servers db gen check vuln fuzz bench

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## Replay an order file against stock on a throwaway server, and print who did how well
	@$(WITHDB) -one -install -durable -- $(GO) -C examples run ./inventory

test: ## Run all tests on throwaway MySQL and MariaDB servers, installing them first
	@$(if $(HAVE_CC),,echo "make test: no C compiler, so no race detector: install gcc to have it" >&2)
	@tables=$$(mktemp) && SQLCAS_TEST_TABLES=$$tables $(WITHDB) -install -require mariadb1011 -- sh -c \
		'$(GO) test $(RACE) -count=1 ./... && $(GO) -C examples test $(RACE) -count=1 ./... && $(GO) -C bench test $(RACE) -count=1 ./...; code=$$?; cat '$$tables'; exit $$code'; \
		code=$$?; rm -f $$tables; exit $$code

servers: ## Install the test servers: MariaDB 10.11 as a package, MySQL 9 and MariaDB 11.8 into the cache folder
	@$(WITHDB) -install

db: ## Start a throwaway server, print its DSN, stop it on Ctrl-C
	@$(WITHDB) -print

gen: ## Write gen/ and the queries of versioned tables anew from schema/ and queries/
	@$(SQLCAS) && sqlcas queries && $(TOOL) sqlc generate

check: ## Formatting, vet, staticcheck, generated code, known vulnerabilities
	@out=$$($(TOOL) gofumpt -l .) || exit 1; test -z "$$out" || { echo "not formatted, run gofumpt -w:"; echo "$$out"; exit 1; }
	@$(GO) vet ./... && $(TOOL) staticcheck ./...
	@for m in $(MODULES); do $(GO) -C $$m vet ./... && $(GO) -C $$m tool -modfile=$(CURDIR)/tools/go.mod staticcheck ./... || exit 1; done
	@$(SQLCAS) && sqlcas queries --check && $(TOOL) sqlc diff && sqlcas vet ./... && \
		for m in examples bench; do (cd $$m && sqlcas vet -f ../sqlc.yaml ./...) || exit 1; done
	@$(MAKE) --no-print-directory vuln
	@echo "make check: clean"

vuln: ## Known vulnerabilities in all modules, with the patched Go where it may be fetched
	@if [ "$$($(GO) env GOTOOLCHAIN)" != local ] && GOTOOLCHAIN=$(PATCHED) $(GO) version >/dev/null 2>&1; then export GOTOOLCHAIN=$(PATCHED); flag=; \
		else echo "make vuln: not with $(PATCHED), but with the Go that is here: what only a newer Go mends is tolerated" >&2; flag=-tolerate-stdlib; fi; \
		for m in . examples bench; do $(GO) -C tools run ./cmd/vuln $$flag -C $(CURDIR)/$$m ./... || exit 1; done

fuzz: ## Run each fuzz target for FUZZTIME (default 20s)
	@$(GO) test ./internal/txn -run '^$$' -fuzz FuzzParseSwap -fuzztime $(or $(FUZZTIME),20s)
	@for f in FuzzSplit FuzzQueries FuzzReadSchema FuzzCheck; do \
		$(GO) test ./internal/sqlcheck -run '^$$' -fuzz "^$$f$$" -fuzztime $(or $(FUZZTIME),20s) || exit 1; done
	@for f in FuzzQueries FuzzGenerate; do \
		$(GO) test ./internal/casgen -run '^$$' -fuzz "^$$f$$" -fuzztime $(or $(FUZZTIME),20s) || exit 1; done
	@$(GO) test ./internal/vet -run '^$$' -fuzz FuzzParse -fuzztime $(or $(FUZZTIME),20s)
	@$(GO) -C examples test ./httpetag -run '^$$' -fuzz FuzzToken -fuzztime $(or $(FUZZTIME),20s)
	@$(GO) -C examples test ./httpetag -run '^$$' -fuzz FuzzCondition -fuzztime $(or $(FUZZTIME),20s)

bench: ## Measure on durable servers, for almost half an hour, and write docs/benchmarks.md (BENCH=-quick: a trial)
	@$(WITHDB) -durable -- $(GO) -C bench run ./report $(BENCH)
