package archtest

// layers maps packages, or with a trailing /... whole subtrees, to their layer. A package may import
// packages of a lower layer. The most specific line counts.
var layers = map[string]int{
	"cmd/...":                6,
	"mcp/...":                4,
	"mcp/overhead":           0, // constants
	"lsp/...":                4,
	"cli/...":                5,
	"cli/columns":            1,
	"agents":                 4,
	"agents/audit":           4,
	"agents/hook":            4,
	"agents/resume":          4,
	"agents/...":             3,
	"llm/...":                4,
	"proxy/...":              4,
	"ledger":                 3, // the contract: faces know it, not the engine
	"engine/...":             4,
	"trust":                  3,
	"servertools/...":        4,
	"transcript/...":         2,
	"sessions/...":           2,
	"window/...":             2,
	"compaction/...":         2,
	"retention/...":          2,
	"intents/...":            2,
	"changes/...":            2,
	"artifacts/...":          2,
	"memory/...":             2,
	"config/...":             2,
	"workspace/...":          2,
	"report/...":             2,
	"carried/...":            3,
	"kv/...":                 1,
	"kv/held":                0, // who looks for an owner asks there, without a store
	"kv/stores":              2, // names every store
	"tokens/...":             1,
	"internal/...":           0,
	"internal/wiring":        6, // what the programs share
	"lab/...":                7, // programs and tests from outside, in a module of their own
	"lab/e2e/...":            7, // tests of the whole product from outside
	"lab/demo/...":           8, // drives the built binaries
	"lab/benchmark/...":      8, // measures the product from outside
	"lab/calibration":        8, // measures estimates on session files
	"lab/commandline":        6, // calls commands as their help says
	"lab/shown":              6, // the session of documents and pictures
	"lab/sandbox":            6, // runs the programs for demo, benchmark and e2e
	"lab/crashtest":          7, // kills owners and compares what is left
	"lab/crashtest/crash":    8, // its program, which is the owner as well
	"lab/crashtest/script":   7, // what the harnesses below play and compare
	"lab/crashtest/powercut": 8, // examines what a cut of the power leaves
	"lab/crashtest/damage":   8, // examines what damaged files answer
	"lab/crashtest/faults":   8, // makes system calls fail
	"lab/crashtest/subject":  9, // the program that these drive
	"lab/sharetest":          7, // many processes at one ledger
	"internal/testonly/...":  7, // no product code imports it: conversations in every format, an editor
	"internal/storetest/...": 7, // stores for tests, and what they must do
	"lab/poison":             7, // hostile texts through every way in and out
	"lab/vscodetest":         7, // the extension in a real VS Code
	"lab/escapetest":         7, // swaps the files at the paths that the product opens
	"internal/archtest":      7,
	"lab/authority":          7, // the built programs from outside
	"lab/installed":          0, // programs that are not ours
	"lab/wayback":            0, // what Claude Code has where stubs are shown
	"lab/scriptedmodel/...":  0,
}

// storeless lists the subtrees that link neither the engine nor a store, through any import.
var storeless = []string{"mcp", "lsp", "agents", "llm", "proxy", "servertools", "ledger"}

// light lists what the programs that start for every hook, command and window do not link, with the reason.
var light = []struct {
	program string
	without []string // modules and packages with all that is below them
	why     string
}{
	{"cmd/ctxledger", []string{"github.com/mark3labs/mcp-go", "github.com/santhosh-tekuri/jsonschema",
		"github.com/google/jsonschema-go"}, "its start took 10 ms longer"},
	{"cmd/ctxlsp", []string{"github.com/mark3labs/mcp-go", "github.com/santhosh-tekuri/jsonschema",
		"github.com/google/jsonschema-go"}, "its start took 10 ms longer"},
	{"cmd/ctxhook", []string{"github.com", "go.etcd.io", "charm.land", "go.yaml.in", "golang.org/x", "net/http",
		"ctxledger.dev/agents", "ctxledger.dev/config", "ctxledger.dev/engine/core", "ctxledger.dev/ledger",
		"ctxledger.dev/tokens", "ctxledger.dev/kv/bolt", "ctxledger.dev/kv/stores", "ctxledger.dev/cli/pages"},
		"an agent waits for each of its calls, and the daemon answers them"},
}

