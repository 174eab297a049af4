# Bullpen: `make help` lists the targets. A clean clone needs Go, Node and make.

STATICCHECK_VERSION := v0.8.2
GOLANGCI_VERSION    := v2.6.0
FUZZTIME            ?= 10s
BENCH_ARGS          ?=
VERSION             ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

TOOLS       := $(CURDIR)/.cache/bin
STATICCHECK := $(TOOLS)/staticcheck-$(STATICCHECK_VERSION)
GOLANGCI    := $(TOOLS)/golangci-lint-$(GOLANGCI_VERSION)

.DEFAULT_GOAL := help
.PHONY: help build test check-format check-vet check-static test-go test-web bench fuzz lint clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/bullpen
	go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/bullpen ./cmd/bullpen

test: check-format check-vet check-static test-go test-web ## everything that must hold before a change is taken

check-format:
	@files=$$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -l); \
	if [ -n "$$files" ]; then echo "not gofmt-ed, run gofmt -w on:"; echo "$$files"; exit 1; fi

check-vet:
	go vet ./...

check-static: $(STATICCHECK)
	$(STATICCHECK) ./...

test-go:
	go test -race ./...

test-web:
	@if [ ! -f web/package.json ]; then echo "web: nothing to test yet"; exit 0; fi; \
	command -v npm >/dev/null || { echo "npm is missing: install Node 20 or newer"; exit 1; }; \
	cd web && npm ci --no-audit --no-fund && npm run check:contracts

bench: ## measure: how many viewers, how fast
	cd bench && go run . $(BENCH_ARGS)

fuzz: ## fuzz every target for FUZZTIME (default 10s)
	@grep -rlE '^func Fuzz' --include='*_test.go' . | while read -r file; do \
		for target in $$(sed -nE 's/^func (Fuzz[A-Za-z0-9_]*)\(.*/\1/p' "$$file"); do \
			echo "== $$(dirname "$$file") $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")" || exit 1; \
		done; \
	done

lint: $(GOLANGCI) ## golangci-lint, stricter than what test asks for
	$(GOLANGCI) run ./...

clean: ## remove what the targets made
	rm -rf bin .cache

$(STATICCHECK):
	@mkdir -p $(TOOLS)
	GOBIN=$(TOOLS) go install honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK_VERSION)
	@mv $(TOOLS)/staticcheck $@

$(GOLANGCI):
	@mkdir -p $(TOOLS)
	GOBIN=$(TOOLS) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	@mv $(TOOLS)/golangci-lint $@
