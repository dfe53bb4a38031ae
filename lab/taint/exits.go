package taint

import (
	"slices"
	"strings"

	"ctxledger.dev/cli"
	"ctxledger.dev/lab/commandline"
	"ctxledger.dev/mcp"
)

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
	HTTP = "HTTP"
	File = "file"
)

// Exit is one way out.
type Exit struct {
	Face, Name string // the name is that of the command, tool or method; a space leads to a subcommand
	Rule       Rule
	Why        string // of Exact and Silent; of Masked, where
	// Run are command lines of a command, without its name. Words in capitals are placeholders for what the test
	// recorded; a line with --json is run without it, too. nil: the test has a function of its own for the exit, or
	// it is silent.
	Run []string
}

// answer is where answers are masked.
const answer = "`cli/answer.go`, every answer, and before a text is cut"

// Exits returns all exits. One that a face has and this has not fails a test. A command without a row in the table is
// called as its help says, and its answer is to be masked, as all are.
func Exits() []Exit {
	all := table()
	for _, c := range cli.Commands() {
		own := c.Name == "" || slices.ContainsFunc(all, func(x Exit) bool { return x.Face == CLI && x.Name == c.Name })
		line, ok := commandline.Line(c, map[string]string{"SESSION": "SESSION", "SUMMARY": "SUMMARY", "HANDLE": "ARTIFACT",
			"FILE": "FILE", "PATH": "FILE"})
		switch {
		case own || !ok:
		case len(c.JSON) == 0:
			all = append(all, Exit{Face: CLI, Name: c.Name, Rule: Silent, Why: "it is a help"})
		default:
			arguments := strings.Join(line[len(strings.Fields(c.Name)):], " ")
			all = append(all, Exit{CLI, c.Name, Masked, answer, []string{arguments + " --json"}})
		}
	}
	return all
}

