# Bullpen: `make help` lists the targets. A clean clone needs Go, Node and make.

STATICCHECK_VERSION := v0.8.2
GOLANGCI_VERSION    := v2.6.0
GORELEASER_VERSION  := v2.15.1
HELM_VERSION        := v3.22.0
ACTIONLINT_VERSION  := v1.7.12
COMPOSE_VERSION     := v2.16.2
FUZZTIME            ?= 10s
BENCH_ARGS          ?=
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

# What a release carries as its time: that of the commit, so that it can be built again.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)

.DEFAULT_GOAL := help
.PHONY: help build quick test check-format check-vet check-static test-quick test-go agents terminal test-web check-source check-web test-browser web bench reference fuzz lint release publish check-cross check-release check-package clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/bullpen
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)' -o bin/bullpen ./cmd/bullpen

quick: check-format check-vet test-quick check-source ## an answer in minutes: no race detector, real agents, docs, packages or browser

test: check-format check-vet check-static test-go test-web ## everything that must hold before a change is taken

check-format:
	@files=$$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -l); \
	if [ -n "$$files" ]; then echo "not gofmt-ed, run gofmt -w on:"; echo "$$files"; exit 1; fi

check-vet:
	go vet ./...

check-static: $(STATICCHECK)
	$(STATICCHECK) ./...
	go vet -C e2e/clients/go ./...

# Tests that wait for a process or a socket leave a core idle, so more packages run at a
# time than there are cores.
GO_PACKAGES := $$((2 * $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)))

# Results of packages that did not change come from go's cache.
test-quick:
	go test -vet=off -p $(GO_PACKAGES) $$(go list ./... | grep -vE '/(e2e|docs|packaging)(/|$$)')

# The longest first; the real agents in it need more than go's ten minutes when the
# machine is busy. check-vet has vetted everything already. The race detector needs a C
# compiler; nothing else here does. SQLite is C translated to Go: it shares nothing with
# our code but through database/sql, and instrumenting it makes every test with a ledger
# about ten times slower.
GO_TEST := -vet=off -timeout 40m -p $(GO_PACKAGES) ./e2e ./...
GO_RACE := -race -gcflags=modernc.org/...=-race=false
test-go: agents terminal
	@if [ "$$(go env CGO_ENABLED)" = 1 ] && command -v $$(go env CC) >/dev/null; then \
		echo "go test $(GO_RACE) $(GO_TEST)"; go test $(GO_RACE) $(GO_TEST); \
	else \
		echo "go test $(GO_TEST) WITHOUT the race detector: it needs a C compiler (and CGO_ENABLED=1), and there is none"; go test $(GO_TEST); \
	fi

# Real agents for the end-to-end tests, all at once; without them those tests are
# skipped and say so.
agents:
	@for agent in e2e/agents/*/; do e2e/agents/install $$(basename $$agent) & done; wait

# A real terminal for the view in it; without one those tests are skipped and say so.
terminal:
	@command -v tmux >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		DEBIAN_FRONTEND=noninteractive sh -c 'apt-get update -q && apt-get install -y -q --no-install-recommends tmux'; } || \
		echo "tmux is missing, so the view in the terminal is not tested: install it"

test-web: check-web test-browser

check-source: web/node_modules/.package-lock.json
	cd web && npm run -s check:contracts && npm run -s check:types && npm run -s check:lint && npm test -s

# Without a browser: the source, and that web/dist comes from it.
check-web: check-source
	cd web && npm run -s check:dist && npm run -s check:size

test-browser: web/node_modules/.package-lock.json ## the client in a real browser against a real server
	cd web && npm run -s test:browser

web: web/node_modules/.package-lock.json ## build the web client into web/dist
	cd web && npm run -s build

web/node_modules/.package-lock.json: web/package-lock.json
	@command -v npm >/dev/null || { echo "npm is missing: install Node 20.19 or newer"; exit 1; }
	cd web && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --no-audit --no-fund

bench: ## measure: how many viewers, how fast
	cd bench && go run . $(BENCH_ARGS)

reference: ## write the pages in docs/reference that are generated from the code
	go test -count=1 ./openapi -update
	go test -count=1 ./cmd/bullpen ./docs -run TestReference -update

fuzz: ## fuzz every target for FUZZTIME (default 10s)
	@grep -rlE '^func Fuzz' --include='*_test.go' . | while read -r file; do \
		for target in $$(sed -nE 's/^func (Fuzz[A-Za-z0-9_]*)\(.*/\1/p' "$$file"); do \
			echo "== $$(dirname "$$file") $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")" || exit 1; \
		done; \
	done

lint: $(GOLANGCI) ## golangci-lint, stricter than what test asks for
	$(GOLANGCI) run ./...

release: ## build the archives, packages and checksums of every target into dist
	rm -rf $(DIST)
	go run ./packaging/release -version '$(VERSION)' -commit '$(COMMIT)' -out $(DIST)

# Makes a draft on the tag's page; PUBLISH_ARGS=--snapshot does everything but that.
publish: $(GORELEASER)
	$(GORELEASER) release --clean $(PUBLISH_ARGS)

check-cross: ## does everything compile for every target?
	@for target in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do \
		echo "== $$target"; \
		CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} go build ./... || exit 1; \
	done

check-release: ## is a release the same when it is built again, elsewhere? TARGETS= is all
	packaging/reproduce.sh

check-package: $(GORELEASER) $(HELM) $(ACTIONLINT) $(COMPOSE) ## do the tools accept their files?
	$(GORELEASER) check
	GORELEASER=$(GORELEASER) HELM=$(HELM) ACTIONLINT=$(ACTIONLINT) COMPOSE=$(COMPOSE) go test -count=1 ./packaging/...

clean: ## remove what the targets made
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
