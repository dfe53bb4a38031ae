//go:build linux

package authority

import (
	"encoding/json"
	"maps"
	"strings"

	"ctxledger.dev/cli"
	"ctxledger.dev/lab/commandline"
	"ctxledger.dev/mcp"
)

// special are the calls of commands, by their names, that are called in another way than their help says. $SESSION, $SUMMARY,
// $HANDLE, $SHOP (a session file) and $OUT (a directory outside the workspace) are replaced.
var special = map[string][][]string{
	"":         {{}},
	"help":     {{"help", "config", "trust"}},
	"hook":     {{"hook", "claude-code", "SessionStart"}, {"hook", "claude-code", "PostToolUse"}},
	"proxy":    {{"proxy", "--listen", "192.0.2.1:1"}},
	"with":     {{"with", "--", "true"}},
	"status":   {{"status"}, {"status", "$SESSION", "--json"}},
	"sessions": {{"sessions"}, {"sessions", "$SESSION", "--json"}},
	"audit":    {{"audit", "$SHOP"}, {"audit", "--replay", "--html", "$OUT/audit.html"}, {"audit", "daily", "--csv", "$SHOP"}},
	"compact": {{"compact", "--mode", "auto"}, {"compact", "--mode", "llm"},
		{"compact", "--mode", "hybrid", "--model", "m", "$SESSION"}, {"compact", "--mode", "intent", "--keep", "2"},
		{"compact", "--mode", "auto", "--json", "$SHOP"}},
	"import":        {{"import", "$SHOP"}},
	"resume":        {{"resume", "--dir", "$OUT", "$SESSION"}, {"resume", "$SESSION", "--in", "codex", "--dir", "$OUT"}},
	"recover":       {{"recover", "--error", "$OUT/error.json", "$SESSION"}},
	"artifact read": {{"artifact", "read", "$SESSION"}, {"artifact", "read", "$HANDLE", "--grep", "x"}},
	"context": {{"context"}, {"context", "--json"}, {"context", "--ask", "program"},
		{"context", "--ask", "shell", "--json"}, {"context", "--ask", "address"}},
	"context assemble": {{"context", "assemble", "--agent", "Tester"}, {"context", "assemble", "--agent", "Tester", "--json"}},
	"context note":     {{"context", "note", "context", "--text", "$CANARY"}, {"context", "note", "attempt", "--text", "x"}},
	"handoff":          {{"handoff", "--from", "Developer", "--to", "Tester"}},
	"config preset":    {{"config", "preset"}, {"config", "preset", "coding"}},
	"config window": {{"config", "window"}, {"config", "window", "ranked", "100000"},
		{"config", "window", "ranked", "--automatic"}},
	"config models":   {{"config", "models"}, {"config", "models", "--update", "$OUT/models.txt"}, {"config", "models", "--undo"}},
	"config validate": {{"config", "validate"}, {"config", "validate", "ctxledger.yaml"}},
	"ledger export":   {{"ledger", "export", "$OUT/exports"}},
	"forget": {{"forget", "--dry-run", "$HANDLE"}, {"forget", "--dry-run", "--session", "$SESSION"},
		{"forget", "--yes", "--memory", "fact"}},
	"ledger adopt": {{"ledger", "adopt", "--new", "--dry-run"}},
	"count":        {{"count", "--model", "ranked", "ctxledger.yaml"}, {"count", "--tree"}},
	"graph check":  {{"graph", "check", "graph.md"}},
	"graph cost":   {{"graph", "cost", "graph.md"}},
	"graph prompt": {{"graph", "prompt", "graph.md", "graph"}},
	"graph tree":   {{"graph", "tree", "graph.md"}},
	"doctor":       {{"doctor"}, {"doctor", "--json"}},
	"install":      {{"install", "--dry-run"}, {"install", "--yes"}, {"install", "--project", "--yes"}},
	"uninstall":    {{"uninstall", "--dry-run"}, {"uninstall", "--yes"}, {"uninstall", "--project", "--yes"}},
	"config trust": {{"config", "trust"}, {"config", "trust", "--list"}, {"config", "trust", "--revoke"}},
}

// commands returns the calls of each command: those that are special, and of each other one with a value for each argument.
func commands() map[string][][]string {
	all := maps.Clone(special)
	for _, c := range cli.Commands() {
		if line, ok := commandline.Line(c, map[string]string{"SESSION": "$SESSION", "SUMMARY": "$SUMMARY", "HANDLE": "$HANDLE",
			"FILE": "$SHOP", "NAME": "fact", "MEMORY": "fact", "ID": "0123456789ab", "DIRECTORY": "$OUT/made", "WORDS": "price",
			"WORKSPACE": "shop", "TOKEN": "00000000",
		}); ok && all[c.Name] == nil {
			all[c.Name] = [][]string{line}
		}
	}
	return all
}

