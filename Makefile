# The targets that people and CI use; `make check` is what CI runs.

GO       ?= go
FUZZTIME ?= 20s
FUZZ     ?= ^Fuzz
TESTTIME ?= 40m

# The folders of modules that are part of the project and need what the main module does not.
MODULES = internal/tests/outside docs/examples/language

.PHONY: all build release site libraries check test test-all lint bench peers curves fuzz nightly nightly-tests nightly-fuzz pictures clean

all: build

build: site ## the commands, in dist/, with the playground's engine in muster
	mkdir -p web/engine && cp dist/site/engine/* web/engine/
	$(GO) build -trimpath -tags playground -o dist/ ./cmd/...

# The operating systems and architectures of release binaries.
RELEASES = linux-amd64 linux-arm64 darwin-amd64 darwin-arm64 windows-amd64 windows-arm64

release: site ## static binaries with the playground in them, and their checksums, in dist/release
	rm -rf dist/release && mkdir -p dist/release web/engine && cp dist/site/engine/* web/engine/
	set -e; version=$$($(GO) run ./cmd/muster --version | cut -d ' ' -f 3); for target in $(RELEASES); do \
		os=$${target%-*}; exe=; [ $$os = windows ] && exe=.exe; \
		CGO_ENABLED=0 GOOS=$$os GOARCH=$${target#*-} $(GO) build -trimpath -tags playground,nocuda -ldflags '-s -w' \
			-o dist/release/muster-$$version-$$target$$exe ./cmd/muster; \
	done
	cd dist/release && sha256sum muster-* > SHA256SUMS

site: ## the playground as static files, in dist/site
	$(GO) run ./cmd/muster site dist/site

libraries: ## web/app/lib made anew from web/libraries; needs npm
	cd web/libraries && npm ci && npm run build

check: lint test-all build ## everything CI asks for
	$(GO) run ./cmd/muster check > /dev/null

# The tests of models and engines take longest, and begin first. Memory is cheaper than its collection: a tenth of the time.
test: export GOGC = 400
# A commit that is right today is right tomorrow: random tests draw the same programs each time, and new ones at night.
test: export RAPID_SEED ?= 1
test: ## every test; what needs a tool that is not here is skipped with a notice
	{ $(GO) test -json -timeout $(TESTTIME) ./models ./internal/engine/... ./sim ./...; \
	for module in $(MODULES); do $(GO) -C $$module test -json -timeout $(TESTTIME) ./...; done; } | $(GO) run ./internal/testkit/testlog

test-all: export MUSTER_ALL = 1
test-all: test ## the same with everything that takes long: random campaigns, the page in a browser

lint: ## formatting, vet, staticcheck, and what makes code easy to read (internal/testkit/house)
	@unformatted=$$($(GO) tool gofumpt -l .); \
	if [ -n "$$unformatted" ]; then echo "not gofumpt-clean:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	GOOS=js GOARCH=wasm $(GO) vet ./web/wasm
	$(GO) tool staticcheck ./...
	$(GO) run ./internal/testkit/house
	check=$$($(GO) tool -n staticcheck); for module in $(MODULES); do (cd $$module && $(GO) vet ./... && $$check ./...) || exit 1; done

nightly: nightly-tests nightly-fuzz ## what takes hours

nightly-tests: ## many more random programs, models and kernels than make test takes, and others each time; all machine code, where there is a ptxas
	MUSTER_NIGHTLY=1 $(GO) test ./models ./internal/engine/... ./clike ./sim -run 'PTXIsTheText|Engines|AtBarriers|Family|Lines|Rings|Idles|NeverRead|Parts|Drawn|Misses' -timeout 3h
	MUSTER_NIGHTLY=1 $(GO) test ./verify/... ./internal/kernels/... -run 'Random|Replay|Mutants|Ranges|Leaders|Lockstep|Loops|Local|From' -timeout 2h
	MUSTER_NIGHTLY=1 $(GO) test ./harness/optcheck ./internal/tests/probe -run 'Shipped|MappingIsSound' -timeout 1h

nightly-fuzz: ## half an hour for each reader of text that decides how much is done with it
	$(MAKE) fuzz FUZZTIME=30m FUZZ='^Fuzz(Modules|Contracts|Settings|Records)'

bench: ## benchmarks; they are never part of the tests
	$(GO) test -run '^$$' -bench . -benchmem ./...
	for module in $(MODULES); do $(GO) -C $$module test -run '^$$' -bench . -benchmem ./...; done

curves: ## the growth curves of docs/performance.md
	$(GO) run ./bench/curves -o docs/pictures/growth.svg

peers: ## the same programs with herd7 and Dartagnan, where they are on PATH
	bench/peers.sh

fuzz: ## every fuzz target for FUZZTIME, or those whose names match FUZZ
	@for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '$(FUZZ)' $$pkg | grep '^Fuzz'); do \
			echo "== $$pkg $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done

pictures: ## the pictures of the documentation
	$(GO) run ./cmd/muster draw -o docs/pictures/mp-fig14.svg mp+membar.cta+membar.gl-intra-cta
	$(GO) run ./cmd/muster draw -o docs/pictures/isa2-barrier.svg ISA2+rel.gpu+acq.gpu-bar.syncs
	$(GO) run ./cmd/muster draw --alarm 1 --grid 1 --block 64 -o docs/pictures/reduction-race.svg verify/testdata/kernels/reduction-late-barrier.ptx
	$(GO) test ./docs/lessons -run TestPictures -update

clean:
	rm -rf dist web/engine
