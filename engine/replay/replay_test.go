package replay_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ctxledger.dev/agents"
	"ctxledger.dev/engine/replay"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/tokens"
)

// shopFile is a session that the real Claude Code recorded, see testdata/sessions/README.md.
const shopFile = "../../testdata/sessions/shop.jsonl"

// session reads the first lines of the recorded session, with a compaction by its host before the line
// given, 0 for none.
func session(t *testing.T, most, at int) *replay.Session {
	t.Helper()
	raw, err := os.ReadFile(shopFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(raw, []byte("\n"))[:most]
	if at > 0 {
		summary, err := json.Marshal(map[string]any{
			"type": "user", "uuid": "5b0b5b0b-0000-4000-8000-000000000001", "isCompactSummary": true,
			"message": map[string]string{"role": "user",
				"content": "We worked on the shop: pricing.Gross rounds in integers. " +
					fmt.Sprint(make([]int, 1500))},
		})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines[:at:at], append([][]byte{append(summary, '\n')}, lines[at:]...)...)
	}
	file := filepath.Join(t.TempDir(), "shop.jsonl")
	if err := os.WriteFile(file, bytes.Join(lines, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	opened, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	r, err := agents.Read(opened, file)
	if err != nil {
		t.Fatal(err)
	}
	return &replay.Session{Name: "shop", State: state(t), About: r.About, Entries: r.Entries, Summaries: r.Summaries}
}

// state is a directory in which no temporary ledger is left.
func state(t *testing.T) string {
	dir := t.TempDir()
	t.Cleanup(func() {
		if left, err := filepath.Glob(filepath.Join(dir, "*", "*")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	})
	return dir
}

const (
	some    = 330 // lines: almost half of the session
	halfway = 200 // a line between two requests
)

func TestPoliciesAreComparedRequestByRequest(t *testing.T) {
	r, err := replay.Run(t.Context(), env.System(), session(t, some, halfway), tokens.Builtin(), replay.Policies())
	if err != nil || len(r.Outcomes) != len(replay.Policies()) {
		t.Fatal(len(r.Outcomes), err)
	}
	none := r.Outcomes[0]
	if none.ReadBack != 0 || none.Compactions != 1 || none.Requests < 50 {
		t.Errorf("none: %+v", none)
	}
	for i, o := range r.Outcomes {
		possible := o.Input > 0 && o.CacheRead < o.Input && o.Stable > 0 && o.Stable <= 1 && o.Kept > 0 && o.Kept <= 1
		if !possible || o.Requests < none.Requests-1 {
			t.Errorf("%+v", o)
		}
		if o.Policy != replay.Policies()[i].Name {
			t.Errorf("outcome %d is of %s", i, o.Policy)
		}
	}
	again, err := replay.Run(t.Context(), env.System(), session(t, some, halfway), tokens.Builtin(),
		replay.Policies()[:1])
	if err != nil || again.Outcomes[0] != none {
		t.Errorf("another run differs:\n%+v\n%+v, %v", none, again, err)
	}
}

// Between recorded steps a request begins with all of the one before; a window that slides does not.
func TestInvariant4HoldsInReplay(t *testing.T) {
	r, err := replay.Run(t.Context(), env.System(), session(t, 699, halfway), tokens.Builtin(), replay.Policies())
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range r.Outcomes {
		if i != 1 && (o.Broken > 0 || o.Stable != 1) {
			t.Errorf("%s: %d of %d requests broken", o.Policy, o.Broken, o.Requests)
		}
	}
}

// What a summary lacks costs a request more, with the whole view in front of it.
func TestWhatTheViewLacksIsReadBackAndCharged(t *testing.T) {
	r, err := replay.Run(t.Context(), env.System(), session(t, 699, 0), tokens.Builtin(), replay.Policies()[:2])
	if err != nil {
		t.Fatal(err)
	}
	none := r.Outcomes[0]
	for _, o := range r.Outcomes[1:] {
		if o.Requests != none.Requests+o.ReadBack {
			t.Errorf("%s: %d requests, %d recorded, %d to read back", o.Policy, o.Requests, none.Requests, o.ReadBack)
		}
	}
	if ratio := float64(none.Input) / float64(r.Recorded); ratio < 0.9 || ratio > 1.1 {
		t.Errorf("%d tokens of input, the provider counted %d", none.Input, r.Recorded)
	}
	if none.Compactions != 0 || none.Kept < 0.999 {
		t.Errorf("nothing was cut, but: %+v", none)
	}
}

// The recorded session is far from filling its window there, so there is nothing to save and nothing to lose.
func TestSavingsAreThoseOfTheDefault(t *testing.T) {
	got, err := replay.SavingsOf(t.Context(), env.System(), session(t, halfway, 0), tokens.Builtin())
	if err != nil || got.None.Policy != "none" || got.Ours.Policy != "ctxledger" {
		t.Fatal(got, err)
	}
	if want := 1 - got.Ours.Units/got.None.Units; got.Share != want || got.Share < -0.02 || got.Share > 0.02 {
		t.Errorf("share %v, want %v", got.Share, want)
	}
	empty := &replay.Session{About: session(t, some, 0).About}
	none, err := replay.SavingsOf(t.Context(), env.System(), empty, tokens.Builtin())
	if err != nil || none.Share != 0 {
		t.Error(none, err)
	}
}

// TestEachRequestIsReplayedAtThePriceOfItsModel: where only the newest model is dear, the others are not; one without a price
// costs nothing.
func TestEachRequestIsReplayedAtThePriceOfItsModel(t *testing.T) {
	costs := func(before, newest string) float64 {
		s := session(t, halfway, 0)
		group := "" // of the newest answer
		for _, e := range s.Entries {
			if e.Model != "" && e.Usage != nil {
				group = e.Group
			}
		}
		for i := range s.Entries {
			if e := &s.Entries[i]; e.Model != "" && e.Group == group {
				e.Model = newest
			} else if e.Model != "" {
				e.Model = before
			}
		}
		got, err := replay.SavingsOf(t.Context(), env.System(), s, tokens.Builtin())
		if err != nil || got.None.Requests < 10 {
			t.Fatal(got, err)
		}
		if priced := before != newest || before != "nobody-knows"; got.None.Priced != priced {
			t.Errorf("%s, then %s: a price is known: %v", before, newest, got.None.Priced)
		}
		return got.None.Dollars
	}
	const haiku, opus, unknown = "claude-haiku-4-5", "claude-opus-4-1", "nobody-knows"
	cheap, mixed, dear, alone := costs(haiku, haiku), costs(haiku, opus), costs(opus, opus), costs(unknown, opus)
	if mixed < cheap || mixed > dear/2 || alone == 0 || alone > mixed-cheap/2 {
		t.Errorf("$%v, with a dear one at the end $%v, without the others $%v, all dear $%v", cheap, mixed, alone, dear)
	}
	if none := costs(unknown, unknown); none != 0 {
		t.Errorf("$%v of a model without a price", none)
	}
}

// TestEachModelHasACacheOfItsOwn: a request of another model reads nothing of what was cached for the one before, and the next
// one of that reads it all the same.
func TestEachModelHasACacheOfItsOwn(t *testing.T) {
	const haiku, opus = "claude-haiku-4-5", "claude-opus-4-1"
	reads := func(model func(request int) string) int64 {
		s := session(t, halfway, 0)
		request, group := -1, ""
		for i := range s.Entries {
			e := &s.Entries[i]
			if e.Model == "" {
				continue
			}
			if e.Group != group {
				request, group = request+1, e.Group
			}
			e.Model = model(request)
		}
		r, err := replay.Run(t.Context(), env.System(), s, tokens.Builtin(), replay.Policies()[:1])
		if err != nil || r.Outcomes[0].Requests < 20 {
			t.Fatal(r, err)
		}
		return r.Outcomes[0].CacheRead
	}
	const at = 10
	alone := reads(func(int) string { return opus })
	once := alone - reads(func(request int) string {
		if request < at {
			return haiku
		}
		return opus
	})
	between := alone - reads(func(request int) string {
		if request == at {
			return haiku
		}
		return opus
	})
	if once <= 0 || between < once || between > once+once/2 {
		t.Errorf("of %d tokens that are read, a change of the model loses %d, and one with a way back %d", alone, once, between)
	}
}
