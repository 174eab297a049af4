# Bullpen: `make help` lists the targets. A clean clone needs Go, Node and make.

STATICCHECK_VERSION := v0.8.2
GOLANGCI_VERSION    := v2.6.0
GORELEASER_VERSION  := v2.15.1
HELM_VERSION        := v3.22.0
ACTIONLINT_VERSION  := v1.7.12
COMPOSE_VERSION     := v2.16.2
FUZZTIME            ?= 10s
SIM_HISTORIES       ?= 3000
SIM_FIRST           ?= 1
BENCH_ARGS          ?=
CHAOS_ROUNDS        ?= 30
CHAOS_ARGS          ?=
PUBLISH_ARGS        ?=
VERSION             ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT              ?= $(shell git rev-parse HEAD 2>/dev/null)
DIST                ?= dist

TOOLS       := $(CURDIR)/.cache/bin
STATICCHECK := $(TOOLS)/staticcheck-$(STATICCHECK_VERSION)
GOLANGCI    := $(TOOLS)/golangci-lint-$(GOLANGCI_VERSION)
GORELEASER  := $(TOOLS)/goreleaser-$(GORELEASER_VERSION)
HELM        := $(TOOLS)/helm-$(HELM_VERSION)
ACTIONLINT  := $(TOOLS)/actionlint-$(ACTIONLINT_VERSION)
COMPOSE     := $(TOOLS)/compose-$(COMPOSE_VERSION)

# The timestamp in a release is the commit's, so that builds are reproducible.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)

# Everything is built with the settings of a release, so that the build cache has only one variant of
# each package, which clones in other directories share. Only the race detector (test-go) needs cgo;
# the programs that its tests build do not.
override export GOFLAGS := $(filter-out -trimpath,$(GOFLAGS)) -trimpath
build check-vet check-static test-quick test-browser test-agents test-agents-newest reference sim chaos fuzz bench check-package: \
	override export CGO_ENABLED := 0

.DEFAULT_GOAL := help
.PHONY: help build quick test check-format check-vet check-static test-quick test-go agents test-agents test-agents-newest terminal test-web check-source check-web test-browser web bench reference sim chaos fuzz lint release publish check-cross check-release check-package clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/bullpen
	go build -ldflags '-s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)' -o bin/bullpen ./cmd/bullpen

quick: check-format check-vet test-quick check-source ## run the quick checks: no race detector, real agents, docs, packages or browser

# The agents' programs are downloaded while the source is checked. The tests of the web client mostly
# wait for the browser, so they run at the same time as everything else; their output is printed last.
test: terminal ## run all checks that a change must pass
	@mkdir -p .cache; \
	$(MAKE) --no-print-directory agents & agents=$$!; \
	$(MAKE) --no-print-directory test-web >.cache/test-web.log 2>&1 & web=$$!; \
	trap 'kill $$agents $$web' INT TERM; \
	$(MAKE) --no-print-directory check-format check-vet check-static || { kill $$agents $$web; exit 1; }; \
	wait $$agents; \
	$(MAKE) --no-print-directory test-go; go=$$?; \
	wait $$web; web=$$?; cat .cache/test-web.log; [ $$go -eq 0 ] && [ $$web -eq 0 ]

check-format:
	@files=$$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -l); \
	if [ -n "$$files" ]; then echo "not gofmt-ed, run gofmt -w on:"; echo "$$files"; exit 1; fi

check-vet:
	go vet ./...
	go vet -tags antithesis ./invariant ./office ./view ./hub
	go vet -tags chaos ./ledger/jetstream

check-static: $(STATICCHECK)
	$(STATICCHECK) ./...
	go vet -C e2e/clients/go ./...

# Tests that wait for a process or a socket leave a core idle, so more packages run at a
# time than there are cores.
GO_PACKAGES := $$((3 * $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)))

# The results of unchanged packages come from Go's test cache.
test-quick:
	go test -vet=off -p $(GO_PACKAGES) $$(go list ./... | grep -vE '/(e2e|docs|packaging)(/|$$)')

