//go:build linux

package poison_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/compaction"
	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/given"
	"ctxledger.dev/given/spec"
	"ctxledger.dev/internal/wiring"
	"ctxledger.dev/lab/poison"
	"ctxledger.dev/ledger"
	"ctxledger.dev/mcp"
	"ctxledger.dev/memory"
)

// summaries are the documents of every mode: of a range, and of the whole session.
func summaries(s *scene, look looker) {
	for _, name := range append(settings.ModeNames(false), string(compaction.Lossless)) {
		mode := compaction.Mode(name)
		for _, whole := range []bool{false, true} {
			name := fmt.Sprintf("summary %s, whole %t", mode, whole)
			o := compaction.Options{Mode: mode, Budget: 6000, Keep: 1, Whole: whole,
				Notes: s.cut(planted(s.text.Value, s.form), 3000), Focus: s.cut(planted(s.text.Value, s.form), 200)}
			if whole {
				o.Mode, o.Keep = compaction.Intent, 0
			}
			p, err := s.api.PlanCompaction(s.t.Context(), ledger.PlanCompactionRequest{Session: s.session, Options: o})
			if err != nil {
				look(name+", refused", err.Error(), visible)
				continue
			}
			if mode == compaction.Window { // it has the words of messages alone
				look(name, p.Summary.Text, poison.Framed, visible)
			} else {
				look(name, p.Summary.Text, poison.Document, visible)
			}
			if p.Brief != nil {
				prompts(s, p.Brief, look)
			}
		}
	}
}

// tags are those of a prompt for a model.
var tags = []string{"task", "focus", "agent-notes", "change-log", "trace", "previous-summary", "conversation"}

// prompts are what a model is asked for a summary.
func prompts(s *scene, b *compaction.Brief, look looker) {
	var asked listener
	if _, err := compaction.Ask(s.t.Context(), b, &asked); err != nil {
		s.do(err)
	}
	for _, p := range asked.heard {
		for _, tag := range tags {
			if strings.Contains(p.Text, "\n<"+tag+">\n") || strings.HasPrefix(p.Text, "<"+tag+">\n") {
				look("prompt, "+tag, p.Text, func(out string) error { return poison.Closed(out, tag) }, visible)
			}
		}
		look("system prompt", p.System, func(out string) error { return without(out) })
	}
}

// listener is a model that keeps what it is asked.
type listener struct{ heard []compaction.Prompt }

func (l *listener) Limits() (window, output int) { return 200_000, 8000 }

func (l *listener) Summarize(_ context.Context, p compaction.Prompt) (compaction.Reply, error) {
	l.heard = append(l.heard, p)
	return compaction.Reply{Text: "## Completed\nx\n## Open Questions\nx\n## Remaining Work\nx\n## Key Findings\nx"},
		nil
}

// memoryBlock is how memories reach a model unasked.
func memoryBlock(s *scene, look looker) {
	all, err := s.api.Memories(s.t.Context(), ledger.MemoriesRequest{Body: true})
	s.do(err)
	look("memory block", memory.Block(all.Entries, 100_000, memory.Tokens), visible, poison.Framed,
		func(out string) error { return poison.Tagged(out, "agent_memory") })
}

// agent speaks MCP with a server on the scene's ledger.
type agent struct {
	s   *scene
	say func(message []byte) (answer []byte)
	end func()
}

func connect(s *scene, api ledger.API, look looker) *agent {
	s.t.Helper()
	var log serverLog
	server, err := mcp.New(func(context.Context, []string) (mcp.Ledger, string, error) { return kept{api}, "", nil },
		mcp.Options{Version: "test", Env: s.env, Log: log.logger(s), AgentTools: true, GraphTools: true,
			Given: func(string) (spec.Spec, given.Told) { return wiring.Given(s.env)(s.root) }})
	s.do(err)
	c := server.Connect(nil)
	a := &agent{s, func(message []byte) []byte { return server.Handle(c.Context(s.t.Context()), message) }, func() {
		s.do(c.Close())
		log.see("the MCP server", look)
	}}
	a.ask("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": s.cut(planted(s.text.Value, inline), 60), "version": "1"}})
	return a
}

// kept is a ledger that its users do not close.
type kept struct{ ledger.API }

func (kept) Close() error { return nil }

