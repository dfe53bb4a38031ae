package taint

import (
	"encoding/json"
	"regexp"
	"strings"

	"ctxledger.dev/mcp"
	"ctxledger.dev/transcript"
)

// asked is a question to the MCP server.
type asked struct {
	exit, method string
	params       map[string]any
}

func tool(name string, args map[string]any) asked {
	return asked{"tool " + name, "tools/call", map[string]any{"name": name, "arguments": args}}
}

// questions are those about a session, which is read back by its id: the calls of every tool, and more.
func questions(session string) (all []asked) {
	for _, t := range mcp.Tools() {
		for _, c := range t.Calls {
			c = strings.NewReplacer("SESSION", session, "HANDLE", session).Replace(c)
			all = append(all, asked{"tool " + t.Name, "tools/call",
				map[string]any{"name": t.Name, "arguments": json.RawMessage(c)}})
		}
	}
	return append(all,
		tool("compact_conversation",
			map[string]any{"session": session, "dry_run": true, "return": "summary", "keep_turns": 1}),
		tool("compact_conversation", map[string]any{"session": session, "return": "receipt", "keep_turns": 1}),
		asked{"prompt context", "prompts/get", map[string]any{"name": "context",
			"arguments": map[string]string{"session": session, "agent": "Tester"}}},
		asked{"prompt environment", "prompts/get", map[string]any{"name": "environment"}},
		asked{"prompt memory", "prompts/get", map[string]any{"name": "memory"}},
		asked{"prompt resume", "prompts/get",
			map[string]any{"name": "resume", "arguments": map[string]string{"session": session}}})
}

// noted are what an agent notes for the others of a session.
func noted(session string, list []canary) (all []asked) {
	for _, c := range list[:min(len(list), 5)] {
		all = append(all, tool("log_attempt", map[string]any{"session": session, "attempt": c.text, "outcome": c.text}),
			tool("log_hypothesis", map[string]any{"session": session, "hypothesis": c.text}),
			tool("session_context", map[string]any{"session": session, "summary": "See " + c.text}))
	}
	return all
}

// others are questions about what is not of one session.
func others(artifact string) []asked {
	return []asked{
		tool("memory", map[string]any{"action": "recall", "query": "canary key password token", "limit": 20}),
		tool("memory", map[string]any{"action": "get", "name": "canary-1"}),
		{"resource memory", "resources/read", map[string]any{"uri": "ctxledger://memory/canary-1"}},
		{"resource memory", "resources/read", map[string]any{"uri": "ctxledger://memory/canary-2"}},
		{"resource changes", "resources/read", map[string]any{"uri": "ctxledger://changes"}},
		{"resource artifact", "resources/read", map[string]any{"uri": "ctxledger://artifact/" + artifact}},
	}
}

// agent asks the MCP server for what it has, hands messages in, saves memories, and asks for what there is not.
func (p *place) agent(s *search, list []canary, all []compacted, artifact string) {
	p.t.Helper()
	ask, closed := p.serve()
	defer closed()
	questioned := others(artifact)
	for _, c := range all {
		questioned = append(questioned, questions(c.session)...)
	}
	for _, q := range questioned {
		s.look(MCP, q.exit, "", ask(q.method, q.params))
	}
	p.handOver(s, ask, list)
	for _, c := range list[:min(len(list), 60)] {
		for _, q := range saved(c) {
			s.look(MCP, q.exit, "", ask(q.method, q.params))
		}
		for _, q := range refused(c) {
			s.look(MCP, "errors", q.exit, ask(q.method, q.params))
		}
	}
}

// handOver hands messages in, and asks about what they became.
func (p *place) handOver(s *search, ask asker, list []canary) {
	p.t.Helper()
	for _, h := range p.handed(list) {
		out := ask(h.method, h.params)
		s.look(MCP, h.exit, "of what is handed in", out)
		session := sessionAnswered.FindStringSubmatch(out)
		if session == nil {
			p.t.Fatalf("nothing was compacted: %.1000s", out)
		}
		for _, q := range append(noted(session[1], list), questions(session[1])...) {
			s.look(MCP, q.exit, "of what was handed in", ask(q.method, q.params))
		}
	}
}

var sessionAnswered = regexp.MustCompile(`compacted\\nsession ([0-9a-f]{8}): `)

// handed are compactions of conversations that are handed in, of every format, in every form of the answer that is
// masked.
func (p *place) handed(list []canary) (all []asked) {
	formats := transcript.Formats()
	for n, format := range formats {
		for i, form := range []string{"summary", "receipt"} {
			var mine []canary
			for j := n + i; j < len(list); j += 2 * len(formats) {
				mine = append(mine, list[j])
			}
			all = append(all, tool("compact_conversation", map[string]any{
				"messages": json.RawMessage(handedIn(p.t, format, mine)), "format": format, "model": name(mine[0]),
				"keep_turns": 1, "return": form,
				"notes": mine[0].text, "focus": mine[0].text, "pin": []string{mine[0].text},
			}))
		}
	}
	return all
}

// saved saves memories with a secret in each field.
func saved(c canary) []asked {
	return []asked{
		tool("memory", map[string]any{"action": "save", "name": "by-an-agent", "description": name(c), "body": c.text}),
		tool("memory", map[string]any{"action": "save", "name": name(c), "body": "x"}),
		tool("memory", map[string]any{"action": "recall", "query": c.text}),
		tool("memory", map[string]any{"action": "delete", "name": name(c)}),
	}
}

// refused are questions for what there is not, by a secret.
func refused(c canary) []asked {
	return []asked{
		{"a method", c.text[:min(len(c.text), 200)], map[string]any{}},
		{"a tool", "tools/call", map[string]any{"name": c.text, "arguments": map[string]any{}}},
		{"an artifact", "tools/call",
			map[string]any{"name": "read_artifact", "arguments": map[string]any{"id": c.text}}},
		{"an argument", "tools/call",
			map[string]any{"name": "memory", "arguments": map[string]any{"action": "get", c.text: 1}}},
		{"a memory", "tools/call",
			map[string]any{"name": "memory", "arguments": map[string]any{"action": "get", "name": c.text}}},
		{"a session", "tools/call",
			map[string]any{"name": "context_status", "arguments": map[string]any{"session": c.text}}},
		{"a format", "tools/call",
			map[string]any{"name": "compact_conversation",
				"arguments": map[string]any{"messages": []any{map[string]any{"role": c.text}}, "format": c.text}}},
		{"a message", "tools/call",
			map[string]any{"name": "compact_conversation",
				"arguments": map[string]any{"messages": []any{map[string]any{"role": c.text, "content": c.text}}}}},
		{"a resource", "resources/read", map[string]any{"uri": "ctxledger://" + c.text}},
		{"a prompt", "prompts/get", map[string]any{"name": c.text}},
	}
}
