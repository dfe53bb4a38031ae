# ctxledger: the tasks. A fresh machine needs Go, make, git, gcc and Node 20; the rest is installed here.

GO      ?= go
export GOTOOLCHAIN := local
# lab/ alone is built in a workspace, with the product: so both share what is compiled.
export GOWORK := off
LAB = GOWORK=$(CURDIR)/lab/go.work $(GO)
# Packages are compiled once for tests, for the programs that tests start, for those of earlier commits and for a release.
export GOFLAGS := -trimpath -ldflags=-w
# Only the race detector needs cgo. With it, the standard library and all that imports it would be compiled a third time.
export CGO_ENABLED := 0
# Several at once: most tests wait for a disk, a process or a clock now and then, and what is installed comes over a network.
# On a busy machine, more of them get more of the processors.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += --jobs=$(if $(filter test,$(MAKECMDGOALS)),3,2)
endif
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
COUNTERS := tiktoken@$(ORACLE_VERSION) gpt-tokenizer@4.0.0 ai-tokenizer@1.0.6 js-tiktoken@1.0.21
ORACLE  := .cache/oracle
REFERENCE := $(ORACLE)/.installed-$(ORACLE_VERSION)
EDITORS := .cache/editors
VSCODE := .cache/vscode
DEPLOYMENT := .cache/deployment
WINE := .cache/wine
CONFORMANCE := .cache/conformance
EXTENSION := vscode-extension
PACKAGES := $(EXTENSION)/node_modules/.package-lock.json
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
DEADCODE := golang.org/x/tools/cmd/deadcode@v0.48.0

.PHONY: help proofs ccusage owed systems races scripts volume build demo test outside race plain integration announce harnesses reference stable conformance deployment editors vscode agents whole lint deadcode counts fuzz fuzz-corpus bench hookreplay proxyreplay savings share hosted authority worktrees hostile escapes taint forgotten poison crash defects powercut flips faults liveness environments strace screenshots matrix counters corpora extension release install uninstall archives windows clean

help: ## show the tasks
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build ctxledger, ctxmcp, ctxlsp and ctxhook into bin/
	$(GO) build -trimpath -ldflags='-s -w' -o bin/ ./cmd/...

# Programs and tests of the module in lab/ are named from the root: $(call run,lab/demo,FLAGS), $(call tests,FLAGS,PACKAGES).
run = $(LAB) build -C lab $(3) -o ../.cache/$(1) ./$(1:lab/%=%) && .cache/$(1) $(2)
formatted = @bad=$$(git ls-files -z '*.go' | xargs -0 gofmt -l) && test -z "$$bad" || { echo "$$bad"; echo 'gofmt these files'; exit 1; }
with_cgo = $(if $(filter -race,$(1)),CGO_ENABLED=1)
define tests
	$(if $(filter-out lab/%,$(2)),$(with_cgo) $(GO) test $(1) $(patsubst %,./%,$(filter-out lab/%,$(2))))
	$(if $(filter lab/%,$(2)),$(with_cgo) $(LAB) test -C lab $(1) $(patsubst lab/%,./%,$(filter lab/%,$(2))))
endef

demo: build ## the main job, from a recorded session to a summary and back
	@$(call run,lab/demo,-bin bin)

# make test: the product, and its programs from outside. It installs nothing but Go modules, and starts nothing of others.

# Of the product's packages, those in which goroutines meet most are tested under the race detector by make test; it makes compiling
# twice and tests five times as dear. make races, a proof, has all others under it, but the volume (-short) and ALONE, which read
# large texts in one goroutine or repeat at length what other tests do with several. In package tokens little meets but the workers
# of a pool, and the race detector makes comparisons a hundred times as slow: there it watches MEETING.
RACED := engine/daemon engine/core hosting lsp proxy servertools
ALONE := HoldsInReplay|TooLongIsCut|CutDocument|ReadThroughItsSession|LongSessionTheNewest|HostileNesting|LiveFileStaysSmall|EveryHandleReadsBack|ViewsOfARealSession|LargeResultsStand|PrefixesOfRandom|OfARecordedSession|StayValidWhere
MEETING := Many|Snapshots|Parallel|Goroutines
# Of these packages make test has a few long tests without the race detector.
ALONE_IN := engine/daemon lsp proxy servertools
ALONE_THERE := HostileGraphsStayBounded|NobodyAsksAboutRest|ServerHasTheTextOfTheEditor|WithoutARecordCopiesAreSent|GoesOnWithTheViewOfAnother|TakesThePlaceOfOldMessages|WhatCannotBeRecovered|StepsShowLess|ServersThatMisbehave|TestAProcessAsks$$|ReallyGoneAfterKills|AStormOfEvents
PLAIN = $(filter-out $(RACED),$(shell $(GO) list -f '{{slice .ImportPath 14}}' ./...))
# Harnesses of make integration: campaigns of kills, damage and faults, many processes, whatever needs strace. The longest
# come first, so that no processor is without work at the end.
HARNESSES := lab/sharetest lab/crashtest lab/liveness lab/authority lab/crashtest/damage lab/crashtest/powercut lab/crashtest/faults \
  lab/escapetest lab/poison lab/taint lab/environments lab/crashtest/cases lab/crashtest/script