# The slowest package, e2e, runs first; on a busy machine its real agents need more than Go's
# default timeout of ten minutes. check-vet has already vetted everything. Only the race detector
# needs a C compiler. SQLite, which is C translated to Go, is not instrumented: our code uses it
# only through database/sql, and tests with a ledger would be about ten times slower. Neither is
# world/scene, which has no goroutines and whose values never change: its path search took most of
# the time of the director's tests. The same applies to the libraries that measure and style text.
GO_TEST := -vet=off -timeout 40m -p $(GO_PACKAGES) ./e2e ./...
NO_RACE := modernc.org/... github.com/bullpen-office/bullpen/world/scene charm.land/lipgloss/... github.com/charmbracelet/x/... github.com/clipperhouse/...
GO_RACE := -race $(patsubst %,-gcflags=%=-race=false,$(NO_RACE)) -exec 'env CGO_ENABLED=0'
test-go: agents terminal
	@if [ "$$(go env CGO_ENABLED)" = 1 ] && command -v $$(go env CC) >/dev/null; then \
		echo "go test $(GO_RACE) $(GO_TEST)"; go test $(GO_RACE) $(GO_TEST); \
	else \
		echo "go test $(GO_TEST) WITHOUT the race detector, which needs a C compiler and CGO_ENABLED=1"; go test $(GO_TEST); \
	fi

# Installs the real agents for the end-to-end tests in parallel. Tests whose agent is missing are
# skipped and say so.
agents:
	@for agent in e2e/agents/*/; do \
		case $$agent in \
			*/opencode/) [ -n "$$BULLPEN_TEST_OPENCODE" ] || continue ;; \
			*/copilot/) [ -n "$$BULLPEN_TEST_COPILOT" ] || continue ;; \
			*/gemini/) [ -n "$$BULLPEN_TEST_GEMINI" ] || continue ;; \
		esac; \
		e2e/agents/install $$(basename $$agent) & \
	done; wait

# The tests of all real agents, including those that start too slowly to be run for every change.
AGENT_TESTS := BULLPEN_TEST_OPENCODE=1 BULLPEN_TEST_COPILOT=1 BULLPEN_TEST_GEMINI=1 go test ./e2e -count=1 -timeout 40m -v -run 'AtWork|InATerminal|Life|Claude'

test-agents: ## test all real agents, including those that "make test" leaves out
	$(AGENT_TESTS)

test-agents-newest: ## test the newest version of each real agent; may fail
	rm -rf .cache/agents-newest
	BULLPEN_TEST_NEWEST=1 $(AGENT_TESTS)

# Installs tmux, in which the terminal view is tested. Without tmux, those tests are skipped and say
# so.
terminal:
	@command -v tmux >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		DEBIAN_FRONTEND=noninteractive sh -c 'apt-get update -q && apt-get install -y -q --no-install-recommends tmux'; } || \
		echo "tmux is missing, so the terminal view is not tested: install tmux"

test-web: check-web test-browser

check-source: web/node_modules/.package-lock.json
	cd web && npm run -s check:contracts && npm run -s check:types && npm run -s check:lint && npm test -s

# Checks the source without a browser, and that web/dist was built from it.
check-web: check-source
	cd web && npm run -s check:dist && npm run -s check:size

test-browser: web/node_modules/.package-lock.json ## test the web client in a real browser against a real server
	cd web && npm run -s test:browser

web: web/node_modules/.package-lock.json ## build the web client into web/dist
	cd web && npm run -s build

web/node_modules/.package-lock.json: web/package-lock.json
	@command -v npm >/dev/null || { echo "npm is missing: install Node 20.19 or newer"; exit 1; }
	cd web && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --no-audit --no-fund

bench: ## measure how many viewers an office serves, and how fast
	cd bench && go run . $(BENCH_ARGS)

reference: ## write the pages in docs/reference that are generated from the code
	go test -count=1 ./openapi -update
	go test -count=1 ./cmd/bullpen ./docs -run TestReference -update