// sideways lists the imports inside one layer that are allowed, with the reason.
var sideways = map[[2]string]string{
	{"lsp", "lsp/agentfile"}:                     "what is shown of agent files is told there",
	{"lsp/agentfile", "lsp/anyfile"}:             "with the shares of a window that other files have",
	{"trust", "carried"}:                         "which program a server is, its configuration says",
	{"lsp", "servertools/asking"}:                "a person has a server asked for its tools",
	{"servertools", "servertools/asking"}:        "what is asked and answered is told there",
	{"carried", "ledger"}:                        "how often servers and skills are used is counted in recorded sessions",
	{"carried", "carried/library"}:               "what a hook lists when a session begins is told there",
	{"carried", "agents/claudecode"}:             "where Claude Code keeps its own memory of a project is told there",
	{"mcp", "mcp/overhead"}:                      "a test holds the constant against what is sent",
	{"tokens/filecount", "tokens"}:               "files are counted with it",
	{"sessions", "transcript"}:                   "an entry says where in its original a message of which format stands",
	{"window", "transcript"}:                     "a view is made of messages",
	{"window", "sessions"}:                       "a view is folded from the headers of the log",
	{"window/overflow", "transcript"}:            "a request is trimmed by editing its messages",
	{"window", "compaction/settings"}:            "what a compaction keeps is a part of the policy",
	{"compaction", "compaction/settings"}:        "what stays, and what a model is asked for, is told there",
	{"config", "compaction/settings"}:            "a configuration names sections of a summary, and what a compaction keeps",
	{"compaction/feedback", "compaction/layout"}: "rules are parts of a text, and quoted whole",
	{"config", "window"}:                         "a policy is read where the configuration is; the same fields twice would be a second way to say it",
	{"window", "intents"}:                        "operations are spelled there",
	{"compaction/shellcmd", "intents"}:           "what no success prints is told there",
	{"compaction", "compaction/shellcmd"}:        "a document lists commands by what they are run for, and what is committed",
	{"compaction/feedback", "intents"}:           "tools are named as the operations name them",
	{"compaction/tasklist", "intents"}:           "which calls write a file, and what, is told there",
	{"compaction", "compaction/layout"}:          "a document is laid out and taken apart there",
	{"compaction", "compaction/feedback"}:        "a refusal is a rule, not a failure",
	{"compaction", "compaction/statements"}:      "a document quotes the agent's sentences",
	{"compaction", "compaction/tasklist"}:        "a document has the newest task list",
	{"compaction", "compaction/effects"}:         "a document lists files by what edits did to them",
	{"compaction", "intents"}:                    "a document lists what calls meant to do, and operations are spelled there",
	{"compaction", "transcript"}:                 "a summary is a message",
	{"compaction", "sessions"}:                   "a summary is made from the headers of the log",
	{"engine", "engine/core"}:                    "the engine composes its parts",
	{"engine", "engine/files"}:                   "the engine composes its parts",
	{"engine", "engine/views"}:                   "the engine composes its parts",
	{"engine", "engine/upkeep"}:                  "the engine composes its parts",
	{"engine/core", "engine/attribution"}:        "what calls do to files is recorded with their messages",
	{"engine/files", "engine/core"}:              "built on the open ledger",
	{"engine/files", "engine/attribution"}:       "observed changes are attributed to calls",
	{"engine/views", "engine/core"}:              "built on the open ledger",
	{"engine/upkeep", "engine/core"}:             "built on the open ledger",
	{"engine/upkeep", "engine/temporary"}:        "gc removes what was left, and a backup is noted there",
	{"engine/daemon", "engine/temporary"}:        "checks and repairs have their copies there",
	{"engine/replay", "engine/temporary"}:        "a session is played into a ledger that is made there",
	{"engine", "engine/temporary"}:               "an owner removes what killed processes left",
	{"engine/upkeep", "engine/attribution"}:      "an audit of each of its buckets",
	{"engine/upkeep", "engine/views"}:            "an audit of each of its buckets",
	{"engine/daemon", "engine/upkeep"}:           "checks and repairs run in a process of their own",
	{"engine/exports", "engine"}:                 "exports are read through the engine's API",
	{"engine/daemon", "engine"}:                  "the daemon serves the engine's API",
	{"engine/daemon", "engine/daemon/link"}:      "clients reach the owner through it, and its files are written for it",
	{"engine/daemon", "engine/daemon/wire"}:      "what both sides send is told there",
	{"engine/daemon/link", "engine/daemon/wire"}: "what both sides send is told there",
	{"engine/calibrate", "engine"}:               "sessions are measured through the engine's API",
	{"engine/observe", "engine"}:                 "the observer hands in what it sees through the engine's API",
	{"engine/replay", "engine"}:                  "sessions are played through the engine's API",
	{"compaction/lost", "compaction/layout"}:     "documents are taken apart there, and what is lost has the form of one",
	{"compaction/lost", "compaction/shellcmd"}:   "failing checks matter more than other commands",
	{"compaction/lost", "retention"}:             "what a summary keeps is measured there",
	{"retention", "transcript"}:                  "what is measured stands in messages",
	{"retention", "intents"}:                     "what calls mean tells edits and commands from the rest",
	{"cli", "agents"}:                            "the commands import the session files that agents know",
	{"cli", "llm"}:                               "the command line asks models with the user's credentials",
	{"agents/install", "agents/claudecode"}:      "where Claude Code keeps its configuration is told there",
	{"agents/...", "agents/sessionfile"}:         "lines are decoded into its records",
	{"kv/bolt", "kv/internal/blobfile"}:          "blobs are framed the same on every backend",
	{"cmd/...", "internal/wiring"}:               "the programs share their wiring",
	{"kv/...", "kv"}:                             "what is below it is for its stores",

	{"lsp", "lsp/text"}:            "a document has a text",
	{"lsp", "lsp/outline"}:         "the editor says which language it is",
	{"lsp", "lsp/anyfile"}:         "the kind of document there is",
	{"lsp/anyfile", "lsp/text"}:    "a document has a text",
	{"lsp/anyfile", "lsp/outline"}: "a document has sections",
	{"lsp/anyfile", "lsp/live"}:    "what the live session did is shown with the document",
	{"lsp/outline", "lsp/text"}:    "sections are parts of a text",
	{"lsp", "lsp/configfile"}:      "a configuration is a document, too",
	{"cli", "cli/hooking"}:         "hooks are answered there",
	{"cli", "compaction/quote"}:    "turns are printed as a document prints them",
	{"cli", "cli/pages"}:           "windows, the status, what requests carry, audits and trees are drawn there",
	{"lsp", "lsp/live"}:            "the server follows the live session",
	{"lsp", "lsp/records"}:         "the server shows what the ledger holds",

	{"agents/hook", "agents/claudecode/hooks"}: "it answers the hooks of Claude Code",
	{"proxy/launch", "proxy"}:                  "the variables of an agent are told there",
	{"cli", "agents/audit"}:                    "the audit reads session files without a ledger",
	{"cli", "agents/resume"}:                   "sessions are written there",
	{"agents/resume", "agents"}:                "the table of the agents for which sessions are written",
	{"agents/audit", "agents"}:                 "the table of the agents, and sessions read whole",
}

