package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ctxledger.dev/changes"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// read is a call that reads a file, and its result.
func read(id string, failed bool) [][]byte {
	return [][]byte{
		fmt.Appendf(nil,
			`{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":"Read","input":{"file_path":"/ws/a.go"}}]}`, id),
		fmt.Appendf(nil,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"package a","is_error":%v}]}`, id, failed),
	}
}

// TestTheLiveSessionIsFollowed opens a ledger that cannot be opened at first, and appends to a session.
func TestTheLiveSessionIsFollowed(t *testing.T) {
	local, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Workspace: "/ws", Env: env.System()})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close() // Follow closes it too
	tries := 0
	told := followed(t, func(context.Context) (Ledger, error) {
		if tries++; tries == 1 {
			return nil, fault.New(fault.Unavailable, "test", "not now").WithHint("wait")
		}
		return unclosed{local}, nil
	})
	if s := <-told; s.Problem != "not now" || s.Hint != "wait" {
		t.Errorf("the first state is %+v", s)
	}
	if s := <-told; s.Problem != "" || s.Session != "" {
		t.Errorf("without a session the state is %+v", s)
	}
	first := slices.Concat([][]byte{[]byte(`{"role":"user","content":"Please read with password=hunter2hunter2."}`)},
		read("t1", false), read("t2", true))
	r, err := local.AppendMessages(t.Context(),
		ledger.AppendMessagesRequest{Host: "test", Model: "gpt-5", Messages: first})
	if err != nil {
		t.Fatal(err)
	}
	awaited(t, told, func(s State) bool { return s.Session == r.Session && s.Files["a.go"].Reads == 1 })
	_, err = local.AppendMessages(t.Context(),
		ledger.AppendMessagesRequest{Session: r.Session, Since: true, Messages: read("t3", false)})
	if err != nil {
		t.Fatal(err)
	}
	s := awaited(t, told, func(s State) bool { return s.Files["a.go"].Reads == 2 })
	f := s.Files["a.go"]
	if f.Took.N != 24 || f.Stale || s.Model != "gpt-5" || s.Held.N == 0 ||
		!strings.HasPrefix(s.Title, "Please read with password=[masked:") {
		t.Errorf("the state is %+v", s)
	}
	state := func(hash string, at time.Time) changes.State {
		return changes.State{Path: "a.go", Exists: true, Size: 9, Modified: at, Hash: strings.Repeat(hash, 64)}
	}
	began := time.Now()
	before := state("a", began.Add(-time.Hour))
	if _, err := local.RecordStates(t.Context(), ledger.RecordStatesRequest{
		Started: began, States: []ledger.Observation{{State: state("b", time.Now()), Seen: time.Now(),
			Before: &before}},
	}); err != nil {
		t.Fatal(err)
	}
	s = awaited(t, told, func(s State) bool { return s.Files["a.go"].Stale })
	if by := s.Files["a.go"].By; by != changes.External {
		t.Errorf("by %q", by)
	}
	_, err = local.AppendMessages(t.Context(),
		ledger.AppendMessagesRequest{Session: r.Session, Since: true, Messages: read("t4", false)})
	if err != nil {
		t.Fatal(err)
	}
	awaited(t, told, func(s State) bool { return s.Files["a.go"].Reads == 3 && !s.Files["a.go"].Stale })
}

// TestWithoutASessionTextsAreCountedForTheNewest: one that is days old is not followed, and its model is what the command
// line and the tools count for.
func TestWithoutASessionTextsAreCountedForTheNewest(t *testing.T) {
	local, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Workspace: "/ws", Env: env.System()})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close() // Follow closes it too
	told := followed(t, func(context.Context) (Ledger, error) { return unclosed{local}, nil })
	awaited(t, told, func(s State) bool { return s.Problem == "" && s.Model == "" })
	for i, model := range []string{"claude-sonnet-4-5", "claude-opus-4-6"} {
		_, err := local.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
			Import: model, Session: sessions.Session{Host: "h", HostID: model}, Done: true, Next: 1,
			Entries: []sessions.NewEntry{{Kind: sessions.KindMessage, Format: transcript.Anthropic, Model: model,
				Time: time.Now().AddDate(0, 0, i-5), Original: []byte(`{"role":"assistant","content":"I looked."}`)}},
		})
		if err != nil {
			t.Fatal(err)
		}
		awaited(t, told, func(s State) bool { return s.Session == "" && s.Model == model && s.Learnt.Model == model })
	}
}

// TestAWarningStaysUntilACompaction: it is a part of the state, and no message.
func TestAWarningStaysUntilACompaction(t *testing.T) {
	p := window.Default()
	p.Compact.WarnAt = 1_000
	local, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Workspace: "/ws", Env: env.System(),
		Settings: engine.Settings{Policy: &p}})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close() // Follow closes it too
	told := followed(t, func(context.Context) (Ledger, error) { return unclosed{local}, nil })
	awaited(t, told, func(State) bool { return true })
	comes := func(offset, input int64) {
		t.Helper()
		_, err := local.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
			Import: "i", Session: sessions.Session{Host: "h", HostID: "i"}, Done: true,
			Offset: offset, Next: offset + 1,
			Entries: []sessions.NewEntry{{Kind: sessions.KindMessage, Format: transcript.Anthropic, Time: time.Now(),
				Usage: &sessions.Usage{Input: input}, Original: []byte(`{"role":"assistant","content":"I looked."}`)}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	comes(0, 1_200)
	want := "the conversation: 1,200 tokens of input since the last compaction, warn_at is 1,000"
	s := awaited(t, told, func(s State) bool { return s.Warning != "" })
	if s.Session == "" || s.Warning != want {
		t.Errorf("told %+v", s)
	}
	warned := s.Event
	comes(1, 5_000)
	if s = awaited(t, told, func(s State) bool { return s.Event > warned }); s.Warning != want {
		t.Errorf("then %+v", s)
	}
	_, err = local.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
		Import: "i", Session: sessions.Session{Host: "h", HostID: "i"}, Done: true, Offset: 2, Next: 4,
		Entries: []sessions.NewEntry{
			{Kind: sessions.KindNote, Time: time.Now(), Original: []byte("{}"), Cut: &sessions.HostCut{Before: 5_000}},
			{Kind: sessions.KindMessage, Format: transcript.Anthropic, Time: time.Now(), Hidden: true,
				Original: []byte(`{"role":"user","content":"This session is being continued from a previous conversation that ran out of context. They looked."}`)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	awaited(t, told, func(s State) bool { return s.Session != "" && s.Warning == "" })
}

// followed follows what open opens until the test ends.
func followed(t *testing.T, open func(context.Context) (Ledger, error)) <-chan State {
	t.Helper()
	told, done := make(chan State), make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	o := Options{Env: env.System(), Open: open, Tell: func(s State) {
		select {
		case told <- s:
		case <-ctx.Done():
		}
	}}
	go func() {
		Follow(ctx, o)
		close(done)
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
	return told
}

// unclosed is a ledger that outlives who follows it.
type unclosed struct{ ledger.API }

func (unclosed) Close() error { return nil }

// awaited waits for a state.
func awaited(t *testing.T, told <-chan State, ok func(State) bool) State {
	t.Helper()
	patience := time.NewTimer(30 * time.Second)
	defer patience.Stop()
	var last State
	for {
		select {
		case last = <-told:
			if ok(last) {
				return last
			}
		case <-patience.C:
			t.Fatal(errors.New("it does not come"), last)
		}
	}
}