# All else of lab/: the programs from outside, and the harnesses' own parts.
FACES = lab/e2e lab/ctxlsp lab/ctxledger $(filter-out lab/e2e lab/ctxlsp lab/ctxledger $(HARNESSES),$(shell $(LAB) list -C lab -f '{{slice .ImportPath 14}}' ./...))

# Most of the time, tests of the programs wait: they begin at once, and the others have the processors meanwhile.
test: outside race plain ## the product's tests, under the race detector where goroutines meet; nothing installed
	$(call formatted)

# What a harness builds and starts is no part of what go knows of a test: their results are not taken from the cache.
outside:
	$(call tests,-count=1 -p 3 -vet=off -timeout 20m -skip Real,$(FACES))

# A process under the race detector lingers for a second at its end; these tests end hundreds.
race races scripts: export GORACE := atexit_sleep_ms=0
race:
	$(call tests,-race -p 4 -vet=off -timeout 20m -skip '$(ALONE_THERE)',$(RACED))

plain:
	$(call tests,-p 4 -vet=off -timeout 20m,$(PLAIN))
	$(call tests,-p 4 -vet=off -timeout 20m -run '$(ALONE_THERE)',$(ALONE_IN))

# make integration: the same product with editors, a browser, coding agents and references. Each part installs what it needs
# and can be run alone. The longest come first; what two parts install, or want the lock of apt-get for, comes before all.

PARTS := harnesses vscode agents lint editors archives stable deployment reference extension
SECONDS_FILE := .cache/seconds
integration: strace $(CLAUDE) $(NODE) $(PACKAGES) ## with real editors, a browser, agents and references; harnesses and lint: each a part to be run alone
	@rm -f $(SECONDS_FILE) && $(MAKE) --no-print-directory ANNOUNCED=yes $(PARTS:%=part-%) && cat $(SECONDS_FILE)
part-%:
	@start=$$(date +%s); $(MAKE) --no-print-directory $* && echo "make $*: $$(($$(date +%s) - start)) s" >>$(SECONDS_FILE)

comma := ,
# What is missing of what the wanted parts install, with sizes on linux/amd64 as installed, comes before all that is installed.
WANTED = $(or $(filter $(PARTS),$(MAKECMDGOALS)),$(PARTS))
missing = $(if $(filter $(1),$(WANTED)),[ -e $(2) ] || command -v $(2) >/dev/null || printf '  %5s MB  %s\n' $(3) '$(4)';)
announce:
ifndef ANNOUNCED
	@mkdir -p .cache; list=$$( \
	  $(call missing,harnesses,strace,3,strace from Debian (apt-get as root or by sudo)) \
	  $(call missing,vscode,chromium,395,Chromium from Debian (apt-get as root or by sudo)) \
	  $(call missing,vscode,$(VSCODE)/.installed,550,VS Code for a browser from npm in $(VSCODE)) \
	  $(call missing,vscode agents,$(CLAUDE),250,Claude Code from npm in $(AGENTS)) \
	  $(call missing,agents,$(lastword $(ALL_AGENTS)),1350,four other coding agents and Node 22 from npm in $(AGENTS)) \
	  $(call missing,editors,$(EDITORS)/.installed,300,Neovim$(comma) Emacs$(comma) Helix and tmux from Debian$(comma) unpacked in $(EDITORS) (apt-get as root or by sudo)) \
	  $(call missing,stable,$(CONFORMANCE)/stable/.installed,120,packages of MCP$(comma) OpenAI and Anthropic from npm in $(CONFORMANCE)) \
	  $(call missing,deployment,$(DEPLOYMENT)/.installed,52,Caddy from Debian$(comma) unpacked$(comma) and linters in $(DEPLOYMENT) (apt-get as root or by sudo)) \
	  $(call missing,reference,$(REFERENCE),25,tiktoken from npm in $(ORACLE)) \
	  $(call missing,vscode agents extension,$(PACKAGES),165,packages of npm in $(EXTENSION)/node_modules)); \
	[ -z "$$list" ] || printf 'To be installed (make clean removes .cache and node_modules); all of it takes 2 to 4 minutes:\n%s\n' "$$list"
