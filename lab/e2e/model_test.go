package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestAModelWritesWhereThePersonWantsIt compacts with a model server as people and agents do: what the workspace's
// configuration names is denied to both, and what the user's own names writes for both.
func TestAModelWritesWhereThePersonWantsIt(t *testing.T) {
	s := newBox(t)
	var asked atomic.Int64
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := asked.Add(1)
		raw, err := io.ReadAll(r.Body)
		if err != nil || !strings.Contains(string(raw), "TOOL CALL TRACE") || r.URL.Path != "/v1/chat/completions" {
			t.Errorf("%v: request %s %.200s", err, r.URL.Path, raw)
		}
		text := fmt.Sprintf("## Completed\n- what the model told, time %d\n## Open Questions\nNone.\n## Remaining "+
			"Work\nNone.\n## Key Findings\nNone.", n)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{ // the client may be gone
			"model": "m-7",
			"choices": []any{map[string]any{"message": map[string]string{"role": "assistant", "content": text},
				"finish_reason": "stop"}},
			"usage": map[string]int{"prompt_tokens": 20_000, "completion_tokens": 60},
		})
	}))
	defer model.Close()
	settings := fmt.Sprintf("summarizer: {kind: openai, url: %q, model: m}\n", model.URL)
	if err := os.WriteFile(filepath.Join(s.Workspace, "ctxledger.yaml"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(run(t, s, "import", absolute(t, recording)))), "\n")
	session := lines[len(lines)-1]
	agent := connect(t, s, s.Workspace, "agent")
	ask := map[string]any{"session": session, "mode": "hybrid", "keep_turns": 2, "budget_tokens": 5_000}

	var r struct{ Status, Reason, Summary string }
	compact := func() {
		t.Helper()
		r.Status, r.Reason, r.Summary = "", "", ""
		if _, err := agent.Call(deadlined(t), "compact_conversation", ask, &r); err != nil {
			t.Fatal(err)
		}
	}
	if compact(); r.Status != "refused" || !strings.Contains(r.Reason, "ctxledger config trust") || asked.Load() != 0 {
		t.Fatalf("%s: %s; the model was asked %d times", r.Status, r.Reason, asked.Load())
	}

	if _, err := s.Run(deadlined(t), "compact", "--mode", "llm", session); err == nil ||
		!strings.Contains(err.Error(), "has not been confirmed") {
		t.Fatal(err)
	}
	if compact(); r.Status != "refused" || asked.Load() != 0 { // that a person tried is no consent
		t.Fatalf("%s: %s; the model was asked %d times", r.Status, r.Reason, asked.Load())
	}
	own := filepath.Join(s.Home, ".config", "ctxledger", "config.yaml")
	if err := os.MkdirAll(filepath.Dir(own), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(own, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}

	var p struct {
		Outcome string
		Summary struct {
			ID, Text, Mode string
			Run            struct {
				Status, Model string
				Usage         struct{ Input, Output int }
			}
		}
	}
	if err := json.Unmarshal(run(t, s, "compact", "--mode", "llm", "--keep", "2", "--json", session), &p); err != nil {
		t.Fatal(err)
	}
	if sum := p.Summary; p.Outcome != "compacted" || sum.Mode != "llm" || sum.Run.Status != "accepted" ||
		sum.Run.Model != "m-7" ||
		sum.Run.Usage.Input != 20_000 || !strings.Contains(sum.Text, "what the model told, time 1") {
		t.Fatalf("%+v", p)
	}
	run(t, s, "restore", p.Summary.ID)

	if compact(); r.Status != "compacted" || !strings.Contains(r.Summary, "what the model told, time 2") ||
		asked.Load() != 2 {
		t.Fatalf("%s: %s: %s; the model was asked %d times", r.Status, r.Reason, r.Summary, asked.Load())
	}
	var listed struct {
		Session struct{ Usage struct{ Input, Output int64 } }
	}
	if err := json.Unmarshal(run(t, s, "sessions", "--json", session), &listed); err != nil {
		t.Fatal(err)
	}
	if in := listed.Session.Usage.Input; in < 40_000 {
		t.Errorf("the session's input is %d, without what its summaries cost", in)
	}
}