// asking are the commands that could have a model asked: they are called with every configuration, the others in turn.
var asking = map[string]bool{"compact": true, "recover": true, "config trust": true, "resume": true, "status": true}

// hookCalls are the calls of our program for hooks, by their events, in the order of a session. Each input gets the
// session and the repository.
var hookCalls = []struct{ event, input string }{
	{"SessionStart", `"source": "startup"`},
	{"UserPromptSubmit", `"prompt": "$CANARY"`},
	{"SubagentStart", `"agent_id": "a1", "agent_type": "Tester"`},
	{"PreToolUse", `"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "$CANARY"}`},
	{"PreToolUse", `"tool_name": "Write", "tool_use_id": "t2", "tool_input": {"file_path": "$CANARY", ` +
		`"content": "[cleared: read_file(a.go) — 100 chars, ~25 tokens; run the tool again]"}`},
	{"PostToolUse", `"tool_name": "mcp__program__find", "tool_use_id": "t3", "tool_input": {}, "tool_response": "` +
		strings.Repeat("$CANARY ", 10_000) + `"`},
	{"PreCompact", `"trigger": "manual"`},
	{"SessionStart", `"source": "compact"`},
	{"PostCompact", `"trigger": "manual", "compact_summary": "$CANARY"`},
	{"UserPromptSubmit", `"prompt": "go on"`},
	{"SessionStart", `"source": "resume"`},
	{"SessionEnd", `"reason": "exit"`},
}

// tools returns the calls of each MCP tool: those that show what is stored, and more.
func tools() map[string][]any {
	all := map[string][]any{
		"compact_conversation": {
			map[string]any{"session": "$SESSION", "mode": "auto"}, map[string]any{"session": "$SESSION", "mode": "llm"},
			map[string]any{"session": "$SESSION", "mode": "hybrid", "keep_turns": 2},
			map[string]any{"mode": "llm", "model": "m", "messages": []any{map[string]any{"role": "user", "content": "go"},
				map[string]any{"role": "assistant", "content": "done"}}},
		},
		"memory": {map[string]any{"action": "save", "name": "a", "content": "b"}},
	}
	for _, t := range mcp.Tools() {
		for _, c := range t.Calls {
			c = strings.NewReplacer("SESSION", "$SESSION", "HANDLE", "$HANDLE").Replace(c)
			all[t.Name] = append(all[t.Name], json.RawMessage(c))
		}
	}
	return all
}

// prompts are the arguments of each MCP prompt.
var prompts = map[string]map[string]any{"resume": {"session": "$SESSION"}, "memory": {"task": "fact"},
	"context": {"session": "$SESSION", "agent": "Tester"}, "environment": {}}

// resources are the addresses that are read of each MCP resource, and of each template of resources.
var resources = map[string]string{
	"ctxledger://artifact/{id}": "ctxledger://artifact/$HANDLE", "ctxledger://memory/{name}": "ctxledger://memory/fact",
	"ctxledger://changes": "ctxledger://changes",
}

// told are the notifications of the language server: methods without an answer.
var told = map[string]bool{
	"$/setTrace": true, "window/workDoneProgress/cancel": true, "textDocument/didChange": true,
	"textDocument/didSave": true, "ctxledger/symbols": true, "ctxledger/terminals": true,
	"textDocument/didClose": true, "workspace/didChangeConfiguration": true,
	"workspace/didChangeWorkspaceFolders": true,
}