endif
strace $(ALL_AGENTS) $(NODE) $(REFERENCE) $(PACKAGES) $(EDITORS)/.installed $(VSCODE)/.installed $(DEPLOYMENT)/.installed $(CONFORMANCE)/stable/.installed: | announce

harnesses: strace ## kills, power cuts, damage, faults, swaps, hostile texts, secrets, many processes: a short run of each (make proofs runs them at full size)
	$(call tests,-count=1 -p 3 -vet=off -timeout 20m -short -skip UnderTheRaceDetector,$(HARNESSES))

# Of tests with real programs, CI has those that go a whole way: the windows of VS Code that most is seen in, each agent from its
# installation to what it records, and each archive. make whole, a proof, has all of them.
IN_VSCODE := InsideTheRealExtensionHost|WhatAPersonSees
OF_AGENTS := VariableNames|OfTheMakefile/(claude|codex)|FollowsTheScript|RealAgentsReachTheLedger|RealCodexGoesOn|BehindTheProxy/codex|LoadsThePlugin|ReadsLessAndLosesNothing|FirstAnswerOfTheRealAgent|GoesOnFromACompactedSession|FollowedWithoutInstallation|DoesNotNoticeAnOverflow|AgentAreGivenTheirContext|RealBundleOfTheDesktopStarts
OF_A_RELEASE := RealRelease/(reproducible|parts|archive|npm|checkout|go)
whole: ## all tests with the real VS Code, real agents and release archives (make integration runs some of them)
	$(MAKE) IN_VSCODE=Real OF_AGENTS=Real OF_A_RELEASE=Real vscode agents archives
	CTXLEDGER_AGENTS=$(CURDIR)/$(AGENTS) $(LAB) test -C lab -count=1 -timeout 20m -run Real ./savings

vscode: export CTXLEDGER_AGENTS := $(CURDIR)/$(AGENTS)
vscode: export CTXLEDGER_VSCODE := $(CURDIR)/$(VSCODE)
vscode: $(VSCODE)/.installed $(CLAUDE) $(PACKAGES) ## the extension in a real VS Code in a browser, beside a real Claude Code
	$(call tests,-count=1 -vet=off -timeout 20m -run '$(IN_VSCODE)',lab/vscodetest)

agents: export CTXLEDGER_AGENTS := $(CURDIR)/$(AGENTS)
agents: $(ALL_AGENTS) $(PACKAGES) ## five real coding agents and a scripted model: hooks, tools, sessions, packages
	$(call tests,-count=1 -p 2 -vet=off -timeout 20m -run '$(OF_AGENTS)',lab/e2e lab/agentmatrix lab/scriptedmodel)

editors: export CTXLEDGER_EDITORS := $(CURDIR)/$(EDITORS)
editors: $(EDITORS)/.installed ## the language server with real Neovim, Emacs, Helix and the client library of VS Code
	$(call tests,-count=1 -vet=off -timeout 20m -run Real,lab/ctxlsp)

# A fortieth of the standard library is compared here, all of it by make counts.
reference: export CTXLEDGER_ORACLE := $(CURDIR)/$(ORACLE)
reference: $(REFERENCE) ## counts of tokens compared with npm tiktoken, with and without assembly
	$(GO) test -vet=off -timeout 20m -run 'Oracle|Published|BothForms' ./tokens
	$(GO) test -vet=off -timeout 20m -tags purego -run Oracle -skip 'LongPieces|LateTokens|RankOracles//(LongPieces|Corpora|Source)' ./tokens