// importers says which packages alone may import a third-party module, and why it is there.
var importers = map[string]struct {
	packages []string
	why      string
}{
	"go.etcd.io/bbolt": {[]string{"kv/bolt", "kv/held", "lab/benchmark"},
		"the embedded store, its lock on Windows, and the bare store to compare it with"},
	"github.com/klauspost/compress": {[]string{"kv/internal/blobfile", "agents/sessionfile"},
		"zstd frames of blobs, and session files that an agent has compressed"},
	"github.com/mark3labs/mcp-go": {[]string{"mcp", "servertools", "lab/sandbox", "lab/benchmark"},
		"the MCP server, the client that asks other servers, and clients that drive it from outside"},
	"go.lsp.dev/protocol":          {[]string{"lsp"}, "the types of the language server protocol"},
	"go.lsp.dev/jsonrpc2":          {[]string{"lsp"}, "calls in both directions"},
	"go.lsp.dev/uri":               {[]string{"lsp"}, "addresses of documents"},
	"github.com/fsnotify/fsnotify": {[]string{"changes/watch"}, "file events"},
	"github.com/spf13/cobra":       {[]string{"cli"}, "the command line"},
	"github.com/spf13/pflag":       {[]string{"cli"}, "its options: the part of cobra in which commands declare them"},
	"charm.land/lipgloss/v2":       {[]string{"cli", "cli/columns"}, "tables and colours"},
	"github.com/tailscale/hujson": {[]string{"internal/confedit"},
		"where values are in JSON with comments and trailing commas, which agents' configurations have"},
	"github.com/pelletier/go-toml/v2": {[]string{"internal/confedit"},
		"TOML 1.0 with positions of tables; no dependency of its own, and it is fuzzed and kept since 2013"},
	"github.com/charmbracelet/x/term": {[]string{"cli", "trust"},
		"the width of the terminal, and whether a person sits at one; lipgloss brings it along"},
	"go.yaml.in/yaml/v3":                {[]string{"internal/yamldoc"}, "YAML"},
	"github.com/rogpeppe/go-internal":   {nil, "test scripts"},
	"golang.org/x/net":                  {[]string{"lab/poison"}, "the tokens of HTML, of pages under test"},
	"github.com/google/go-cmp":          {nil, "comparisons in tests"},
	"github.com/anishathalye/porcupine": {nil, "linearizability of histories in tests"},
	"golang.org/x/sys": {[]string{"tokens", "internal/terminaltest", "internal/process", "trust", "agents/install"},
		"what the processor can do; terminals for tests; what the kernel of macOS says of a process; what was typed " +
			"before a question; exchanging two files"},
	"pgregory.net/rapid": {[]string{"internal/storetest/kvtest"}, "properties in tests"},
	"go.uber.org/goleak": {[]string{"internal/storetest/kvtest"}, "goroutine leaks in tests"},
	"golang.org/x/text":  {[]string{"internal/words"}, "NFKC and case folding of what is searched by words"},
	"golang.org/x/tools": {[]string{"lab/vet"}, "the checks of go vet, without compiling for each system"},
}