sim: ## play SIM_HISTORIES (default 3000) random histories of an office with faults, on a virtual clock, one process per core
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && go test -c -o $$dir/sim.test ./e2e/sim && cd e2e/sim && \
	n=$$(getconf _NPROCESSORS_ONLN) && each=$$((($(SIM_HISTORIES) + n - 1) / n)) && i=0 && code=0 && \
	while [ $$i -lt $$n ]; do \
		$$dir/sim.test -test.v -test.timeout 60m -test.run TestHistories -sim.histories=$$each -sim.first=$$(($(SIM_FIRST) + i * each)) >$$dir/$$i.log 2>&1 & \
		pids="$$pids $$!"; i=$$((i + 1)); \
	done; \
	for pid in $$pids; do wait $$pid || code=1; done; \
	grep -hvE '^ *(=== |--- PASS)' $$dir/*.log; exit $$code

chaos: ## break an office of three nodes and three NATS servers CHAOS_ROUNDS times (default 30), and check that nothing is lost
	go test -tags chaos ./ledger/jetstream -count=1 -run TestContractWhileLeadersChange
	go test ./e2e/chaos -count=1 -v -timeout 2h -chaos.seed 0 -chaos.rounds $(CHAOS_ROUNDS) $(CHAOS_ARGS)

fuzz: ## fuzz every target for FUZZTIME (default 10s)
	@grep -rlE '^func Fuzz' --include='*_test.go' . | while read -r file; do \
		for target in $$(sed -nE 's/^func (Fuzz[A-Za-z0-9_]*)\(.*/\1/p' "$$file"); do \
			echo "== $$(dirname "$$file") $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")" || exit 1; \
		done; \
	done

lint: $(GOLANGCI) ## run golangci-lint, which is stricter than test
	$(GOLANGCI) run ./...

release: ## build the archives, packages and checksums of every target into dist
	rm -rf $(DIST)
	go run ./packaging/release -version '$(VERSION)' -commit '$(COMMIT)' -out $(DIST)

# Creates a draft release for the tag; PUBLISH_ARGS=--snapshot does everything except that.
publish: $(GORELEASER)
	$(GORELEASER) release --clean $(PUBLISH_ARGS)

check-cross: ## check that everything compiles for every target
	@for target in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do \
		echo "== $$target"; \
		CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} go build ./... || exit 1; \
	done

check-release: ## check that a release can be reproduced; TARGETS= checks all targets
	packaging/reproduce.sh

check-package: $(GORELEASER) $(HELM) $(ACTIONLINT) $(COMPOSE) ## check the packaging files with the tools that read them
	$(GORELEASER) check
	GORELEASER=$(GORELEASER) HELM=$(HELM) ACTIONLINT=$(ACTIONLINT) COMPOSE=$(COMPOSE) go test -count=1 ./packaging/...

clean: ## remove everything that the targets built
	rm -rf bin dist .cache

$(STATICCHECK):
	@mkdir -p $(TOOLS)
	GOBIN=$(TOOLS) go install honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK_VERSION)
	@mv $(TOOLS)/staticcheck $@

$(GOLANGCI):
	@mkdir -p $(TOOLS)
	GOBIN=$(TOOLS) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	@mv $(TOOLS)/golangci-lint $@

$(GORELEASER):
	@mkdir -p $(TOOLS)
	GOBIN=$(TOOLS) go install github.com/goreleaser/goreleaser/v2@$(GORELEASER_VERSION)
	@mv $(TOOLS)/goreleaser $@

$(HELM):
	@mkdir -p $(TOOLS)
	GOBIN=$(TOOLS) go install helm.sh/helm/v3/cmd/helm@$(HELM_VERSION)
	@mv $(TOOLS)/helm $@

$(ACTIONLINT):
	@mkdir -p $(TOOLS)
	GOBIN=$(TOOLS) go install github.com/rhysd/actionlint/cmd/actionlint@$(ACTIONLINT_VERSION)
	@mv $(TOOLS)/actionlint $@

$(COMPOSE):
	@mkdir -p $(TOOLS)
	GOBIN=$(TOOLS) go install github.com/compose-spec/compose-go/v2/cmd@$(COMPOSE_VERSION)
	@mv $(TOOLS)/cmd $@