$(CONFORMANCE)/stable/.installed: npm := @modelcontextprotocol/conformance@0.1.16 @modelcontextprotocol/sdk@1.32.2 openai@7.59.0 @anthropic-ai/sdk@1.14.0
$(CONFORMANCE)/newest/.installed: npm := @modelcontextprotocol/conformance@0.2.0-alpha.12
$(CONFORMANCE)/%/.installed:
	rm -rf $(@D) && mkdir -p $(@D)
	npm i --prefix $(@D) --no-audit --no-fund $(npm)
	touch $@
stable conformance: export CTXLEDGER_CONFORMANCE := $(CURDIR)/$(CONFORMANCE)
# The suites need a newer Node than 20.
with_node = PATH="$$(echo $(CURDIR)/$(NODE_BIN)):$$PATH"
stable: $(CONFORMANCE)/stable/.installed $(NODE) ## MCP's stable suite and its JavaScript client against ctxmcp, and the examples of hosting
	$(with_node) $(LAB) test -C lab -count=1 -vet=off -timeout 10m -run Real -skip Conformance/newest ./conformance
conformance: $(CONFORMANCE)/stable/.installed $(CONFORMANCE)/newest/.installed $(NODE) ## the same, and the newest suite
	$(with_node) $(LAB) test -C lab -count=1 -vet=off -timeout 10m -run Real ./conformance

$(DEPLOYMENT)/.installed: lab/deployment/testdata/install.sh
	rm -rf $(@D) && mkdir -p $(@D)
	GO='$(GO)' sh $< $(@D)
	touch $@
deployment: export CTXLEDGER_DEPLOYMENT := $(CURDIR)/$(DEPLOYMENT)
deployment: $(DEPLOYMENT)/.installed strace ## image, compose file, proxy and unit of deploy/: linted, and run as processes
	$(call tests,-count=1 -vet=off -timeout 10m -run Real,lab/deployment)

extension: $(PACKAGES) ## the VS Code extension: types, unit tests, bundle
	cd $(EXTENSION) && npm run --silent check && npm test --silent && npm run --silent build
$(PACKAGES): $(EXTENSION)/package-lock.json
	cd $(EXTENSION) && npm ci --ignore-scripts --no-audit --no-fund
	touch $@

release: extension ## archives, packages of npm and VS Code, plugin of Claude Code, bundle of Claude Desktop, a list of components, and checksums, into dist/
	@$(call run,lab/release,dist)
	sh $(EXTENSION)/scripts/release.sh $(CURDIR)/dist
	@.cache/lab/release -sums dist

PREFIX ?= /usr/local
install: ## the programs and completions for shells into PREFIX (/usr/local), below DESTDIR
	@$(call run,lab/release,-install '$(DESTDIR)$(PREFIX)')
uninstall: ## remove what make install has put there
	@$(call run,lab/release,-uninstall '$(DESTDIR)$(PREFIX)')

archives: ## a release built twice, and installed in each way in an empty home: used, upgraded, removed
	$(call tests,-count=1 -vet=off -timeout 10m -run '$(OF_A_RELEASE)',lab/release)

# "<" is listed and reached, ">" is neither. deadcode reads the packages of one system, as go build does.
deadcode: ## functions that no program reaches, but for those that internal/archtest/deadcode.txt lists with a reason
	@mkdir -p .cache && $(GO) run $(DEADCODE) -f '{{$$p := .Path}}{{range .Funcs}}{{$$p}}.{{.Name}}{{"\n"}}{{end}}' ./cmd/... >.cache/unreachable
	@LC_ALL=C sort -o .cache/unreachable .cache/unreachable && sed -n 's/^\(ctxledger[^ ]*\) .*/\1/p' internal/archtest/deadcode.txt | LC_ALL=C sort | \
	  diff - .cache/unreachable || { echo 'delete what is unreachable, or list it with its reason in internal/archtest/deadcode.txt'; exit 1; }

# Both read from lab/, which has the product among its dependencies: so each looks at all of it once. vet reads source, which is
# most of its work. For Windows it looks at files of Windows alone, and compiles the programs in memory; all else for Windows, and
# macOS, are in make systems, a proof.
lint: deadcode ## formatting, vet for two systems, static analysis, unreachable functions
	$(call formatted)
	$(LAB) build -C lab -o ../.cache/ ./vet
	$(GO) mod tidy -diff
	cd lab && $(GO) mod tidy -diff && $(LAB) run $(STATICCHECK) ctxledger.dev/...
	cd lab && ../.cache/vet ctxledger.dev/...
	GOOS=windows .cache/vet ./cmd/... $(sort $(addprefix ./,$(dir $(shell git ls-files '*_windows.go'))))