// restricted lists what only some packages may use, because it reaches out of the process or
// makes results depend on the moment.
var restricted = []struct {
	use      string   // import path, or import path and name
	packages []string // subtrees that may
	why      string
}{
	{"net", []string{"engine/daemon", "llm", "proxy", "lab/scriptedmodel", "lab/benchmark"},
		"only the daemon and a proxy that a person starts open sockets; clients of models bound how long they dial"},
	{"net/http", []string{"llm", "proxy", "servertools", "lab/scriptedmodel", "lab/benchmark"},
		"only model clients call anybody, when a mode with a model is asked for, a proxy for an agent, and MCP servers that " +
			"a person has asked"},
	{"os/exec",
		[]string{"engine/daemon", "llm", "servertools", "proxy/launch", "internal/process", "internal/limittest",
			"lab/scriptedmodel",
			"lab/benchmark", "lab/sandbox", "lab/crashtest", "lab/fuzzrun", "lab/programtest", "lab/environments"},
		"the daemon starts itself; a summarizer or an MCP server may be a program; tests run programs"},
	{"unsafe", []string{"tokens"}, "one conversion, of a string that is counted"},
	{"reflect", nil, "plain values"},
	{"time.Now", []string{"internal/env", "lab/demo", "lab/benchmark", "lab/fuzzrun"}, "the clock comes from env"},
	{"time.Since", []string{"lab/demo", "lab/benchmark", "lab/fuzzrun"}, "the clock comes from env"},
	{"os.Getenv", []string{"internal/env"}, "the environment comes from env"},
	{"os.LookupEnv", nil, "the environment comes from env, where a test sees what is read"},
	{"os.Environ", nil, "the environment comes from env, where a test sees what is read"},
	{"os.ExpandEnv", nil, "the environment comes from env, where a test sees what is read"},
	{"syscall.Getenv", nil, "the environment comes from env, where a test sees what is read"},
	{"os.StartProcess", nil, "programs are run by os/exec, in the packages above"},
	{"syscall.Exec", nil, "programs are run by os/exec, in the packages above"},
	{"ctxledger.dev/llm.New", []string{"cli", "internal/wiring"},
		"a model is asked by a compaction that a person or an agent wants, with what package trust approves"},
	{"ctxledger.dev/servertools", []string{"cmd/ctxmcp"}, "it links the client of MCP, which costs each start 10 ms"},
	{"ctxledger.dev/servertools/asking.Ask", []string{"cmd/ctxledger", "cmd/ctxlsp"},
		"a server is asked when a person says so, having seen its command"},
	{"ctxledger.dev/trust.ApproveServer", []string{"cli", "lsp", "servertools"},
		"a person has seen what it approves, or its digest is compared with that"},
	{"ctxledger.dev/trust.ConfirmServer", []string{"cli"}, "a person is asked at a terminal alone: servers ask nobody"},
	{"ctxledger.dev/trust.Confirm", []string{"cli"}, "a person is asked at a terminal alone: servers ask nobody"},
	{"os.MkdirTemp", []string{"engine/temporary", "lab"},
		"copies of content are made where the next owner, gc and forget remove what a killed process left"},
	{"os.CreateTemp", []string{"internal/privatefile"},
		"as os.MkdirTemp; this one lies beside the private file that it becomes a moment later"},
	{"os.Getwd", []string{"internal/env"}, "the environment comes from env"},
	{"math/rand", nil, "randomness comes from env"},
	{"math/rand/v2", []string{"internal/storetest/kvtest", "lab/crashtest", "lab/benchmark", "lab/programtest",
		"internal/testonly/formattest"}, "randomness comes from env"},
	{"crypto/rand", []string{"internal/env"}, "randomness comes from env"},
	{"time.Sleep", nil, "wait for the thing, not for a time"},
}

