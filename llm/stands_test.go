package llm

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/compaction"
	"ctxledger.dev/config"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// failing is a conversation whose tests fail in the end.
func failing() [][]byte {
	var out [][]byte
	for i := range 12 {
		out = append(out,
			fmt.Appendf(nil, `{"role":"user","content":"request %d: %s"}`, i,
				strings.Repeat("make the oven heat ", 20)),
			fmt.Appendf(nil,
				`{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"go test ./..."}}]}`, i),
			fmt.Appendf(nil,
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","is_error":true,"content":"Exit code 1\n--- FAIL: TestOven"}]}`, i),
			fmt.Appendf(nil, `{"role":"assistant","content":"answer %d"}`, i))
	}
	return out
}

// Whatever becomes of the model, over either protocol or as a program: the document that needs none is used,
// byte for byte, and the answer says why.
func TestTheDeterministicResultStands(t *testing.T) {
	const tooMuch = "## Completed\n- go test ./... fails in TestOven, and so on and on and on\n"
	for _, c := range []struct {
		name    string
		status  compaction.Status
		says    string
		answers func(d dialect, w http.ResponseWriter, r *http.Request)
		role    string // of the program
	}{
		{"it fails", compaction.Failed, "failed",
			func(_ dialect, w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusBadGateway) },
			"fail"},
		{"it takes too long", compaction.Failed, "did not answer within",
			func(_ dialect, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "stall"},
		{"it says nothing", compaction.Empty, "answer was empty",
			func(d dialect, w http.ResponseWriter, _ *http.Request) { reply(w, 200, d.okay(" \n", 9, 1, 0)) },
			"silent"},
		{"it says more than it got", compaction.TooLong, "tokens",
			func(d dialect, w http.ResponseWriter, _ *http.Request) {
				reply(w, 200, d.okay(strings.Repeat(tooMuch, 400), 9, 9_000, 0))
			}, "chatter"},
		{"the ledger refutes it", compaction.Refuted, "refutes",
			func(d dialect, w http.ResponseWriter, _ *http.Request) {
				reply(w, 200, d.okay(lies, 9, 9, 0))
			}, "lie"},
	} {
		clients := map[string]func(t *testing.T) *Client{"command": func(t *testing.T) *Client {
			return program(t, limitOf(c.role), c.role)
		}}
		for _, d := range dialects {
			clients[d.kind] = func(t *testing.T) *Client {
				p := serve(t, d, func(_ int, w http.ResponseWriter, r *http.Request) { c.answers(d, w, r) })
				return p.client(t, func(s *config.Summarizer) { s.Timeout = limitOf(c.role) })
			}
		}
		for kind, client := range clients {
			t.Run(c.name+"/"+kind, func(t *testing.T) {
				e := env.System()
				e.Lookup = func(string) string { return "" }
				l, err := engine.Open(t.Context(),
					engine.Options{State: t.TempDir(), Workspace: "/home/dev/oven", Env: e})
				if err != nil {
					t.Fatal(err)
				}
				defer l.Close() // a temporary ledger
				s, err := l.AppendMessages(t.Context(),
					ledger.AppendMessagesRequest{Format: transcript.Anthropic, Messages: failing()})
				if err != nil {
					t.Fatal(err)
				}
				r := ledger.PlanCompactionRequest{Session: s.Session, Options: compaction.Options{Keep: 2}}
				want, err := ledger.Compact(t.Context(), l, r, "", true)
				if err != nil {
					t.Fatal(err)
				}
				r.Options.Mode = compaction.Hybrid
				got, err := ledger.CompactBy(t.Context(), l, r, "", false, client(t).Author())
				if err != nil || got.Outcome != compaction.Compacted || got.Summary.Mode != compaction.Intent ||
					got.Summary.Text != want.Summary.Text {
					t.Fatalf("%v, %s: %s, mode %s\n%s", err, got.Outcome, got.Why, got.Summary.Mode, got.Summary.Text)
				}
				run := got.Summary.Run
				if run.Status != c.status || !strings.Contains(run.Reason, c.says) || run.Calls == 0 {
					t.Errorf("%+v", run)
				}
			})
		}
	}
}

// lies are statements that the ledger of failing refutes, one by one.
const lies = "## Completed\n- All tests pass.\n- `go test ./...` is green, 0 failures.\n## Key Findings\n- The suite runs without errors."

// limitOf is how long the model has: little where that is the case.
func limitOf(role string) time.Duration {
	if role == "stall" {
		return 200 * time.Millisecond
	}
	return time.Minute
}
