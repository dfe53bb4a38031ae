package audit_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/audit"
	"ctxledger.dev/engine/replay"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/report"
	"ctxledger.dev/tokens"
)

// played audits a directory with a replay, and checks that nothing is left of that.
func played(t *testing.T, dir string) audit.Audit {
	t.Helper()
	e := env.System()
	state := t.TempDir()
	found := run(t, dir)
	found.Replay(t.Context(), 9, func(ctx context.Context, r agents.Recording) (audit.Played, error) {
		s, err := replay.SavingsOf(ctx, e,
			&replay.Session{Name: r.Name, State: state, About: r.About, Entries: r.Entries, Summaries: r.Summaries},
			tokens.Builtin())
		return audit.Played{Recorded: playOf(s.None), Ours: playOf(s.Ours), ReadBack: s.Ours.ReadBack,
			Unlike: s.Unlike}, err
	}, func(float64) {})
	if left, _ := filepath.Glob(filepath.Join(state, "*", "*")); len(left) > 0 {
		t.Errorf("%s is left", left[0])
	}
	return found
}

func playOf(o replay.Outcome) report.Play {
	return report.Play{Requests: o.Requests, Input: o.Input, Compactions: o.Compactions, Dollars: o.Dollars,
		Priced: o.Priced, Units: o.Units}
}

// shop returns the recorded session as if a model with a price had answered.
func shop(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../testdata/sessions/shop.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), `"model":"scripted"`, `"model":"claude-opus-4-5"`)
}

func TestTheDearestSessionsArePlayed(t *testing.T) {
	dir := t.TempDir()
	text := shop(t)
	const own = `{"type":"assistant","uuid":"own","timestamp":"2026-11-20T12:00:00Z","message":{"id":"msg_own","role":"assistant",` +
		`"model":"claude-opus-4-5","stop_reason":"end_turn","content":[{"type":"text","text":"Done."}],"usage":{"input_tokens":100,"output_tokens":5}}}` + "\n"
	for name, data := range map[string]string{
		"05758ff7-b05d-45d5-a684-2d87d43ae644.jsonl": text,
		"15758ff7-b05d-45d5-a684-2d87d43ae644.jsonl": text + own, // resumed: most of its requests count elsewhere
		"agent-1.jsonl": strings.ReplaceAll(text, `"id":"msg_`, `"id":"msg_sub_`), // a subagent's
		"25758ff7-b05d-45d5-a684-2d87d43ae644.jsonl": `{"type":"user","uuid":"u1"}`, // nothing was asked
	} {
		write(t, filepath.Join(dir, name), []byte(data))
	}
	found := played(t, dir)
	r := found.Replayed
	if r == nil || r.Sessions != 1 || r.Of != 1 || len(r.Rows) != 1 {
		t.Fatalf("played %+v", r)
	}
	row := r.Rows[0]
	if r.Reported != row.Reported || row.Reported.Requests == 0 || r.Part <= 0 || r.Part > 1 {
		t.Errorf("%+v of %+v is %f", r.Reported, found.Total, r.Part)
	}
	if !r.Recorded.Priced || r.Recorded.Dollars <= 0 || r.Ours.Dollars <= 0 {
		t.Errorf("recorded %+v, ours %+v", r.Recorded, r.Ours)
	}
	want := 1 - r.Ours.Dollars/r.Recorded.Dollars
	if r.Saved != want || row.Saved != want || (r.Dearer == 1) != (want < 0) {
		t.Errorf("saved %f and %f, want %f; %d are dearer", r.Saved, row.Saved, want, r.Dearer)
	}
	// The price of the recorded session in a replay is near the reported one.
	if ratio := r.Recorded.Dollars / row.Reported.Dollars; ratio < 0.5 || ratio > 2 {
		t.Errorf("reported $%.2f, reckoned $%.2f", row.Reported.Dollars, r.Recorded.Dollars)
	}
}

// TestASessionWhoseAgentSentLessIsNotCompared: its file was compared with what nothing ever sent, and 99% were saved.
func TestASessionWhoseAgentSentLessIsNotCompared(t *testing.T) {
	dir := t.TempDir()
	text := regexp.MustCompile(`"(input_tokens|cache_read_input_tokens|cache_creation_input_tokens)":\d+`).
		ReplaceAllString(shop(t), `"$1":100`)
	write(t, filepath.Join(dir, "05758ff7-b05d-45d5-a684-2d87d43ae644.jsonl"), []byte(text))
	found := played(t, dir)
	if r := found.Replayed; r == nil || r.Sessions != 0 || r.Unlike != 1 || r.Saved != 0 || r.Left() == "" {
		t.Errorf("played %+v", r)
	}
}

// TestAnInterruptedReplayKeepsWhatIsDone: nothing was printed of minutes of work.
func TestAnInterruptedReplayKeepsWhatIsDone(t *testing.T) {
	dir := t.TempDir()
	for _, id := range []string{"a", "b", "c"} {
		write(t, filepath.Join(dir, id+".jsonl"),
			[]byte(`{"type":"assistant","uuid":"u","sessionId":"`+id+`","message":{"id":"m`+id+
				`","role":"assistant","model":"gpt-4o","content":"Done.","usage":{"input_tokens":100}}}`))
	}
	ctx, cancel := context.WithCancel(t.Context())
	found := run(t, dir)
	var begun atomic.Int64
	found.Replay(ctx, 2, func(ctx context.Context, _ agents.Recording) (audit.Played, error) {
		if begun.Add(1) == 1 {
			return audit.Played{Recorded: report.Play{Requests: 1}}, nil
		}
		<-ctx.Done()
		return audit.Played{}, ctx.Err()
	}, func(share float64) {
		if share > 0 {
			cancel()
		}
	})
	if r := found.Replayed; r.Sessions != 1 || r.Of != 3 || len(r.Rows) != 1 {
		t.Errorf("%+v", r)
	}
}