counts: export CTXLEDGER_ORACLE := $(CURDIR)/$(ORACLE)
counts: $(REFERENCE) ## every file of the standard library, and all else there is to compare, counted as npm tiktoken does, with and without assembly
	$(GO) test -count=1 -timeout 60m -v -run 'Oracle|EveryWay' ./tokens -whole
	$(GO) test -count=1 -timeout 60m -v -tags purego -run 'TestOracleOnTheStandardLibrary' ./tokens -whole

FUZZTIME ?= 10s
STRINGS ?= 1000000
fuzz: export CTXLEDGER_ORACLE := $(CURDIR)/$(ORACLE)
fuzz: $(REFERENCE) ## every fuzz target for FUZZTIME (default 10s) or TOTAL (as 2h) divided among them, STRINGS random strings against npm tiktoken
	$(GO) test -count=1 -timeout 60m -v -run '^TestOracleOnRandomStrings' ./tokens -strings $(STRINGS) -seed $(SEED)
	$(GO) test -count=1 -timeout 60m -v -tags purego -run '^TestOracleOnRandomStrings' ./tokens -strings $(STRINGS) -seed $(SEED)
	$(call run,lab/fuzzrun,-time $(FUZZTIME) $(if $(TOTAL),-total $(TOTAL)) $(ONLY))

fuzz-corpus: ## select inputs that fuzzing found into testdata/fuzz, a few for each target
	$(call run,lab/fuzzrun,-corpus $(ONLY))

bench: build counters corpora ## the figures of docs/maintainers/benchmarks.md
	$(call run,lab/benchmark,-bin bin $(ARGS))

hookreplay: ## what hooks save and cost in recorded sessions of Claude Code: ARGS="DIR…"
	$(call run,lab/hookreplay,$(ARGS))

proxyreplay: ## what the proxy saves and costs in recorded sessions of Claude Code: ARGS="DIR…"
	$(call run,lab/proxyreplay,$(ARGS))

savings: build $(CLAUDE) ## what installing saves and costs in two scripted sessions of the real Claude Code, one heavy in repeats and one without
	$(call run,lab/savings,-bin bin $(ARGS))

share: ## many processes at one ledger, at length: a million operations, a kill every 0.5 to 5 s, 1,000 starts and stops
	$(LAB) test -C lab -count=1 -timeout 60m -v -run 'Linearizable|StartAndStop|TwoVersions' ./sharetest -operations 1000000 -every 5s -cycles 500

SERVERS ?= 200
hosted: ## kill SERVERS hosting servers (default 200), one every second, under programs of several workspaces that know every answer, from SEED
	$(LAB) test -C lab -count=1 -timeout 60m -v -run AcknowledgedOverHTTP ./ctxmcp -kills $(SERVERS) -kill-every 1s -seed $(SEED)

CONFIGURATIONS ?= 200
authority: strace ## everything that is offered, over CONFIGURATIONS generated configurations of a hostile repository from SEED, under strace
	$(LAB) test -C lab -count=1 -timeout 60m -v ./authority -configurations $(CONFIGURATIONS) -seed $(SEED)

# One after the other, whatever MAKEFLAGS say: each wants the machine for itself.
PROOFS := systems windows whole races scripts volume crash powercut flips faults defects hostile share hosted escapes worktrees liveness environments authority taint forgotten owed poison matrix ccusage counts fuzz
proofs: ## every harness behind docs/maintainers/benchmarks.md, for hours
	@for p in $(PROOFS); do $(MAKE) --jobs=1 $$p || exit 1; done

systems: ## vet for the other systems: of the product, of which make lint has the programs for Windows, and of lab/
	$(LAB) build -C lab -o ../.cache/ ./vet
	cd lab && for system in darwin windows; do export GOOS=$$system; ../.cache/vet $$($(GO) list ctxledger.dev/... | grep -v scriptedmodel) || exit 1; done

# Wine is no part of make integration: it takes 1.5 GB, and minutes to build the programs for Windows.
$(WINE)/.installed: lab/e2e/testdata/install_wine.sh
	rm -rf $(@D) && mkdir -p $(@D)
	sh $< $(@D)
	touch $@