// ask returns the answer to a request: its result, or its error.
func (a *agent) ask(method string, params any) (result json.RawMessage, refused string) {
	a.s.t.Helper()
	var m struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	line := a.say(encoded(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
	a.s.do(json.Unmarshal(line, &m))
	if m.Error != nil {
		return nil, m.Error.Message
	}
	return m.Result, ""
}

// content returns the texts of a result.
func content(result json.RawMessage) string {
	var r struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		Contents []struct {
			Text string `json:"text"`
		} `json:"contents"`
		Messages []struct {
			Content struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		panic(err)
	}
	var parts []string
	for _, c := range r.Content {
		parts = append(parts, c.Text)
	}
	for _, c := range r.Contents {
		parts = append(parts, c.Text)
	}
	for _, m := range r.Messages {
		parts = append(parts, m.Content.Text)
	}
	return strings.Join(parts, "\n")
}

// uses are calls of every tool that show what is stored. One whose lines may begin with what is stored has exact set.
func uses(s *scene) (all []use) {
	for _, t := range mcp.Tools() {
		for _, c := range t.Calls {
			c = strings.NewReplacer("SESSION", s.session, "HANDLE", s.artifact).Replace(c)
			all = append(all, use{tool: t.Name, args: json.RawMessage(c),
				exact: t.Name == "session_context" || t.Name == "handoff"}) // see declared
		}
	}
	return append(all,
		use{tool: "compact_conversation", args: map[string]any{"session": s.session, "dry_run": true, "keep_turns": 1,
			"return": "summary"}, exact: true},
		use{tool: "memory", args: map[string]any{"action": "recall", "query": "build name described " + poison.Canary,
			"limit": 20}},
		use{tool: "memory", args: map[string]any{"action": "get", "name": "build"}})
}

type use struct {
	tool  string
	args  any
	exact bool
}

// untouched says whether an answer does not give the stored text back exactly, as far as JSON has it.
func (s *scene) untouched(out string) error {
	const compared = 1000
	stored := []rune(planted(s.text.Value, s.form))
	want := string(stored[:min(len(stored), compared)])
	if len(stored) > 8000 { // a page ends at a whole line, where it has one
		want, _, _ = strings.Cut(want, "\n")
	}
	if !strings.Contains(out, want) {
		return fmt.Errorf("it does not hold %.120q as it was stored: %.240q", want, out)
	}
	return nil
}

// within says whether a text is in an output as it is.
func within(out, text string) error {
	if !strings.Contains(out, strings.TrimSpace(text)) {
		return fmt.Errorf("it does not hold %.120q: %.240q", text, out)
	}
	return nil
}

// tools are what MCP's tools answer.
func tools(s *scene, look looker) {
	a := connect(s, s.api, look)
	defer a.end()
	listed(s, a, look)
	graph := strings.ReplaceAll(s.text.Value, "\n", " ")
	s.do(os.WriteFile(filepath.Join(s.root, "graph.md"), []byte("# "+graph+"\n\nwords "+graph+"\n\n## b {id=graph}\n\nwords "+
		graph+"\n\n@llm\nprompt: x\n"), 0o600))
	used := map[string]bool{}
	for _, u := range uses(s) {
		used[u.tool] = true
		r, refused := a.ask("tools/call", map[string]any{"name": u.tool, "arguments": u.args})
		name := fmt.Sprintf("tool %s %s", u.tool, u.args)
		if refused != "" {
			s.t.Errorf("%s: %s", name, refused)
			continue
		}
		switch {
		case u.tool == "read_artifact":
			look(name, content(r), s.untouched)
		case u.tool == "graph_prompt", u.tool == "graph_blocks" && strings.Contains(name, `"text"`): // its own bytes
			look(name, content(r), func(out string) error { return within(out, graph) })
		case u.exact:
			look(name, content(r), visible)
		default:
			look(name, content(r), visible, poison.Framed)
		}
	}
	refusals(s, a, look, used)
	if r, refused := a.ask("resources/read",
		map[string]any{"uri": "ctxledger://artifact/" + s.artifact}); refused != "" {
		s.t.Errorf("resource of an artifact: %s", refused)
	} else {
		look("resource of an artifact", content(r), s.untouched)
	}
	for _, uri := range []string{"ctxledger://changes", "ctxledger://memory/build"} {
		r, refused := a.ask("resources/read", map[string]any{"uri": uri})
		if refused != "" {
			s.t.Errorf("resource %s: %s", uri, refused)
			continue
		}
		look("resource "+uri, content(r), visible, poison.Framed)
	}
	for name, args := range map[string]map[string]any{"environment": {},
		"context": {"agent": "Tester", "session": s.session}} {
		if r, refused := a.ask("prompts/get", map[string]any{"name": name, "arguments": args}); refused != "" {
			s.t.Errorf("prompt %s: %s", name, refused)
		} else {
			look("prompt "+name, content(r), visible)
		}
	}
	r, refused := a.ask("prompts/get", map[string]any{"name": "memory", "arguments": map[string]any{"task": "build"}})
	if refused != "" {
		s.t.Errorf("prompt memory: %s", refused)
		return
	}
	look("prompt memory", content(r), visible, poison.Framed,
		func(out string) error { return poison.Tagged(out, "agent_memory") })
	r, refused = a.ask("prompts/get",
		map[string]any{"name": "resume", "arguments": map[string]any{"session": s.session}})
	if refused != "" {
		s.t.Errorf("resume: %s", refused)
		return
	}
	look("handoff", content(r), visible, poison.Framed,
		func(out string) error {
			return poison.Tagged(out, "ctxledger_handoff")
		}, func(out string) error { return poison.Tagged(out, "agent_memory") })
}

// strings of a schema's object.
type listedTool struct {
	Name        string `json:"name"`
	InputSchema struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	} `json:"inputSchema"`
}

// refusals are the errors of every tool with the text as each of its arguments, and of what does not exist.
func refusals(s *scene, a *agent, look looker, used map[string]bool) {
	r, _ := a.ask("tools/list", map[string]any{})
	var all struct {
		Tools []listedTool `json:"tools"`
	}
	s.do(json.Unmarshal(r, &all))
	hostile := planted(s.text.Value, s.form)
	for _, t := range all.Tools {
		if !used[t.Name] {
			s.t.Errorf("nothing is asked of tool %s: it needs calls", t.Name)
		}
		for name := range t.InputSchema.Properties {
			args := map[string]any{name: hostile}
			if t.Name == "memory" && name != "action" {
				args["action"] = "get"
			}
			if t.Name == "compact_conversation" {
				args["dry_run"] = true
			}
			result, refused := a.ask("tools/call", map[string]any{"name": t.Name, "arguments": args})
			if refused == "" && t.Name == "session_context" { // see declared
				look("tool "+t.Name+" "+name, content(result), visible)
				continue
			}
			if refused == "" {
				refused = content(result)
			}
			look("refusal of "+t.Name+" "+name, refused, visible, oneHint)
		}
		result, refused := a.ask("tools/call", map[string]any{"name": t.Name, "arguments": map[string]any{hostile: 1}})
		if refused == "" {
			refused = content(result)
		}
		look("refusal of an argument of "+t.Name, refused, visible, oneHint)
	}
	for _, r := range []struct {
		method string
		params map[string]any
	}{
		{"tools/call", map[string]any{"name": hostile}}, {"prompts/get", map[string]any{"name": hostile}},
		{"resources/read", map[string]any{"uri": hostile}},
		{"prompts/get", map[string]any{"name": "resume", "arguments": map[string]any{hostile: "x"}}},
		{"prompts/get", map[string]any{"name": "resume", "arguments": map[string]any{"session": hostile}}},
		{"resources/read", map[string]any{"uri": "ctxledger://artifact/" + hostile}},
		{"resources/read", map[string]any{"uri": "ctxledger://memory/" + hostile}}, {hostile, nil},
	} {
		if _, refused := a.ask(r.method, r.params); refused != "" {
			look("refusal of "+r.method[:min(len(r.method), 15)], refused, visible, oneHint)
		}
	}
}

// oneHint says whether an error has more lines than those that we write: planted text begins none, and there is one
// hint at most.
func oneHint(out string) error {
	hints := 0
	lines, _ := poison.Lines(out) // a dry run is no refusal, and has quotations
	for _, line := range lines {
		if strings.HasPrefix(line.Text, "hint:") && !line.Fenced {
			hints++
		}
		if strings.HasPrefix(line.Text, poison.Canary) && !line.Fenced {
			return fmt.Errorf("a line begins with planted text: %.120q", line.Text)
		}
	}
	if hints > 1 {
		return fmt.Errorf("%d hints", hints)
	}
	return nil
}

// lists are what a client learns of the server; stored text never reaches it.
var lists = []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"}

// listed holds what a server says of itself against one on an empty ledger.
func listed(s *scene, a *agent, look looker) {
	for _, method := range lists {
		r, refused := a.ask(method, map[string]any{})
		look(method, string(r)+refused, without)
		if want := emptyLists(s, look)[method]; string(r) != want {
			s.t.Errorf("%s, %s: %s is not what it is on an empty ledger", s.text.Name(), s.form, method)
		}
	}
	r, _ := a.ask("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "x", "version": "1"}})
	look("instructions", string(r), without)
}

// without says whether planted text is in an output that has none.
func without(out string) error {
	if strings.Contains(out, poison.Canary) {
		return fmt.Errorf("planted text is in it")
	}
	return nil
}

var emptied map[string]string

// emptyLists are the lists of a server without a ledger.
func emptyLists(s *scene, look looker) map[string]string {
	if emptied != nil {
		return emptied
	}
	lists := slices.Clone(lists)
	a := connect(s, s.api, look)
	a.s = s
	defer a.end()
	emptied = map[string]string{}
	for _, method := range lists {
		r, _ := a.ask(method, map[string]any{})
		emptied[method] = string(r)
	}
	return emptied
}
