package taint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ctxledger.dev/agents/hook"
	"ctxledger.dev/config"
	"ctxledger.dev/lab/wayback"
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
		{"hook_event_name": "UserPromptSubmit", "prompt": all}, // the whole record: no summary was handed on
		{"hook_event_name": "SessionStart", "source": "resume"}, {"hook_event_name": "PreCompact", "trigger": "auto"},
	}
	p.index(list)
	for i := range list[:min(len(list), 60)] {
		events = append(events, map[string]any{"hook_event_name": "PreToolUse", "tool_name": "Write",
			"tool_use_id": "w" + list[i].kind, "tool_input": map[string]any{"file_path": p.root + "/" + list[i].text,
				"content": "[cleared: read_file(" + list[i].text + ") — 100 chars, ~25 tokens; run the tool again]"}})
		// each is once near the end, which a stub shows
		text := all + strings.Repeat("\nfiller of an output that is long", 2_000) + "\n" + list[i].text
		events = append(events, map[string]any{"hook_event_name": "PostToolUse", "tool_name": "mcp__db__query",
			"tool_use_id": list[i].kind, "tool_input": map[string]any{"q": list[i].text}, "tool_response": text})
	}
	file, err := wayback.Make(p.env().Home, wayback.Server)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, e := range events {
		e["session_id"], e["cwd"], e["transcript_path"] = host, p.root, file
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
		settings, _ := config.Load(p.env(), p.root, "")
		o := hook.Options{Env: p.env(), Root: p.root, Open: open, Index: settings.Index, Server: wayback.Server}
		a, err := hook.Run(p.t.Context(), o, name, raw)
		if err == nil {
			err = a.After(p.t.Context(), true)
		}
		out := a.Out
		if err != nil || len(out) == 0 && e["source"] != "resume" { // which has everything already
			p.t.Errorf("%s: %.300q, %v", name, out, err)
		}
		if opened != nil && opened.Close() != nil {
			p.t.Error(name)
		}
		if e["source"] == "startup" && !strings.Contains(string(out), "<ctxledger_index>") {
			p.t.Errorf("no index: %s", out)
		}
		s.look(CLI, "hook", name, string(out))
	}
}

// index has documents listed whose headings hold secrets.
func (p *place) index(list []canary) {
	p.t.Helper()
	dir := filepath.Join(p.root, "listed")
	settings := filepath.Join(p.root, "ctxledger.yaml")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte(declared+"index: {references: [listed]}\n"), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = errors.Join(os.RemoveAll(dir), os.Remove(settings)) })
	for i, c := range list[:min(len(list), 5)] {
		heading := "# " + strings.ReplaceAll(c.text, "\n", " ")
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.md", i)), []byte(heading), 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
}
