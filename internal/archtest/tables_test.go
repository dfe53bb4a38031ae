package archtest

// layers maps packages, or with a trailing /... whole subtrees, to their layer. A package may import packages of its own
// layer and of lower ones: Go refuses cycles, and what else must not meet is in apart. The most specific line counts.
var layers = map[string]int{
	"cmd/...":         6,
	"internal/wiring": 5, // what the programs share
	"mcp/...":         4,
	"mcp/overhead":    0, // constants
	"lsp/...":         4,
	"records":         4, // names every agent
	"cli/...":         4,
	"hosting":         4,
	"hosting/access":  3, // the command line makes tokens
	"cli/columns":     1,
	"engine/...":      4,
	"agents":          4,
	"agents/audit":    4,
	"agents/hook":     4,
	"agents/install":  4,
	"agents/registry": 4, // names every agent
	"agents/resume":   4,
	"agents/...":      3,
	"llm/...":         4,
	"proxy/...":       4,
	"servertools/...": 4,
	"ledger":          3, // the contract: faces know it, not the engine
	"trust":           3,
	"carried/...":     3,
	"panel":           3,
	"transcript/...":  2,
	"sessions/...":    2,
	"window/...":      2,
	"compaction/...":  2,
	"intents/...":     2,
	"changes/...":     2,
	"artifacts/...":   2,
	"memory/...":      2,
	"search":          1, // what has words decides what a document is
	"config/...":      2,
	"workspace/...":   2,
	"graph/...":       2,
	"report/...":      2,
	"given/spec":      2,
	"given":           3,
	"kv/stores":       2, // names every store
	"kv/...":          1,
	"tokens/...":      1,
	"internal/...":    0,
	"kv/held":         0, // who looks for an owner asks there, without a store

	"lab/...":                7, // programs and tests from outside, in a module of their own
	"internal/archtest":      7,
	"internal/testonly/...":  7, // no product code imports it: conversations in every format, an editor
	"internal/storetest/...": 7, // stores for tests, and what they must do
}

// apart lists what does not import each other in one layer: subtrees that may not, and what they leave alone.
var apart = []struct {
	from, to []string
	why      string
}{
	{[]string{"mcp", "lsp", "agents", "llm", "servertools"}, []string{"engine", "cli", "kv"},
		"facts go down, views come back; what must meet meets in the programs"},
	{[]string{"hosting"}, []string{"mcp", "lsp", "cli", "agents", "engine", "kv"},
		"it guards what others answer: the program brings both together"},
	{[]string{"engine"}, []string{"mcp", "lsp", "cli", "agents", "llm", "servertools"}, "the engine knows no face"},
	{[]string{"cli"}, []string{"mcp", "lsp"}, "each face is one of several"},
	{[]string{"mcp"}, []string{"lsp", "agents/audit", "agents/install", "agents/resume", "llm"},
		"each face is one of several; of agents it knows what their clients are like"},
	{[]string{"lsp"}, []string{"mcp", "llm"}, "each face is one of several"},
	{[]string{"records"}, []string{"mcp", "lsp", "cli", "llm", "engine", "kv"}, "faces share it, and bring the ledger"},
	{[]string{"trust"}, []string{"ledger"}, "what may run is decided without a ledger"},
	{[]string{"intents"}, []string{"compaction", "window"}, "what calls mean to do does not depend on a view of them"},
	{[]string{"sessions", "transcript"}, []string{"window", "compaction", "intents", "config"},
		"what was said does not depend on what is made of it"},
}

// storeless lists the subtrees that link neither the engine nor a store, through any import.
var storeless = []string{"mcp", "lsp", "records", "agents", "llm", "proxy", "servertools", "ledger"}