windows: export CTXLEDGER_WINE := $(CURDIR)/$(WINE)
windows: $(WINE)/.installed ## the programs for Windows, under wine: count, audit, import, the daemon, MCP over stdio
	$(call tests,-count=1 -vet=off -timeout 20m -run RealProgramsForWindows,lab/e2e)

races: strace ## what CI runs without the race detector, under it: tests, and harnesses in which many processes and goroutines meet
	$(call tests,-race -count=1 -vet=off -timeout 60m -run '$(ALONE_THERE)',$(ALONE_IN))
	$(call tests,-race -count=1 -vet=off -short -timeout 60m -skip '$(ALONE)',$(filter-out tokens,$(PLAIN)))
	$(call tests,-race -count=1 -vet=off -short -timeout 60m -run '$(MEETING)',tokens)
	$(call tests,-race -count=1 -vet=off -timeout 60m -skip Real,lab/scriptedmodel lab/escapetest)
	$(call tests,-race -count=1 -vet=off -timeout 60m -run 'UnderTheRaceDetector|Linearizable',lab/crashtest lab/sharetest)

scripts: ## every script of the command line, under the race detector
	$(call tests,-race -count=1 -timeout 60m,lab/ctxledger)

KILLS ?= 20000
crash: ## kill KILLS owners (default 20,000), from SEED
	$(call run,lab/crashtest/crash,-kills $(KILLS) $(if $(SEED),-seed $(SEED)),-tags failpoints)
	$(GO) test -count=1 -timeout 60m -v -run ReallyGoneAfterKills ./engine/daemon -kills 100

defects: ## the seeded defects, and how long the harnesses take to catch them
	$(LAB) test -C lab -count=1 -timeout 30m -v -run 'TestSeeded' ./crashtest/...

worktrees: ## the sessions of worktrees, subdirectories, clones and submodules, owners started from every place
	$(LAB) test -C lab -count=1 -timeout 60m -v -run WorktreeMatrix ./ctxledger -worktrees

poison: ## every hostile text of the corpus at every place and through every exit
	$(LAB) test -C lab -count=1 -timeout 60m -v -run 'Poison' ./poison -whole

hostile: ## a million malformed messages between calls of the MCP server, and of the language server; ten thousand sequences of edits; every path to every command
	$(GO) test -count=1 -timeout 60m -v -run 'TheServerHasTheText' ./lsp -sequences 10000
	$(LAB) test -C lab -count=1 -timeout 60m -v -run Generated ./ctxmcp ./ctxlsp -messages 1000000
	$(LAB) test -C lab -count=1 -timeout 60m -v -run EveryPathIsTakenOrNamed ./e2e -paths

SWAPS ?= 1000000
escapes: ## SWAPS swaps (default 1,000,000) of what lies at the paths that are read and written, from SEED
	$(LAB) test -C lab -count=1 -timeout 60m -v ./escapetest -swaps $(SWAPS) -seed $(SEED)

ROUNDS ?= 1000
WATCHED ?= 20
forgotten: ## ROUNDS times (default 1,000) words planted everywhere, kills, forgetting, the raw bytes searched; WATCHED of them watched for 20 s
	$(LAB) test -C lab -count=1 -timeout 120m -v ./forgotten -rounds $(ROUNDS) -watched $(WATCHED) -watch 20s -seed $(SEED)

owed: ## 500 compactions and starts with hooks and daemons that are killed, files up to 60 MB, at a load of 12: what is owed arrives
	$(LAB) test -C lab -count=1 -timeout 60m -v -run TestNothingOwedIsLost ./e2e -owed 500 -owed-load 12 -owed-seed $(SEED) \
	  -owed-sizes 60,0.3,0.3,0.3,0.3,0.3,0.3,0.3,0.3,0.3,31,0.3,0.3,0.3,0.3,0.3,0.3,0.3,0.3,0.3

taint: ## a thousand secrets in every field of sessions, and every exit searched for pieces of them
	$(LAB) test -C lab -count=1 -timeout 60m -v -run 'NothingLeaves|Table' ./taint -canaries 1000 -seed $(SEED)

# Assembly classifies characters: what merges is the same code without it, and is not tested twice.
volume: ## all random cases of properties of which make test has a fifth; tokens without assembly, of which make reference has some
	$(GO) test -count=1 -timeout 60m -vet=off -tags purego -skip 'LongPieces|LateTokens|EveryWay|Merge|Merging' ./tokens
	$(GO) test -count=1 -timeout 60m -v -vet=off ./engine ./window -whole

