GO      ?= go
VERSION ?=
PLATFORMS ?=
FUZZTIME ?= 30s

# The race detector needs a C compiler; without one the tests run without it.
RACE := $(shell command -v gcc >/dev/null 2>&1 && [ "$$($(GO) env CGO_ENABLED)" = 1 ] && echo -race)

.PHONY: build dist test setup test-go test-editors test-flydsl test-pytest test-producers test-ci test-dist lint fuzz bench regenerate

build: ## bin/isadiff and bin/isadiff-mcp
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w -X main.release=$(VERSION)' -o bin/isadiff ./cmd/isadiff
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w -X main.release=$(VERSION)' -o bin/isadiff-mcp ./cmd/isadiff-mcp

# PLATFORMS limits it: make dist PLATFORMS=linux/amd64,darwin/arm64
dist: ## all packages, in dist/: see docs/start/install.md
	$(GO) run ./cmd/packaging -o dist -platforms '$(PLATFORMS)'

# While the Go tests keep the processors busy, what the others need is downloaded.
test: ## everything
	@scripts/pytest.sh true
	@mkdir -p .cache; $(MAKE) -s setup >.cache/setup.log 2>&1 & $(MAKE) test-go; status=$$?; wait; exit $$status
	$(MAKE) test-editors
	$(MAKE) test-flydsl
	$(MAKE) test-pytest
	$(MAKE) test-producers
	$(MAKE) test-ci
	$(MAKE) test-dist

# What cannot be installed is said by the tests that need it.
setup: ## what the tests of make test need besides Go, where it is lacking
	-scripts/flydsl.sh setup
	-scripts/pytest-versions.sh setup
	-testdata/test-producers.sh setup
	-editors/test.sh setup
	-ci/test.sh setup
	-cmd/packaging/install.sh

PACKAGES = $(shell $(GO) list ./...)
# Nothing in these runs beside anything else, and the detector makes them ten times slower.
SEQUENTIAL = $(filter %/engine/isa %/engine/pysource %/engine/why,$(PACKAGES))

# Many tests wait for processes that they started, so more run side by side than there are processors.
test-go:
	$(GO) vet ./...
	scripts/pytest.sh $(GO) test $(RACE) -timeout 20m -parallel 8 $(filter-out $(SEQUENTIAL),$(PACKAGES))
	$(GO) test -timeout 20m $(SEQUENTIAL)

# Each of these says what it lacks and passes without it on a person's machine;
# where CI is set, what is lacking is a failure.
test-editors: build
	@if [ -x editors/test.sh ]; then editors/test.sh; else echo "no editor tests"; fi

test-flydsl: build
	scripts/flydsl.sh

test-pytest:
	scripts/pytest-versions.sh

test-producers: build
	@if [ -x testdata/test-producers.sh ]; then testdata/test-producers.sh; else echo "no tests with other producers"; fi

test-ci: build
	@ci/test.sh

# Everything is built twice and has to be the same. ISADIFF_DIST limits the platforms: ISADIFF_DIST=linux/amd64.
test-dist:
	@cmd/packaging/install.sh
	ISADIFF_DIST=$${ISADIFF_DIST:-all} $(GO) test -count=1 -timeout 60m ./cmd/packaging

lint:
	@unformatted=$$(gofmt -l $$($(GO) list -f '{{.Dir}}' ./...)); \
		test -z "$$unformatted" || { echo "$$unformatted"; echo "run gofmt -w on these"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	GOOS=windows $(GO) vet ./...
	GOOS=darwin $(GO) vet ./...

# Every fuzz target for FUZZTIME.
fuzz:
	@for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done

bench: ## every figure of docs/understand/performance.md, measured in one run
	$(GO) run ./cmd/performance

# Golden files and what is derived from tables. Read the difference before you commit it.
regenerate:
	$(GO) test ./engine/report ./engine/project ./cmd/isadiff -update
	$(GO) generate ./...