// table has the exits that need to be told apart.
//
//size:ok a table
func table() []Exit {
	const (
		owner = "the owner asks for it by its handle"
		agent = "back to the agent that owns the workspace"
		none  = "prints nothing that was recorded"
	)
	return slices.Concat([]Exit{
		{CLI, "artifact save", Silent, none, []string{"FILE"}},
		{CLI, "artifact read", Exact, owner, []string{"SESSION", "ARTIFACT", "ARTIFACT --head 9", "ARTIFACT --grep ."}},
		{CLI, "artifact search", Exact, owner, []string{"needle --json"}},
		{CLI, "audit", Masked, "`agents/audit` before names are taken, then " + answer,
			[]string{"BRIEF --json", "session BRIEF --json", "session BRIEF --csv"}},
		{CLI, "ledger backup", Exact, "it is the ledger itself", nil},
		{CLI, "ledger restore-backup", Silent, none, nil},
		{CLI, "changes", Masked, answer, []string{"--json --limit 1000"}},
		{CLI, "compact", Masked, "built from masked text; `--messages` is the view, exact",
			[]string{"--json --keep 1 SESSION"}},
		{CLI, "resume", Masked, answer, []string{"--json --in codex --dir ROOT SESSION"}},
		{CLI, "context", Silent, "names and headings of files, exactly; names of tools, masked before storing", []string{"--json"}},
		{CLI, "context note", Masked, answer, []string{"context --json --agent TOKEN --text TEXT --session SESSION",
			"attempt --json --text TEXT --reason TEXT --session SESSION"}},
		{CLI, "context assemble", Masked, "`given`, each source before it is cut",
			[]string{"--json --agent Tester --session SESSION"}},
		{CLI, "handoff", Masked, "`given`, each source before it is cut",
			[]string{"--json --from Developer --to Tester --session SESSION"}},
		{CLI, "config", Silent, "the settings, exactly: nothing that was recorded", []string{"--json"}},
		{CLI, "config preset", Silent, "texts of the program", []string{"--json"}},
		{CLI, "count", Silent, "counts files, and opens no ledger", []string{"FILE --json"}},
		{CLI, "graph", Silent, none, nil},
		{CLI, "graph check", Silent, "reads documents, and opens no ledger", []string{"FILE --json"}},
		{CLI, "graph cost", Silent, "as `graph check`", []string{"FILE --json"}},
		{CLI, "graph prompt", Silent, "as `graph check`", nil},
		{CLI, "graph tree", Silent, "as `graph check`", []string{"FILE --json"}},
		{CLI, "daemon", Silent, none, nil},
		{CLI, "daemon status", Silent, none, []string{"--json"}},
		{CLI, "daemon stop", Silent, none, nil},
		{CLI, "diff", Masked, "labels are built from masked text", []string{"--json SUMMARY"}},
		{CLI, "workspaces", Silent, "paths, remotes without credentials, and counts", []string{"--json"}},
		{CLI, "ledger adopt", Silent, "as `workspaces`", []string{"--json --new --dry-run"}},
		{CLI, "events", Masked, "`engine.WaitEvents`, then " + answer, []string{"--json"}},
		{CLI, "ledger export", Masked, "`engine/exports`, before texts are cut and where they are written",
			[]string{"--json", "--json EXPORTS"}},
		{CLI, "forget", Masked, "`engine/upkeep/plan.go`, titles before they are cut, then " + answer,
			[]string{"--json --dry-run SESSION", "--json --dry-run --session SESSION", "--json --dry-run --memory canary-5",
				"--json --dry-run --text -", "--json --yes SPARE", "--json --yes OTHER", "--yes --memory canary-5",
				"--json --yes --memory canary-6", "--json --yes --text -"}},
		{CLI, "ledger gc", Silent, none, []string{"--json"}},
		{CLI, "hook", Masked, "`engine` masks stubs; `agents/hook` masks what it adds to the context of the same agent", nil},
		{CLI, "proxy", Silent, "prints addresses of providers and of this machine: nothing that was recorded", []string{"--help"}},
		{CLI, "with", Silent, "what it prints is the agent's", []string{"--help"}},
		{CLI, "help", Silent, none, []string{""}},
		{CLI, "import", Silent, "prints ids and counts", []string{"FILE --json"}},
		{CLI, "memory", Masked, "before storing, by `engine.SaveMemory`", []string{"--json"}},
		{CLI, "memory accept", Masked, "in `ledger.Candidates`, before it is offered", nil},
		{CLI, "memory save", Masked, "before storing, by `engine.SaveMemory`",
			[]string{"TOKEN --json --overwrite", "other --overwrite --description TEXT --body TEXT"}},
		{CLI, "memory block", Masked, "before storing, by `engine.SaveMemory`", []string{"--json", "--json TOKEN"}},
		{CLI, "memory candidates", Masked, "in `ledger.Candidates`, before they are offered", []string{"--json"}},
		{CLI, "memory dismiss", Masked, "in `ledger.Candidates`, before it is offered", nil},
		{CLI, "memory export", Masked, "before storing, by `engine.SaveMemory`",
			[]string{"EXPORTED --json --overwrite"}},
		{CLI, "memory import", Masked, "before storing, by `engine.SaveMemory`",
			[]string{"MEMORIES --json --overwrite"}},
		{CLI, "memory recall", Masked, "before storing, by `engine.SaveMemory`", []string{"--json", "--json TOKEN"}},
		{CLI, "memory delete", Masked, "before storing, by `engine.SaveMemory`", []string{"other", "--json canary-3"}},
		{CLI, "memory restore", Masked, "before storing, by `engine.SaveMemory`", []string{"other", "--json canary-3"}},
		{CLI, "memory get", Masked, "before storing, by `engine.SaveMemory`", []string{"canary-0 --json"}},
		{CLI, "recover", Masked, "in words; with `--json` and `--messages` it is the request to send, exact",
			[]string{"--error REFUSAL --status 400 --endpoint ENDPOINT --model TOKEN SESSION"}},
		{CLI, "restore", Masked, answer, nil},
		{CLI, "ledger retain", Masked, answer, []string{"--json --dry-run --older-than 1d", "--json --older-than 1d", "--json", "--off"}},
		{CLI, "sessions", Masked, answer, []string{"--json", "--json SESSION"}},
		{CLI, "doctor", Silent, "configurations of agents: names, paths and states", []string{"--json"}},
		{CLI, "install", Masked, "lines of agents' configurations around a change: " + answer, []string{"--help"}},
		{CLI, "uninstall", Masked, "lines of agents' configurations around a change: " + answer, []string{"--help"}},
		{CLI, "config trust", Silent, "what a configuration asks for, exactly, so that a person can decide; nothing that " +
			"was recorded", []string{"--json"}},
		{CLI, "config models", Silent, "prints prices: nothing that was recorded", []string{"--json"}},
		{CLI, "config validate", Silent, "says where settings are wrong: nothing that was recorded", []string{"--json"}},
		{CLI, "token add", Silent, "the token that it makes, which is masked wherever else it turns up",
			[]string{"shop --json"}},
		{CLI, "token ls", Silent, "ids and roles of tokens: nothing that was recorded", []string{"--json"}},
		{CLI, "token revoke", Silent, none, nil},
		{CLI, "search", Masked, "`engine.Search`, before a line is chosen and cut, then " + answer, []string{"needle --json", "TOKEN --json", "needle --all --json"}},
		{CLI, "show", Masked, "`cli/show.go`, each text before it is cut or escaped",
			[]string{"--json SESSION", "SESSION", "--markdown SESSION"}},
		{CLI, "statusline", Silent, "figures, and names of limits", []string{"--json"}},
		{CLI, "why", Masked, answer, []string{"--json notes/config.txt"}},
		{CLI, "standard error", Masked, "`cli/use.go`; texts are quoted far enough to leave no half tokens", nil},
	}, tools(), []Exit{
		{MCP, "prompt context", Masked, "`given`, each source before it is cut", nil},
		{MCP, "prompt environment", Silent, "this machine, and `.gitignore`", nil},
		{MCP, "prompt memory", Masked, "`mcp/prompt.go`, the whole text", nil},
		{MCP, "prompt resume", Masked,
			"a handoff to another chat: built from masked text, then `mcp/resume.go`, the whole document", nil},
		{MCP, "resource changes", Exact, agent, nil},
		{MCP, "resource artifact", Exact, agent, nil},
		{MCP, "resource memory", Masked, "before storing, by `engine.SaveMemory`", nil},
		{MCP, "errors", Masked, "`mcp/fail.go` and `mcp/handle.go`, those of the MCP library too; the id of a request " +
			"comes back as it was", nil},
		{MCP, "standard error", Masked, "`internal/wiring.Stderr`", nil},

		{HTTP, "operations", Exact, "back to the program that has a token of the workspace; those that are tools, as the tools", nil},
		{HTTP, "events", Masked, "`engine.WaitEvents`", nil},
		{HTTP, "errors", Masked, "`mcp/fail.go`, as those of MCP", nil},
		{HTTP, "the log", Silent, "requests, tokens by their ids, and workspaces; masked all the same", nil},
		{HTTP, "`/metrics`", Silent, "figures without names", nil},

		{LSP, "ctxledger/context", Masked, "`ledger.TurnStats`", nil},
		{LSP, "ctxledger/changed", Silent, "that something changed, not what", nil},
		{LSP, "ctxledger/carried", Silent, "names and headings of files, exactly; names of tools, masked before storing", nil},
		{LSP, "ctxledger/cost", Silent, "figures", nil},
		{LSP, "ctxledger/diff", Masked, "`records`: the name of a file, in addresses", nil},
		{LSP, "ctxledger/prompt", Silent, "about the open document, exactly", nil},
		{LSP, "ctxledger/symbols", Silent, none, nil},
		{LSP, "ctxledger/terminals", Silent, none, nil},
		{LSP, "ctxledger/window", Masked, "`lsp/context.go`", nil},
		{LSP, "ctxledger/tree", Masked, "`records`, each text before it is cut", nil},
		{LSP, "workspace/textDocumentContent", Masked, "`records`, each text before it is cut", nil},
		{LSP, "ctxledger/status", Masked, "`lsp/status.go`", nil},
		{LSP, "workspace/executeCommand", Masked,
			"what it answers and shows; `ctxledger.server.forget` names what it found", nil},
		{LSP, "textDocument/hover", Masked, "figures, and what settings mean", nil},
		{LSP, "textDocument/documentLink", Silent, "names of files: nothing that was recorded", nil},
		{LSP, "textDocument/completion", Silent, "names of settings", nil},
		{LSP, "textDocument/codeLens", Masked, "as hover", nil},
		{LSP, "textDocument/codeAction", Silent, "about the open document", nil},
		{LSP, "textDocument/diagnostic", Silent, "about the open document", nil},
		{LSP, "textDocument/definition", Silent, "places in the open document", nil},
		{LSP, "textDocument/references", Silent, "places in the open document", nil},
		{LSP, "textDocument/prepareRename", Silent, "about the open document", nil},
		{LSP, "textDocument/rename", Silent, "about the open document", nil},
		{LSP, "textDocument/semanticTokens/full", Silent, "places in the open document", nil},
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
		{LSP, "workspace/didChangeWorkspaceFolders", Silent, none, nil},
		{LSP, "errors", Masked, "`lsp/handle.go` and `lsp/stream.go`, before they are cut", nil},
		{LSP, "standard error", Masked, "`internal/wiring.Stderr`", nil},

		{File, "changes.json, intents.json", Masked,
			"`engine/exports`, before texts are cut and where they are written", nil},
		{File, "the log of a daemon", Masked,
			"`engine/daemon/log.go`; the key is the process's, so that it works when the ledger does not", nil},
		{File, "the page of `audit --html`", Masked, "`cli/audit.go`, every text of the figures", nil},
		{File, "prompts to a model", Masked, "`compaction`, every word of its input", nil},
		{File, "what a model server or a program says when it fails", Masked,
			"`llm`, before it is told or recorded", nil},
		{File, "the stack of a crash", Exact, "Go prints it, into the daemon's log", nil},
		{File, "the arguments in `ps`", Silent, "a daemon is started with its state directory and its workspace alone",
			nil},
		{File, "a view", Exact, agent, nil},
		{File, "a session that its own agent continues", Exact, agent, nil},
		{File, "a session that another agent continues", Masked, "`agents/resume`, each message before it is written",
			nil},
	})
}

// tools has a row for each tool of the MCP server.
func tools() (all []Exit) {
	for _, t := range mcp.Tools() {
		all = append(all, Exit{MCP, "tool " + t.Name, Rule(t.Secrets), t.Why, nil})
	}
	return all
}
