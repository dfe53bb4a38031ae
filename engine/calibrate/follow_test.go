package calibrate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ctxledger.dev/agents"
	"ctxledger.dev/engine"
	"ctxledger.dev/engine/calibrate"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const model = "claude-opus-4-7"

func open(t *testing.T, root string) *engine.Local {
	t.Helper()
	l, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Workspace: root, Env: env.System()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// write writes a session file in which each of n requests is a tool call whose result has twice the tokens
// of o200k_base.
func write(t *testing.T, dir, id string, n int) string {
	t.Helper()
	var b strings.Builder
	cached, grown := 0, 2000
	for i := range n {
		fmt.Fprintf(&b,
			`{"type":"assistant","uuid":"%[2]s-a%[1]d","sessionId":%[2]q,"timestamp":"2026-11-20T12:00:00Z","message":{"id":"%[2]s-m%[1]d","role":"assistant","model":%[3]q,"stop_reason":"tool_use","content":[{"type":"tool_use","id":"t%[1]d","name":"Bash","input":{"command":"x"}}],"usage":{"input_tokens":0,"cache_read_input_tokens":%[4]d,"cache_creation_input_tokens":%[5]d,"output_tokens":30}}}`+"\n",
			i, id, model, cached, grown)
		text := strings.Repeat(fmt.Sprintf("line %d of Output %d. ", i, i*i), 20+i)
		fmt.Fprintf(&b,
			`{"type":"user","uuid":"%[2]s-u%[1]d","sessionId":%[2]q,"timestamp":"2026-11-20T12:00:00Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%[1]d","content":%[3]q}]}}`+"\n", i, id, text)
		cached += grown
		grown = 30 + 2*tokens.O200kBase.CountString(text)
	}
	path := filepath.Join(dir, id+".jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func bring(t *testing.T, l ledger.API, path string) string {
	t.Helper()
	report, err := agents.Import(t.Context(), l, agents.Source{Path: path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report.Session
}

// renamed rewrites the session file with another model.
func renamed(t *testing.T, path, name string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(raw, []byte(model), []byte(name)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// learnt is how many measurements a ledger's estimator of the model has learnt from.
func learnt(t *testing.T, l ledger.API) int64 {
	t.Helper()
	got, err := l.Estimators(t.Context(), ledger.EstimatorsRequest{Models: []string{model}})
	if err != nil {
		t.Fatal(err)
	}
	if got.States[model] == nil {
		return 0
	}
	e, err := tokens.ParseEstimator(model, got.States[model])
	if err != nil {
		t.Fatal(err)
	}
	return e.Learned()
}

// kept is a ledger that stays open when it is closed.
type kept struct{ ledger.API }

func (kept) Close() error { return nil }

// failing fails to keep what was learnt, as if its owner had died just then.
type failing struct {
	ledger.API
	times int
}

func (f *failing) KeepEstimators(ctx context.Context, r ledger.KeepEstimatorsRequest) (ledger.Estimators, error) {
	if f.times--; f.times >= 0 {
		return ledger.Estimators{}, errors.New("died")
	}
	return f.API.KeepEstimators(ctx, r)
}

// follow runs Follow for so many rounds.
func follow(t *testing.T, l ledger.API, rounds int, user func(context.Context) (ledger.API, error)) {
	t.Helper()
	followBut(t, l, rounds, user, nil)
}

// followBut is follow without the sessions of which skip is true.
func followBut(t *testing.T, l ledger.API, rounds int, user func(context.Context) (ledger.API, error),
	skip func(sessions.Session) bool) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	err := calibrate.Follow(ctx, l, calibrate.Options{Env: env.System(), User: user, Skip: skip,
		Wait: func(context.Context, time.Duration) {
			if rounds--; rounds < 1 { // once after each round
				stop()
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFollowHasMeasuredUsageLearntOnce: across rounds, growing sessions, restarts, a ledger that could not
// be reached and one that died between learning and keeping, and for the same session in two workspaces.
func TestFollowHasMeasuredUsageLearntOnce(t *testing.T) {
	user, l, dir := open(t, ""), open(t, "/w"), t.TempDir()
	reach := func(context.Context) (ledger.API, error) { return kept{user}, nil }
	const id = "11111111-1111-4111-8111-111111111111"
	session := bring(t, l, write(t, dir, id, 20))

	away := true
	follow(t, &failing{l, 1}, 2, func(ctx context.Context) (ledger.API, error) {
		if away {
			away = false
			return nil, fault.New(fault.Unavailable, "test", "no user ledger")
		}
		return reach(ctx) // and then the owner dies after learning
	})
	if n, copied := learnt(t, user), learnt(t, l); n != 19 || copied != 0 {
		t.Errorf("%d measurements learnt, %d copied after a death", n, copied)
	}
	bring(t, l, write(t, dir, id, 50)) // the session grows
	follow(t, l, 1, reach)
	if n, copied := learnt(t, user), learnt(t, l); n != 49 || copied != 49 {
		t.Errorf("%d measurements learnt, %d copied", n, copied)
	}
	other := open(t, "/other")
	bring(t, other, filepath.Join(dir, id+".jsonl"))
	follow(t, other, 1, reach)
	if n, copied := learnt(t, user), learnt(t, other); n != 49 || copied != 49 {
		t.Errorf("the same session in another workspace: %d learnt, %d copied", n, copied)
	}
	status, err := l.Status(t.Context(), ledger.StatusRequest{Session: session})
	if err != nil || status.Counting != "calibrated(49)" {
		t.Errorf("%q: %v", status.Counting, err)
	}
}

// TestFollowManyMeasurementsOfManyModels: more than a request holds, in one session and in one round.
func TestFollowManyMeasurementsOfManyModels(t *testing.T) {
	user, l, dir := open(t, ""), open(t, "/w"), t.TempDir()
	bring(t, l, write(t, dir, "11111111-1111-4111-8111-111111111111", 200))
	var models []string
	for i := range 70 {
		name := fmt.Sprintf("claude-x%d", i)
		models = append(models, name)
		bring(t, l, renamed(t, write(t, dir, fmt.Sprintf("11111111-1111-4111-8111-2222222222%02d", i), 3), name))
	}
	follow(t, l, 1, func(context.Context) (ledger.API, error) { return kept{user}, nil })
	if n, copied := learnt(t, user), learnt(t, l); n != 199 || copied != 199 {
		t.Errorf("%d measurements learnt, %d copied", n, copied)
	}
	for half := range slices.Chunk(models, 35) {
		got, err := l.Estimators(t.Context(), ledger.EstimatorsRequest{Models: half})
		if err != nil || len(got.States) != 35 || got.Event == 0 {
			t.Errorf("%d states up to event %d: %v", len(got.States), got.Event, err)
		}
	}
}

// TestFollowLeavesTheUserLedgerAlone when there is nothing to learn: models that are counted exactly.
func TestFollowLeavesTheUserLedgerAlone(t *testing.T) {
	l := open(t, "/w")
	bring(t, l, renamed(t, write(t, t.TempDir(), "11111111-1111-4111-8111-111111111111", 5), "gpt-4o"))
	follow(t, l, 1, func(context.Context) (ledger.API, error) {
		t.Error("was opened")
		return nil, fault.New(fault.Unavailable, "test", "no user ledger")
	})
}

// TestFollowLearnsNothingFromASkippedSession, and from the others of the same ledger it does.
func TestFollowLearnsNothingFromASkippedSession(t *testing.T) {
	user, l, dir := open(t, ""), open(t, "/w"), t.TempDir()
	reach := func(context.Context) (ledger.API, error) { return kept{user}, nil }
	quiet := bring(t, l, write(t, dir, "11111111-1111-4111-8111-111111111111", 20))
	followBut(t, l, 1, reach, func(s sessions.Session) bool { return s.ID == quiet })
	if n := learnt(t, user); n != 0 {
		t.Errorf("%d measurements learnt from a session that is skipped", n)
	}
	bring(t, l, write(t, dir, "22222222-2222-4222-8222-222222222222", 10))
	followBut(t, l, 1, reach, func(s sessions.Session) bool { return s.ID == quiet })
	if n := learnt(t, user); n != 9 {
		t.Errorf("%d measurements learnt from the other session", n)
	}
}

// TestRoundsMakeNoDifference: what is learnt of sessions, whose order makes a difference, is the same whether one round takes
// them all in or each has one of its own.
func TestRoundsMakeNoDifference(t *testing.T) {
	ids := []string{"11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"}
	learn := func(apart, backwards bool) string {
		user, l, dir := open(t, ""), open(t, "/w"), t.TempDir()
		reach := func(context.Context) (ledger.API, error) { return kept{user}, nil }
		for i := range ids {
			if backwards {
				i = len(ids) - 1 - i
			}
			bring(t, l, write(t, dir, ids[i], 9+9*i))
			if apart {
				follow(t, l, 1, reach)
			}
		}
		if !apart {
			follow(t, l, 1, reach)
		}
		got, err := l.Estimators(t.Context(), ledger.EstimatorsRequest{Models: []string{model}})
		if err != nil {
			t.Fatal(err)
		}
		return string(got.States[model])
	}
	for _, backwards := range []bool{false, true} { // one of these is not the order of the ids
		if learn(false, backwards) != learn(true, backwards) {
			t.Errorf("another state by rounds, backwards: %v", backwards)
		}
	}
}

// TestFollowLearnsFromAForkOnce: its host copied the answers of the other session.
func TestFollowLearnsFromAForkOnce(t *testing.T) {
	user, l, dir := open(t, ""), open(t, "/w"), t.TempDir()
	reach := func(context.Context) (ledger.API, error) { return kept{user}, nil }
	const trunk, fork = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
	path := write(t, dir, trunk, 10)
	bring(t, l, path)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := strings.ReplaceAll(string(raw), `"sessionId":"`+trunk, `"sessionId":"`+fork)
	if err := os.WriteFile(filepath.Join(dir, fork+".jsonl"), []byte(copied), 0o600); err != nil {
		t.Fatal(err)
	}
	bring(t, l, filepath.Join(dir, fork+".jsonl"))
	follow(t, l, 1, reach)
	if n := learnt(t, user); n != 9 {
		t.Errorf("%d measurements learnt", n)
	}
}

// TestFollowBearsAUserLedgerThatFails: it is said once, and tried again less and less often.
func TestFollowBearsAUserLedgerThatFails(t *testing.T) {
	l := open(t, "/w")
	bring(t, l, write(t, t.TempDir(), "11111111-1111-4111-8111-111111111111", 5))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var said bytes.Buffer
	var waits []time.Duration
	err := calibrate.Follow(ctx, l, calibrate.Options{
		Env: env.System(), Log: slog.New(slog.NewTextHandler(&said, nil)),
		User: func(context.Context) (ledger.API, error) {
			return nil, fault.New(fault.Corrupt, "test", "a damaged user ledger")
		},
		Wait: func(_ context.Context, d time.Duration) {
			if waits = append(waits, d); len(waits) == 12 {
				stop()
			}
		},
	})
	if lines := strings.Count(said.String(), "\n"); err != nil || lines != 1 ||
		!strings.Contains(said.String(), "a damaged user ledger") {
		t.Errorf("%v: said %q", err, said.String())
	}
	if waits[0] != time.Minute || waits[1] != 2*time.Minute || waits[11] != time.Hour {
		t.Errorf("waited %v", waits)
	}
}

// TestASessionIsMeasuredAsSoonAsItIsRead: its figures are rough until then, and jump.
func TestASessionIsMeasuredAsSoonAsItIsRead(t *testing.T) {
	user, l := open(t, ""), open(t, "/w")
	bring(t, l, write(t, t.TempDir(), "11111111-1111-4111-8111-111111111111", 5))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	first := int64(-1)
	err := calibrate.Follow(ctx, l, calibrate.Options{Env: env.System(),
		User: func(context.Context) (ledger.API, error) { return kept{user}, nil },
		Wait: func(context.Context, time.Duration) {
			if first < 0 {
				first = learnt(t, l)
			}
			stop()
		}})
	if err != nil || first != 4 {
		t.Errorf("learnt from %d measurements before the first pause, not 4: %v", first, err)
	}
}

// damaged cannot read the log of one session.
type damaged struct {
	ledger.API
	session string
}

func (d damaged) Log(ctx context.Context, r ledger.LogRequest) (ledger.LogResponse, error) {
	if r.Session == d.session {
		return ledger.LogResponse{}, fault.New(fault.Corrupt, "test", "damaged")
	}
	return d.API.Log(ctx, r)
}

// TestFollowSkipsADamagedSession: the others are measured, and the ledger remembers a later event.
func TestFollowSkipsADamagedSession(t *testing.T) {
	user, l, dir := open(t, ""), open(t, "/w"), t.TempDir()
	bad := bring(t, l, write(t, dir, "11111111-1111-4111-8111-111111111111", 5))
	bring(t, l, write(t, dir, "11111111-1111-4111-8111-222222222222", 5))
	follow(t, damaged{l, bad}, 1, func(context.Context) (ledger.API, error) { return kept{user}, nil })
	got, err := l.Estimators(t.Context(), ledger.EstimatorsRequest{})
	if n := learnt(t, l); err != nil || n != 4 || got.Event == 0 {
		t.Errorf("learnt %d, up to event %d: %v", n, got.Event, err)
	}
}

// TestFollowKnowsTheUsersModels: one that is counted exactly teaches nothing, and the family of another is
// what its estimator starts with.
func TestFollowKnowsTheUsersModels(t *testing.T) {
	models, err := tokens.Builtin().With(tokens.Model{Name: "mine", Family: tokens.Claude},
		tokens.Model{Name: "exact", Encoding: tokens.O200kBase})
	if err != nil {
		t.Fatal(err)
	}
	states := map[bool][]byte{}
	for _, configured := range []bool{false, true} {
		user, l, dir := open(t, ""), open(t, "/w"), t.TempDir()
		bring(t, l, renamed(t, write(t, dir, "11111111-1111-4111-8111-111111111111", 2), "mine"))
		bring(t, l, renamed(t, write(t, dir, "11111111-1111-4111-8111-222222222222", 2), "exact"))
		o := calibrate.Options{Env: env.System(), User: func(context.Context) (ledger.API, error) {
			return kept{user}, nil
		}}
		if configured {
			o.Models = func() *tokens.Registry { return models }
		}
		ctx, stop := context.WithCancel(t.Context())
		rounds := 0
		o.Wait = func(context.Context, time.Duration) {
			if rounds++; rounds > 0 {
				stop()
			}
		}
		if err := calibrate.Follow(ctx, l, o); err != nil {
			t.Fatal(err)
		}
		got, err := l.Estimators(t.Context(), ledger.EstimatorsRequest{Models: []string{"mine", "exact"}})
		if err != nil || got.States["mine"] == nil || (got.States["exact"] == nil) != configured {
			t.Fatalf("configured %v: %d states: %v", configured, len(got.States), err)
		}
		states[configured] = got.States["mine"]
	}
	if bytes.Equal(states[false], states[true]) {
		t.Error("the family makes no difference")
	}
}
