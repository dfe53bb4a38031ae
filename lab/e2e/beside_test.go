package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/carried"
	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/ledger"
)

// The session of Codex beside the one that is followed: the host's id, and its model, whose tokenizer is known.
const (
	codexID    = "019a0000-1111-7222-8333-444444444444"
	codexModel = "gpt-5.1-codex"
)

// besideAgent begins the names of quantities that are of that session.
const besideAgent = "Codex: "

// codexSession writes the file of a session of Codex that is at work, and was before that of Claude Code.
func codexSession(t *testing.T, s *sandbox.Sandbox) {
	t.Helper()
	at := time.Now().UTC().Add(-3 * time.Minute)
	var b strings.Builder
	record := func(kind string, payload map[string]any) {
		raw, err := json.Marshal(map[string]any{"timestamp": at.Format("2006-01-02T15:04:05.000Z"), "type": kind, "payload": payload})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(raw, '\n'))
	}
	used := func(all, input int) {
		usage := func(n int) map[string]any {
			return map[string]any{"input_tokens": n, "output_tokens": 50, "total_tokens": n + 50}
		}
		record("event_msg", map[string]any{"type": "token_count", "info": map[string]any{"model_context_window": 258_400,
			"total_token_usage": usage(all), "last_token_usage": usage(input)}})
	}
	say := func(kind string, payload map[string]any) { payload["type"] = kind; record("response_item", payload) }
	words := func(kind, text string) []any { return []any{map[string]any{"type": kind, "text": text}} }
	record("session_meta", map[string]any{"id": codexID, "cwd": s.Workspace, "cli_version": "0.169.0"})
	record("turn_context", map[string]any{"turn_id": "t1", "cwd": s.Workspace, "model": codexModel})
	say("message", map[string]any{"role": "user", "content": words("input_text", "What is an order?")})
	say("function_call", map[string]any{"call_id": "c1", "name": "shell", "arguments": `{"command":["cat","docs/guide.md"]}`})
	used(9_000, 9_000)
	say("function_call_output", map[string]any{"call_id": "c1", "output": texts["docs/guide.md"]})
	say("message", map[string]any{"role": "assistant", "content": words("output_text", "It has an id.")})
	used(18_300, 9_300)
	dir := filepath.Join(s.Home, ".codex", "sessions", at.Format("2006/01/02"))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "rollout-"+at.Format("2006-01-02T15-04-05-")+codexID+".jsonl"), b.String())
}

// beside reads what there is of the other session: its agent's file in every request, and its window. Each was counted as the
// model of the followed session does, or was a share of its window, in one face.
func (w *witness) beside(f figures) {
	var cli struct{ Session ledger.Status }
	w.json(&cli, "status", codexID)
	st := cli.Session
	page := string(run(w.t, w.box, "status", codexID))
	tool, said := w.statusOf(st.Session.ID)
	panel, lens := w.contextOf(st.Session.ID), w.lens("AGENTS.md")
	window, held, used := besideAgent+"the window", besideAgent+"what it holds", besideAgent+"what ctxledger would send"
	file := besideAgent + "AGENTS.md in every request"
	for _, row := range []struct {
		quantity, face string
		n              int
	}{
		{held, "ctxledger status --json", st.Held.N},
		{held, "ctxledger status", w.find(`holds .* # of [0-9,]+ tokens`, page)},
		{held, "context_status", tool.Held.N},
		{held, "context_status in words", w.find(`window holds # tokens`, said)},
		{held, "the panel", panel.Held.N},
		{held, "the panel's parts together", sumOf(panel.Own)},
		{used, "ctxledger status --json", st.Used.N},
		{used, "context_status", tool.Used.N},
		{used, "the panel", panel.Used.N},
		{window, "ctxledger status --json", st.Window},
		{window, "context_status", tool.Window},
		{window, "the panel", panel.Window},
		{window, "the hover of the lens", w.find(`of the window of # tokens`, lens.Tooltip)},
		{file, "ctxledger context", w.find(`AGENTS.md +#`, string(run(w.t, w.box, "context", "--agent", "codex")))},
		{file, "context_status in words", w.find(`memory AGENTS.md: #`, said)},
		{file, "the lens", w.find(`Codex: # tokens in every request$`, lens.Title)},
		{file, "the hover of the lens", w.find(`Codex: # tokens in every request`, lens.Tooltip)},
		{file, "the hover of the first line", w.find(`Codex: # tokens in every request`, w.hover("AGENTS.md", 0))},
		{"tokens of AGENTS.md", "the hover of the lens", w.find(`the file itself: # tokens`, lens.Tooltip)},
		{"tokens of AGENTS.md", "the hover of the first line", w.find(`the file itself: # tokens`, w.hover("AGENTS.md", 0))},
	} {
		f.add(row.quantity, row.face, row.n)
	}
	for _, c := range st.Own {
		f.add(besideAgent+c.Name+" in its window", "ctxledger status --json", c.Tokens.N)
		f.add(besideAgent+c.Name+" in its window", "the panel", category(panel.Own, c.Name))
	}
	var list, view, apart struct{ Hosts []carried.Host }
	w.json(&list, "context")
	w.call("ctxledger/carried", "", nil, &view)
	w.callIn(w.apart, "ctxledger/carried", "", nil, &apart)
	for face, hosts := range map[string][]carried.Host{"ctxledger context --json": list.Hosts,
		"the view In Every Request": view.Hosts, "that view without a session": apart.Hosts} {
		at := slices.IndexFunc(hosts, func(h carried.Host) bool { return h.Name == "codex" })
		if at < 0 || hosts[at].Model != codexModel || !hosts[at].Carried.Exact {
			w.t.Fatalf("%s has of Codex %+v", face, hosts)
		}
		f.add(file, face, hosts[at].Carried.N)
		f.add(window, face, hosts[at].Window)
	}
}
