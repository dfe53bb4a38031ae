package taint

// Rule says what an exit does with secrets.
type Rule string

// The rules.
const (
	Masked Rule = "masked" // no secret, and no piece of one, leaves
	Exact  Rule = "exact"  // the bytes as they were recorded, for the reason in Why
	Silent Rule = "silent" // nothing recorded leaves
)

// The faces that have exits.
const (
	CLI  = "ctxledger"
	MCP  = "MCP"
	LSP  = "LSP"
	File = "file"
)

// Exit is one way out.
type Exit struct {
	Face, Name string // the name is that of the command, tool or method; a space leads to a subcommand
	Rule       Rule
	Why        string // of Exact and Silent; of Masked, where
	// Run are the arguments of a command; SESSION, SUMMARY, ARTIFACT and FILE stand for what the test recorded. nil:
	// the exit is looked at elsewhere, or silent.
	Run []string
}

// Exits returns all exits. One that a face has and this table has not fails a test.
//
//size:ok a table
func Exits() []Exit {
	const (
		answer = "`cli/answer.go`, every answer"
		owner  = "the owner asks for it by its handle"
		agent  = "back to the agent that has the workspace"
		none   = "prints nothing that was recorded"
	)
	return []Exit{
		{CLI, "artifact", Masked, answer, []string{"artifact", "ls"}},
		{CLI, "artifact forget", Masked, answer, nil},
		{CLI, "artifact grep", Exact, owner, nil},
		{CLI, "artifact ls", Masked, answer, []string{"artifact", "ls", "--json"}},
		{CLI, "artifact put", Silent, none, nil},
		{CLI, "artifact read", Exact, owner, []string{"artifact", "read", "ARTIFACT"}},
		{CLI, "artifact search", Exact, owner, nil},
		{CLI, "audit", Masked, "`agents/audit` before names are taken, then " + answer, []string{"audit", "FILE", "--json"}},
		{CLI, "backup", Exact, "it is the ledger itself", nil},
		{CLI, "bench", Silent, none, nil},
		{CLI, "bench replay", Masked, answer, nil},
		{CLI, "bench retention", Masked, answer, nil},
		{CLI, "cat", Exact, owner, []string{"cat", "SESSION"}},
		{CLI, "changes", Masked, answer, []string{"changes", "--json", "--limit", "1000"}},
		{CLI, "check", Masked, answer, nil},
		{CLI, "compact", Masked, "made of masked words; `--format messages` is the view, exact", []string{"compact", "--json", "SESSION"}},
		{CLI, "count", Silent, "counts files, and opens no ledger", nil},
		{CLI, "daemon", Silent, none, nil},
		{CLI, "daemon status", Silent, none, nil},
		{CLI, "daemon stop", Silent, none, nil},
		{CLI, "diff", Masked, "labels are made of masked words", []string{"diff", "SUMMARY"}},
		{CLI, "du", Masked, answer, []string{"du", "--json"}},
		{CLI, "events", Masked, "`engine.WaitEvents`, then " + answer, []string{"events", "--json"}},
		{CLI, "export", Masked, "`engine/exports`, before texts are cut and where they are written", nil},
		{CLI, "forget", Masked, answer, nil},
		{CLI, "gc", Silent, none, nil},
		{CLI, "help", Silent, none, nil},
		{CLI, "import", Silent, "prints ids and counts", nil},
		{CLI, "memory", Masked, "before storing, by `engine.SaveMemory`", []string{"memory", "ls"}},
		{CLI, "memory add", Masked, "before storing, by `engine.SaveMemory`", nil},
		{CLI, "memory export", Masked, "before storing, by `engine.SaveMemory`", nil},
		{CLI, "memory import", Masked, "before storing, by `engine.SaveMemory`", nil},
		{CLI, "memory ls", Masked, "before storing, by `engine.SaveMemory`", []string{"memory", "ls", "--json"}},
		{CLI, "memory rm", Masked, "before storing, by `engine.SaveMemory`", nil},
		{CLI, "memory show", Masked, "before storing, by `engine.SaveMemory`", nil},
		{CLI, "recover", Masked, "in words; with `--json` and `--format messages` it is the request to send, exact", nil},
		{CLI, "repair", Masked, answer, nil},
		{CLI, "restore", Exact, owner, []string{"restore", "SUMMARY"}},
		{CLI, "retain", Masked, answer, nil},
		{CLI, "sessions", Masked, answer, []string{"sessions", "--json"}},
		{CLI, "status", Masked, answer, []string{"status", "SESSION", "--json"}},
		{CLI, "trust", Silent, "what a configuration asks for, exactly, so that a person can decide; nothing that was recorded", nil},
		{CLI, "why", Masked, answer, []string{"why", "--json", "notes/config.txt"}},
		{CLI, "standard error", Masked, "`cli/use.go`; texts are quoted so far that no half of a token is left", nil},

		{MCP, "tool changes", Exact, agent, nil},
		{MCP, "tool compact_conversation", Masked, "made of masked words; the messages of `return: messages` are exact, " + agent, nil},
		{MCP, "tool context_status", Masked, "names and labels are made of masked words", nil},
		{MCP, "tool memory", Masked, "before storing, by `engine.SaveMemory`", nil},
		{MCP, "tool read_artifact", Exact, agent, nil},
		{MCP, "prompt resume", Masked, "a handoff to another chat: made of masked words, then `mcp/resume.go`, the whole document", nil},
		{MCP, "resource changes", Exact, agent, nil},
		{MCP, "resource artifact", Exact, agent, nil},
		{MCP, "resource memory", Masked, "before storing, by `engine.SaveMemory`", nil},
		{MCP, "errors", Masked, "`mcp/fail.go` and `mcp/wire.go`, those of the MCP library too; the id of a request comes back as it was", nil},
		{MCP, "standard error", Masked, "`cmd/internal/wiring.Stderr`", nil},

		{LSP, "ctxledger/context", Masked, "`engine.Growth`", nil},
		{LSP, "ctxledger/changed", Silent, "that something changed, not what", nil},
		{LSP, "ctxledger/tree", Masked, "`lsp/records`, each text before it is cut", nil},
		{LSP, "workspace/textDocumentContent", Masked, "`lsp/records`, each text before it is cut", nil},
		{LSP, "ctxledger/status", Masked, "`lsp/status.go`", nil},
		{LSP, "workspace/executeCommand", Masked, "what it answers and shows; `ctxledger.server.forget` names what it found", nil},
		{LSP, "textDocument/hover", Masked, "figures, times and the names of agents, which are masked when they are recorded", nil},
		{LSP, "textDocument/codeLens", Masked, "as hover", nil},
		{LSP, "textDocument/codeAction", Silent, "about the open document", nil},
		{LSP, "textDocument/diagnostic", Silent, "about the open document", nil},
		{LSP, "textDocument/documentSymbol", Silent, "about the open document", nil},
		{LSP, "textDocument/foldingRange", Silent, "about the open document", nil},
		{LSP, "textDocument/inlayHint", Silent, "about the open document", nil},
		{LSP, "$/cancelRequest", Silent, none, nil},
		{LSP, "$/setTrace", Silent, none, nil},
		{LSP, "exit", Silent, none, nil},
		{LSP, "initialize", Silent, none, nil},
		{LSP, "initialized", Silent, none, nil},
		{LSP, "shutdown", Silent, none, nil},
		{LSP, "textDocument/didChange", Silent, none, nil},
		{LSP, "textDocument/didClose", Silent, none, nil},
		{LSP, "textDocument/didOpen", Silent, none, nil},
		{LSP, "textDocument/didSave", Silent, none, nil},
		{LSP, "window/workDoneProgress/cancel", Silent, none, nil},
		{LSP, "workspace/didChangeConfiguration", Silent, none, nil},
		{LSP, "errors", Masked, "`lsp/handle.go` and `lsp/stream.go`, before they are cut", nil},

		{File, "changes.json, intents.json", Masked, "`engine/exports`, before texts are cut and where they are written", nil},
		{File, "the log of a daemon", Masked, "`engine/daemon/log.go`; the key is the process's, so that it works when the ledger does not", nil},
		{File, "the page of `audit --html`", Masked, "`cli/audit.go`, every text of the figures", nil},
		{File, "prompts to a model", Masked, "`compaction`, every word of its input", nil},
		{File, "what a model server or a program says when it fails", Masked, "`llm`, before it is told or recorded", nil},
		{File, "the stack of a crash", Exact, "Go prints it, into the daemon's log", nil},
		{File, "the arguments in `ps`", Silent, "a daemon is started with its state directory alone", nil},
		{File, "a view", Exact, agent, nil},
	}
}