// light lists what the programs that start for every hook, command and window do not link, with the reason.
var light = []struct {
	program string
	without []string // modules and packages with all that is below them
	why     string
}{
	{"cmd/ctxledger", []string{"github.com/mark3labs/mcp-go", "github.com/santhosh-tekuri/jsonschema",
		"github.com/google/jsonschema-go", "github.com/prometheus"}, "its start took 10 ms longer"},
	{"cmd/ctxlsp", []string{"github.com/mark3labs/mcp-go", "github.com/santhosh-tekuri/jsonschema",
		"github.com/google/jsonschema-go", "github.com/prometheus"}, "its start took 10 ms longer"},
	{"cmd/ctxhook", []string{"github.com", "go.etcd.io", "charm.land", "go.yaml.in", "golang.org/x", "net/http",
		"ctxledger.dev/agents", "ctxledger.dev/config", "ctxledger.dev/engine/core", "ctxledger.dev/ledger",
		"ctxledger.dev/tokens", "ctxledger.dev/kv/bolt", "ctxledger.dev/kv/stores", "ctxledger.dev/cli/pages"},
		"an agent waits for each of its calls, and the daemon answers them"},
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
	"github.com/google/jsonschema-go":     {[]string{"mcp"}, "schemas of Go types; the MCP library brings it along"},
	"github.com/prometheus/client_golang": {[]string{"hosting"}, "figures of a server that many use, in the form that is read"},
	"go.lsp.dev/protocol":                 {[]string{"lsp"}, "the types of the language server protocol"},
	"go.lsp.dev/jsonrpc2":                 {[]string{"lsp"}, "calls in both directions"},
	"go.lsp.dev/uri":                      {[]string{"lsp"}, "addresses of documents"},
	"github.com/fsnotify/fsnotify":        {[]string{"changes/watch"}, "file events"},
	"github.com/spf13/cobra":              {[]string{"cli"}, "the command line"},
	"github.com/spf13/pflag":              {[]string{"cli"}, "its options: the part of cobra in which commands declare them"},
	"github.com/clipperhouse/displaywidth": {[]string{"cli/columns"},
		"how many columns a text takes: tables without code that runs at each start"},
	"github.com/tailscale/hujson": {[]string{"internal/confedit"},
		"where values are in JSON with comments and trailing commas, which agents' configurations have"},
	"github.com/pelletier/go-toml/v2": {[]string{"internal/confedit"},
		"TOML 1.0 with positions of tables; no dependency of its own, and it is fuzzed and kept since 2013"},
	"github.com/charmbracelet/x/term": {[]string{"cli", "trust"},
		"the width of the terminal, and whether a person sits at one"},
	"github.com/yuin/goldmark":          {[]string{"graph"}, "the block structure of CommonMark"},
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
	"github.com/kljensen/snowball": {[]string{"internal/words"},
		"stems of English words; no dependency of its own, 60 KB"},
	"golang.org/x/text": {[]string{"graph", "internal/words", "internal/termtext"},
		"NFKC and case folding of what is searched by words; which characters are wide on a terminal"},
	"golang.org/x/tools": {[]string{"lab/vet"}, "the checks of go vet, without compiling for each system"},
}

// restricted lists what only some packages may use, because it reaches out of the process or
// makes results depend on the moment.
var restricted = []struct {
	use      string   // import path, or import path and name
	packages []string // subtrees that may
	why      string
}{
	{"net", []string{"engine/daemon", "hosting", "llm", "proxy", "lab/scriptedmodel", "lab/benchmark"},
		"only the daemon, and a proxy and a hosting server that a person starts, open sockets; clients of models bound how " +
			"long they dial"},
	{"net/http", []string{"hosting", "mcp", "llm", "proxy", "servertools", "lab/scriptedmodel", "lab/benchmark",
		"lab/proxyreplay"},
		"a hosting server answers; only model clients call anybody, when a mode with a model is asked for, a proxy for an " +
			"agent, and MCP servers that a person has asked"},
	{"os/exec",
		[]string{"cli/paging", "engine/daemon", "llm", "servertools", "proxy/launch", "internal/process",
			"internal/limittest", "lab/scriptedmodel",
			"lab/benchmark", "lab/sandbox", "lab/crashtest", "lab/fuzzrun", "lab/hosted", "lab/programtest",
			"lab/environments", "lab/release"},
		"the daemon starts itself; a person's pager shows a session; a summarizer or an MCP server may be a program; " +
			"tests run programs, a release go build"},
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
	"cli/statusline_test.go":               "a case a line",
	"window/overflow/patterns.go":          "an error of a provider a line",
}
