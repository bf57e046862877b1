# Postil. `make` prints what there is.

GO      ?= go
BIN     ?= bin/postil
LDFLAGS ?= -s -w
TAGS    := chaos,e2e,edge,recipes,soak,strace
export CGO_ENABLED ?= 0

.DEFAULT_GOAL := help
.PHONY: help run build test race lint golden web web-check types migration e2e chaos soak strace edge recipes bench fuzz release size cover figures shots

help: ## print this help
	@grep -hE '^[a-z][a-z-]*:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

run: build ## start the demo: blog, widget, queue, store and a reviewer in this terminal
	@POSTIL_LOG_LEVEL=$${POSTIL_LOG_LEVEL:-warn} $(BIN) serve --demo --data $${POSTIL_DATA:-./demo-data}

build: ## build the static binary bin/postil
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/postil

test: ## run the tests; needs Go alone
	$(GO) test ./...

race: ## run the tests under the race detector; needs a C compiler
	CGO_ENABLED=1 $(GO) test -race -timeout 25m ./...

lint: ## gofmt, vet, staticcheck, and govulncheck where its database can be reached
	@out=$$(gofmt -l cmd internal migrations web); test -z "$$out" || { echo "not gofmt-ed:"; echo "$$out"; exit 1; }
	$(GO) vet -tags $(TAGS) ./...
	$(GO) tool staticcheck -tags $(TAGS) ./...
	@if curl -sfI -m 5 https://vuln.go.dev/index/modules.json >/dev/null 2>&1; then $(GO) run golang.org/x/vuln/cmd/govulncheck@v1.1.4 ./...; \
	else echo "govulncheck: its database cannot be reached from here; known weaknesses of dependencies were not looked for"; fi

golden: ## write the golden files anew; look at the diff
	$(GO) test ./internal/httpapi ./internal/markup -update

web: ## bundle widget and admin page into web/dist
	$(GO) run ./web/build

web-check: ## fail when web/dist is not what the sources make, or too large
	$(GO) run ./web/build -check

types: ## check the types of widget and admin page; needs npm
	npm exec --yes --package=typescript@5.9 -- tsc --noEmit -p web/tsconfig.json
	npm exec --yes --package=typescript@5.9 -- tsc --noEmit -p web/admin/tsconfig.json

migration: ## make an empty migration: make migration name=add_reports
	@n=$$(printf '%05d' $$(($$(ls migrations/*.sql | wc -l) + 1))); f=migrations/$${n}_$(name).sql; \
	printf -- '-- What changes, and why.\n\n-- +goose Up\n\n-- +goose Down\n' > $$f; echo $$f

e2e: ## the real binary in a real browser; needs chromium and npm
	$(GO) test -count=1 -tags e2e -timeout 25m -skip '^TestFigures$$' ./internal/apptest/e2e

recipes: ## build a page with each generator of web/README.md; needs hugo, jekyll, mkdocs and npm
	$(GO) test -count=1 -tags recipes -timeout 15m ./internal/apptest/recipes

figures: ## measure what the widget costs a reader; needs chromium
	$(GO) test -count=1 -tags e2e -timeout 9m -v -run TestFigures ./internal/apptest/e2e | grep -v '"level"'

shots: ## take pictures of the demo's pages into ./shots; needs chromium
	POSTIL_SHOTS=$(CURDIR)/shots $(GO) test -count=1 -tags e2e -timeout 5m -run Looks ./internal/apptest/e2e

chaos: ## kill -9 the real binary under load and count: make chaos rounds=50
	$(GO) test -count=1 -tags chaos -timeout 60m -v ./internal/apptest/chaos -rounds $(or $(rounds),50)

soak: ## keep the real binary at work and fail when what it uses grows: make soak length=10m
	$(GO) test -count=1 -tags soak -timeout 60m -v ./internal/apptest/soak -length $(or $(length),10m)

strace: ## prove that nothing is acknowledged before it is on disk; needs strace
	$(GO) test -count=1 -tags strace ./internal/store

edge: ## nginx with deploy/nginx-edge.conf before the real binary; needs nginx
	$(GO) test -count=1 -tags edge -timeout 5m ./internal/apptest/edge

bench: ## measure everything in under five minutes: make bench only=hot,storm json=FILE
	$(GO) run ./cmd/postil-bench $(if $(only),-only $(only)) $(if $(json),-json $(json))

fuzz: ## fuzz each target for a while: make fuzz time=10m
	@for pkg in $$($(GO) list ./...); do for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	echo "$$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(or $(time),10s) $$pkg || exit 1; done; done

release: ## build bin/release/postil-VERSION-OS-ARCH with checksums, for linux, darwin and windows
	@rm -rf bin/release && mkdir -p bin/release; v=$(or $(version),$$(git describe --tags --always --dirty 2>/dev/null || echo development)); \
	for target in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64; do os=$${target%/*}; arch=$${target#*/}; \
	out=bin/release/postil-$$v-$$os-$$arch; [ $$os = windows ] && out=$$out.exe; echo $$out; \
	GOOS=$$os GOARCH=$$arch $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $$out ./cmd/postil || exit 1; done; \
	cd bin/release && sha256sum postil-* > SHA256SUMS && cat SHA256SUMS

size: ## report file and function sizes
	$(GO) test -count=1 -run TestSizes -v ./internal/app | grep -v '^=== '

cover: ## test coverage by package
	$(GO) test -cover ./...