// crowded lists the packages with goroutines that packages tested without the race detector may import.
var crowded = map[string]string{
	"tokens":                           "its own tests put its workers under the race detector",
	"internal/testonly/scriptededitor": "they use its text, and leave its connection alone",
}

// Sizes of the house style. A function or file beyond them carries //size:ok with a reason.
const (
	maxFileLines     = 700
	maxColumns       = 120 // of a line of code, a tab being four
	maxFunctionLines = 80
)

// wide lists the files of tables whose rows are read across.
var wide = map[string]string{
	"internal/redact/rules.go":    "a rule a line",
	"compaction/effects/kinds.go": "a pattern a line",

	"proxy/cache_test.go":                  "a case a line",
	"proxy/record_test.go":                 "an event a line",
	"compaction/effects/declared_test.go":  "a case a line",
	"compaction/effects/tracker_test.go":   "a case a line",
	"compaction/feedback/result_test.go":   "a case a line",
	"compaction/feedback/words_test.go":    "a case a line",
	"compaction/tasklist/tasklist_test.go": "a case a line",
	"compaction/statements/rank_test.go":   "a case a line",
	"compaction/statements/split_test.go":  "a case a line",
	"internal/termtext/width.go":           "ranges of Unicode",
	"window/overflow/patterns.go":          "an error of a provider a line",
}