// requests are the parameters of each method of the language server that is called. Those without any are part of
// every session.
var requests = map[string][]map[string]any{
	"initialize": nil, "initialized": nil, "shutdown": nil, "exit": nil, "$/cancelRequest": nil,
	"textDocument/didOpen":           nil,
	"$/setTrace":                     {{"value": "off"}},
	"window/workDoneProgress/cancel": {{"token": "t"}},
	"textDocument/didChange": {
		{"textDocument": map[string]any{"uri": "$URI", "version": 2},
			"contentChanges": []any{map[string]any{"text": "# A\nb\n"}}}},
	"textDocument/didSave":  {{"textDocument": map[string]any{"uri": "$URI"}}},
	"textDocument/didClose": {{"textDocument": map[string]any{"uri": "untitled:none"}}},
	"workspace/didChangeWorkspaceFolders": {
		{"event": map[string]any{"added": []any{map[string]any{"uri": "file:///nowhere/$CANARY", "name": "x"}},
			"removed": []any{}}}},
	"workspace/didChangeConfiguration": {
		{"settings": map[string]any{
			"ctxledger": map[string]any{"lens": "always", "server": map[string]any{"path": "$CANARY"},
				"model": "ranked"}}}},
	"textDocument/codeLens": {{"textDocument": map[string]any{"uri": "$URI"}}},
	"textDocument/hover": {
		{"textDocument": map[string]any{"uri": "$URI"}, "position": map[string]any{"line": 0, "character": 0}}},
	"textDocument/completion": {
		{"textDocument": map[string]any{"uri": "$URI"}, "position": map[string]any{"line": 0, "character": 0}}},
	"textDocument/definition": {
		{"textDocument": map[string]any{"uri": "$URI"}, "position": map[string]any{"line": 0, "character": 0}}},
	"textDocument/references": {
		{"textDocument": map[string]any{"uri": "$URI"}, "position": map[string]any{"line": 0, "character": 0},
			"context": map[string]any{"includeDeclaration": true}}},
	"textDocument/prepareRename": {
		{"textDocument": map[string]any{"uri": "$URI"}, "position": map[string]any{"line": 0, "character": 0}}},
	"textDocument/rename": {
		{"textDocument": map[string]any{"uri": "$URI"}, "position": map[string]any{"line": 0, "character": 0},
			"newName": "x"}},
	"textDocument/semanticTokens/full": {{"textDocument": map[string]any{"uri": "$URI"}}},
	"textDocument/documentSymbol":      {{"textDocument": map[string]any{"uri": "$URI"}}},
	"textDocument/inlayHint":           {{"textDocument": map[string]any{"uri": "$URI"}, "range": everything}},
	"textDocument/foldingRange":        {{"textDocument": map[string]any{"uri": "$URI"}}},
	"textDocument/codeAction": {{"textDocument": map[string]any{"uri": "$URI"}, "range": everything,
		"context": map[string]any{"diagnostics": []any{}}}},
	"textDocument/diagnostic":       {{"textDocument": map[string]any{"uri": "$URI"}}},
	"workspace/textDocumentContent": {{"uri": "ctxledger://session/$SESSION"}},
	"ctxledger/prompt": {
		{"textDocument": map[string]any{"uri": "$URI"}, "position": map[string]any{"line": 0, "character": 0}}},
	"ctxledger/tree":    {{"parent": ""}},
	"ctxledger/carried": {{}},
	"ctxledger/window":  {{"session": "$SESSION"}},
	"ctxledger/cost":    {{"textDocument": map[string]any{"uri": "$URI"}}},
	"ctxledger/symbols": {{"textDocument": map[string]any{"uri": "$URI", "version": 2},
		"symbols": []any{map[string]any{"name": "$CANARY", "kind": 12, "range": everything, "selectionRange": everything}}}},
	"ctxledger/terminals":       {{"processes": []any{2}, "active": 2}},
	"textDocument/documentLink": {{"textDocument": map[string]any{"uri": "$URI"}}},
	"ctxledger/diff":            {{"uri": "ctxledger:/change/1"}},
	"ctxledger/context":         {{"session": "$SESSION"}},
	"workspace/executeCommand": {
		{"command": "ctxledger.server.countSelection",
			"arguments": []any{map[string]any{"uri": "$URI", "range": everything}}},
		{"command": "ctxledger.server.explain", "arguments": []any{map[string]any{"uri": "$URI"}}},
		{"command": "ctxledger.server.countWorkspace", "arguments": []any{}},
		{"command": "ctxledger.server.compact", "arguments": []any{map[string]any{"session": "$SESSION"}}},
		{"command": "ctxledger.server.restore", "arguments": []any{map[string]any{"summary": "$SUMMARY"}}},
		{"command": "ctxledger.server.handoff", "arguments": []any{map[string]any{"session": "$SESSION"}}},
		{"command": "ctxledger.server.follow", "arguments": []any{map[string]any{"session": "$SESSION"}}},
		{"command": "ctxledger.server.ignore", "arguments": []any{map[string]any{"path": "none"}}},
		{"command": "ctxledger.server.askServer",
			"arguments": []any{map[string]any{"agent": "claude-code", "server": "program", "preview": true}}},
		{"command": "ctxledger.server.askServer",
			"arguments": []any{map[string]any{"agent": "claude-code", "server": "shell", "approved": "guessed"}}},
		{"command": "ctxledger.server.askServer",
			"arguments": []any{map[string]any{"agent": "claude-code", "server": "address"}}},
		{"command": "ctxledger.server.setWindow",
			"arguments": []any{map[string]any{"model": "ranked", "tokens": 100_000}}},
		{"command": "ctxledger.server.readPast", "arguments": []any{}},
		{"command": "ctxledger.server.audit", "arguments": []any{}},
		{"command": "ctxledger.server.forget", "arguments": []any{map[string]any{"handle": "$HANDLE", "dryRun": true}}},
	},
}

var everything = map[string]any{"start": map[string]any{"line": 0, "character": 0},
	"end": map[string]any{"line": 9, "character": 0}}
