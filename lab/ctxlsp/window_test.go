package ctxlsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAWindowIsSetWithOneCommand: what an editor shows of the live session follows, and the choice is in the user's file.
func TestAWindowIsSetWithOneCommand(t *testing.T) {
	p := newPlace(t)
	p.StopDaemons(t)
	p.put(t, "a.md", guide)
	a := newAgent(t, p)
	s := p.start(t, a.variables())
	s.inWorkspace(t, p, map[string]any{"status": true})
	a.read(t, "a.md", guide)
	before := s.awaitStatus(t, func(st status) bool { return st.Window > 0 })
	if before.Window != 400_000 || before.WindowFrom != "known for this model" {
		t.Errorf("%+v", before)
	}
	var w struct {
		Model, File string
		Window      int
		Set         bool
		Sizes       []struct {
			Tokens int
			Why    string
		}
	}
	must(t, s.Call(s.ctx, "ctxledger/window", map[string]any{}, &w))
	if w.Model != "gpt-5" || w.Window != 400_000 || w.Set || len(w.Sizes) != 1 || w.Sizes[0].Why != before.WindowFrom {
		t.Errorf("%+v", w)
	}
	if _, err := os.Stat(w.File); !os.IsNotExist(err) {
		t.Errorf("there is a file before anybody chose: %v", err)
	}

	var done struct{ Said, URI string }
	must(t, s.Call(s.ctx, "workspace/executeCommand", map[string]any{"command": "ctxledger.server.setWindow",
		"arguments": []any{map[string]any{"model": w.Model, "tokens": 272_000}}}, &done))
	if !strings.Contains(done.Said, "272,000") || !strings.HasSuffix(done.URI, "/ctxledger/config.yaml") {
		t.Errorf("%+v", done)
	}
	s.awaitStatus(t, func(st status) bool { return st.Window == 272_000 && st.WindowFrom == "you set it" })
	raw, err := os.ReadFile(w.File)
	if err != nil || string(raw) != "models:\n  gpt-5: {window: 272000}\n" {
		t.Errorf("%s, %v", raw, err)
	}
	for _, wrong := range []map[string]any{{"model": "gpt-5", "tokens": 7},
		{"model": "gpt-5", "tokens": 200_000, "automatic": true}, {"model": "gpt-4", "automatic": true}, {"tokens": 200_000}, {"model": "gpt-5"},
		{"model": "a\nb", "tokens": 200_000}} {
		err := s.Call(s.ctx, "workspace/executeCommand", map[string]any{"command": "ctxledger.server.setWindow",
			"arguments": []any{wrong}}, new(json.RawMessage))
		if err == nil {
			t.Errorf("%v is taken", wrong)
		}
	}
	if again, err := os.ReadFile(filepath.Clean(w.File)); err != nil || string(again) != string(raw) {
		t.Errorf("%s, %v", again, err)
	}
	must(t, s.Call(s.ctx, "ctxledger/window", map[string]any{}, &w))
	if !w.Set {
		t.Errorf("%+v", w)
	}
	must(t, s.Call(s.ctx, "workspace/executeCommand", map[string]any{"command": "ctxledger.server.setWindow",
		"arguments": []any{map[string]any{"model": w.Model, "automatic": true}}}, &done))
	s.awaitStatus(t, func(st status) bool {
		return st.Window == 400_000 && st.WindowFrom == "known for this model"
	})
	if after, err := os.ReadFile(w.File); err != nil || len(after) > 0 {
		t.Errorf("%s, %v", after, err)
	}
	s.leave(t)
}
