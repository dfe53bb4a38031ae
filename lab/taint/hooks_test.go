package taint

import (
	"context"
	"encoding/json"
	"strings"

	"ctxledger.dev/agents/hook"
	"ctxledger.dev/ledger"
)

// hooks lets the hooks of Claude Code answer events of the recorded session, and results that hold secrets.
func (p *place) hooks(s *search, list []canary) {
	p.t.Helper()
	var texts []string
	for _, c := range list {
		texts = append(texts, "a line of an output\n"+c.text)
	}
	all := strings.Join(texts, "\n")
	events := []map[string]any{
		{"hook_event_name": "SessionStart", "source": "startup"}, {"hook_event_name": "SessionStart", "source": "compact"},
		{"hook_event_name": "SessionStart", "source": "resume"}, {"hook_event_name": "PreCompact", "trigger": "auto"},
	}
	for i := range list[:min(len(list), 60)] {
		// each is once near the end, which a stub shows
		text := all + strings.Repeat("\nfiller of an output that is long", 2_000) + "\n" + list[i].text
		events = append(events, map[string]any{"hook_event_name": "PostToolUse", "tool_name": "mcp__db__query",
			"tool_use_id": list[i].kind, "tool_input": map[string]any{"q": list[i].text}, "tool_response": text})
	}
	for _, e := range events {
		e["session_id"], e["cwd"] = host, p.root
		raw, err := json.Marshal(e)
		if err != nil {
			p.t.Fatal(err)
		}
		var opened ledger.API
		open := func(ctx context.Context) (_ ledger.API, err error) {
			opened, err = p.open(ctx)
			return opened, err
		}
		name := e["hook_event_name"].(string)
		out, err := hook.Run(p.t.Context(), hook.Options{Env: p.env(), Root: p.root, Open: open}, name, raw)
		if err != nil || len(out) == 0 && e["source"] != "resume" { // which has everything already
			p.t.Errorf("%s: %.300q, %v", name, out, err)
		}
		if opened != nil && opened.Close() != nil {
			p.t.Error(name)
		}
		s.look(CLI, "hook", name, string(out))
	}
}