SEED ?= 1
IMAGES ?= 60000
powercut: strace ## IMAGES power-cut images from SEED
	$(LAB) test -C lab -count=1 -timeout 60m -v -run 'PowerCut' ./crashtest/powercut -images $(IMAGES) -seed $(SEED)

COUNT ?= 20000
flips: ## COUNT flipped bytes and a fifth as many larger damages, from SEED
	$(LAB) test -C lab -count=1 -timeout 60m -v -run 'Damage|Misdirected|Repair' ./crashtest/damage -flips $(COUNT) -wrecks $$(($(COUNT) / 5)) -seed $(SEED)

faults: strace ## every system call of a scripted session fails once
	$(LAB) test -C lab -count=1 -timeout 120m -v ./crashtest/faults -points 0

liveness: strace ## each background task of an owner is held inside a system call
	$(LAB) test -C lab -count=1 -timeout 20m -v ./liveness -every

environments: ## the product's tests and the built programs without a home, under other umasks, limits, users and languages, beside busy processes
	$(call run,lab/environments,-short $(ARGS))

strace:
	@if [ "$$(uname)" = Linux ] && ! command -v strace >/dev/null; then \
	  as_root=$$([ "$$(id -u)" = 0 ] || echo sudo); $$as_root apt-get update -qq && $$as_root apt-get install -y -qq strace; \
	fi

$(EDITORS)/.installed: lab/ctxlsp/testdata/install_editors.sh
	rm -rf $(@D) && mkdir -p $(@D)
	sh $< $(@D)
	touch $@

INSTALL_VSCODE := $(addprefix lab/vscodetest/testdata/,install.sh spdlog.js)
$(VSCODE)/.installed: $(INSTALL_VSCODE)
	rm -rf $(@D) && mkdir -p $(@D)
	sh $< $(@D)
	touch $@

screenshots: export CTXLEDGER_EDITORS := $(CURDIR)/$(EDITORS)
screenshots: export CTXLEDGER_VSCODE := $(CURDIR)/$(VSCODE)
screenshots: $(EDITORS)/.installed $(VSCODE)/.installed extension ## take pictures of every editor into .cache/screenshots, of VS Code in light, dark and high contrast, and those of the extension's page
	rm -rf .cache/screenshots
	$(LAB) test -C lab -count=1 -run DocumentedConfigurations ./ctxlsp -screenshots $(CURDIR)/.cache/screenshots/terminal
	NODE_PATH=$(VSCODE)/node_modules CHROMIUM=$$(command -v chromium) \
	  node lab/vscodetest/testdata/terminal.cjs .cache/screenshots/terminal $(VSCODE)/node_modules
	$(LAB) test -C lab -count=1 -timeout 60m -run Screenshots ./vscodetest -screenshots $(CURDIR)/.cache/screenshots
	@/usr/bin/python3 -c 'import PIL' 2>/dev/null || { as_root=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	  $$as_root apt-get update -qq && $$as_root apt-get install -y -qq --no-install-recommends python3-pil; }
	/usr/bin/python3 lab/vscodetest/testdata/page.py .cache/screenshots/page $(EXTENSION)/media

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
matrix: $(ALL_AGENTS) ## what the models of five coding agents read of our tools, anew (ARGS=-update: write it down)
	$(LAB) test -C lab -count=1 -timeout 20m -v ./agentmatrix -whole $(ARGS)

# ccusage is run as it comes from npm, without its wrapper.
CCUSAGE_VERSION := 20.0.24
CCUSAGE := .cache/ccusage/node_modules/@ccusage/ccusage-linux-x64/bin/ccusage
ccusage: $(CCUSAGE) ## the audit of recorded sessions and cases compared with ccusage, to the cent
	CTXLEDGER_CCUSAGE=$(CURDIR)/$(CCUSAGE) $(GO) test -count=1 -v -run TestRealAudit ./agents/audit
$(CCUSAGE):
	npm install --no-audit --no-fund --prefix .cache/ccusage @ccusage/ccusage-linux-x64@$(CCUSAGE_VERSION)
	chmod +x $@

$(REFERENCE):
	mkdir -p $(ORACLE)
	cd $(ORACLE) && npm init -y >/dev/null && npm install --no-audit --no-fund tiktoken@$(ORACLE_VERSION)
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
