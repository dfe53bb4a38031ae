package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/testonly/cases"
	"ctxledger.dev/internal/testonly/formattest"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// growth returns the turns of a session, after what must hold of any.
func growth(t *testing.T, l *engine.Local, id string) ledger.TurnStats {
	t.Helper()
	var g ledger.TurnStats
	for _, model := range []string{"claude-sonnet-4-5", "gpt-4", ""} {
		var err error
		if g, err = l.TurnStats(t.Context(), ledger.TurnStatsRequest{Session: id, Model: model}); err != nil {
			t.Fatal(err)
		}
		st, err := l.Status(t.Context(), ledger.StatusRequest{Session: id, Model: model})
		if err != nil {
			t.Fatal(err)
		}
		sound := fmt.Sprintf("%+v", st.Use) == fmt.Sprintf("%+v", g.Use)
		if st.Fixed != nil && g.Fixed != nil { // behind a pointer
			a, b := st.Use, g.Use
			a.Fixed, b.Fixed = nil, nil
			sound = *st.Fixed == *g.Fixed && fmt.Sprintf("%+v", a) == fmt.Sprintf("%+v", b)
		}
		if !sound {
			t.Errorf("model %q: the status says\n%+v\nthe growth\n%+v", model, st.Use, g.Use)
		}
		brief, err := l.Status(t.Context(), ledger.StatusRequest{Session: id, Model: model, Brief: true, Cost: true})
		if err != nil {
			t.Fatal(err)
		}
		want := st.Use
		want.Categories, want.Own, want.Saved = []ledger.Category{}, []ledger.Category{}, tokens.Count{}
		want.Sources, want.OwnSources = []ledger.Source{}, []ledger.Source{}
		want.NextDollars, want.NextBy = nil, ""
		if !reflect.DeepEqual(brief.Use, want) || len(brief.NextCuts)+len(brief.Agents) > 0 {
			t.Errorf("model %q: in brief the status says\n%+v\nand in full\n%+v", model, brief, st.Use)
		}
		if last := g.Turns[len(g.Turns)-1]; last.Held != g.Held || !sameParts(last.Own, g.Own) {
			t.Errorf("model %q: at last the agent's window holds %+v of %+v, the status says %+v of %+v", model, last.Held,
				last.Own, g.Held, g.Own)
		}
		if last := g.Turns[len(g.Turns)-1]; last.Used != st.Used || last.Measured != 0 && last.Measured != st.Measured {
			t.Errorf("model %q: the last turn %+v, the status %+v", model, last, st.Used)
		}
		for i, turn := range g.Turns {
			n := 0
			for _, p := range turn.Filled {
				n += p.Tokens
			}
			if n != turn.Used.N || i > 0 && turn.Turn != g.Turns[i-1].Turn+1 {
				t.Errorf("model %q: turn %d is filled with %d: %+v", model, i, n, turn)
			}
		}
	}
	return g
}

// TestAGrowthIsWhatTheViewsWere lets random sessions grow message by message, with compactions, edits and what is
// taken back, and compares what each turn is said to have been with the view that there was at its end. Now and
// then the growth is asked for meanwhile, and at the end of a ledger that has read nothing yet: it is the same.
func TestAGrowthIsWhatTheViewsWere(t *testing.T) {
	volume(t)
	turns, cuts := 0, 0
	for seed := range uint64(cases.Some(5)) {
		for _, p := range providers {
			r := rand.New(rand.NewPCG(seed, 7))
			state := t.TempDir()
			l, _ := openIn(t, state, "/home/dev/shop")
			messages := p.Messages(formattest.RandomTalk(r, transcript.Takes(p.Format, transcript.RoleSystem))...)
			w := watched{l: l, was: map[int]ledger.Status{}}
			for i, m := range messages {
				w.id = hand(t, l, ledger.AppendMessagesRequest{Session: w.id, Since: i > 0, Format: p.Format,
					Messages: [][]byte{m}}).Session
				w.note(t)
				w.disturb(t, r)
				w.note(t)
			}
			g := growth(t, l, w.id)
			for _, turn := range g.Turns {
				was, seen := w.was[turn.Turn]
				if turn.Turn > 0 && (!seen || turn.Used != was.Used || !sameParts(turn.Filled, was.Categories)) {
					t.Errorf("seed %d, %s: turn %d was %+v of %+v, the growth says %+v", seed, p.Name, turn.Turn,
						was.Used, was.Categories, turn)
				}
				if turn.Compacted+turn.Restored != "" {
					cuts++
				}
			}
			turns += len(g.Turns)
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			l, _ = openIn(t, state, "/home/dev/shop")
			if again := growth(t, l, w.id); !slices.EqualFunc(again.Turns, g.Turns, sameTurn) {
				t.Errorf("seed %d, %s: read at once the turns are\n%+v\nand not\n%+v", seed, p.Name, again.Turns,
					g.Turns)
			}
		}
	}
	if turns < cases.Some(100) || cuts < cases.Some(10) {
		t.Errorf("%d turns and %d cuts: the test shows nothing", turns, cuts)
	}
}

// watched is a session with the status that it had at the end of each turn.
type watched struct {
	l   *engine.Local
	id  string
	was map[int]ledger.Status
}

func (w *watched) note(t *testing.T) {
	t.Helper()
	st := status(t, w.l, w.id)
	w.was[st.Session.Turns] = st
}

// disturb does something to the session, or nothing.
func (w *watched) disturb(t *testing.T, r *rand.Rand) {
	t.Helper()
	switch r.IntN(10) {
	case 0:
		compact(t, w.l, w.id, compaction.Options{Keep: 1})
	case 1:
		if _, err := w.l.EditView(t.Context(),
			ledger.EditViewRequest{Session: w.id, Reader: ledger.Reader{Policy: anyPolicy(r)},
				Reason: "manual"}); err != nil {
			t.Fatal(err)
		}
	case 2:
		if st := status(t, w.l, w.id); st.Summary != "" {
			if _, err := w.l.Restore(t.Context(), ledger.RestoreRequest{ID: st.Summary}); err != nil {
				t.Fatal(err)
			}
		}
	case 3, 4:
		growth(t, w.l, w.id)
	}
}

// sameParts reports whether parts are those of a status.
func sameParts(parts []ledger.Part, categories []ledger.Category) bool {
	return slices.EqualFunc(parts, categories,
		func(p ledger.Part, c ledger.Category) bool { return p.Name == c.Name && p.Tokens == c.Tokens.N })
}

func sameTurn(a, b ledger.Turn) bool { return fmt.Sprintf("%+v", a) == fmt.Sprintf("%+v", b) }

// partsOf returns parts by name.
func partsOf(parts []ledger.Part) map[string]int {
	m := map[string]int{}
	for _, p := range parts {
		m[p.Name] = p.Tokens
	}
	return m
}

// TestAGrowthTellsWhatTurnsDid compacts in one turn and takes that back in the next.
func TestAGrowthTellsWhatTurnsDid(t *testing.T) {
	l := open(t)
	var id string
	ask := func(n int) {
		messages := say(fmt.Sprint("request ", n))
		messages = append(messages, round(fmt.Sprint("c", n), "Grep", map[string]any{"pattern": fmt.Sprint(n)},
			strings.Repeat("word ", 2_000))...)
		id = hand(t, l, ledger.AppendMessagesRequest{Session: id, Since: id != "",
			Messages: append(messages, say("", "done")[1:]...)}).Session
	}
	for n := range 4 {
		ask(n)
	}
	before := growth(t, l, id)
	p := compact(t, l, id, compaction.Options{Keep: 1})
	compacted := growth(t, l, id).Turns[3]
	if compacted.Compacted != p.Summary.ID || compacted.Restored != "" || compacted.Used.N >= before.Turns[3].Used.N ||
		partsOf(compacted.Filled)["summary"] == 0 {
		t.Errorf("compacted: %+v, before %+v", compacted, before.Turns[3])
	}
	ask(4)
	if _, err := l.Restore(t.Context(), ledger.RestoreRequest{ID: p.Summary.ID}); err != nil {
		t.Fatal(err)
	}
	g := growth(t, l, id)
	if last := g.Turns[4]; last.Restored != p.Summary.ID || last.Compacted != "" ||
		partsOf(last.Filled)["summary"] != 0 {
		t.Errorf("taken back: %+v", last)
	}
	if !sameTurn(g.Turns[3], compacted) {
		t.Errorf("what was is now %+v, not %+v", g.Turns[3], compacted)
	}
	again := compact(t, l, id, compaction.Options{Keep: 1})
	if _, err := l.Restore(t.Context(), ledger.RestoreRequest{ID: again.Summary.ID}); err != nil {
		t.Fatal(err)
	}
	if last := growth(t, l, id).Turns[4]; last.Compacted != "" || last.Restored != p.Summary.ID {
		t.Errorf("compacted and taken back in one turn: %+v", last)
	}
}

// TestAGrowthForgets has a turn forgotten that was reported before: its text and its size are deleted.
func TestAGrowthForgets(t *testing.T) {
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: say("one thing", "yes",
		"the plan is zebrafish and nothing else", strings.Repeat("zebrafish ", 500), "more", "no")}).Session
	before := growth(t, l, id)
	if before.Turns[1].Request != "the plan is zebrafish and nothing else" {
		t.Fatalf("%+v", before.Turns[1])
	}
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Text: "zebrafish"}); err != nil {
		t.Fatal(err)
	}
	after := growth(t, l, id)
	if raw, err := json.Marshal(after); err != nil || bytes.Contains(raw, []byte("zebrafish")) {
		t.Errorf("%s, %v", raw, err)
	}
	if len(after.Turns) != 3 || after.Turns[1].Request != "" || after.Turns[1].Used.N >= before.Turns[1].Used.N ||
		after.Turns[2].Used != after.Used {
		t.Errorf("%+v", after.Turns)
	}
}

// TestAGrowthOfARecordedSession reads a session as it was recorded: each request is a turn.
func TestAGrowthOfARecordedSession(t *testing.T) {
	l := open(t)
	id := shop(t, l)
	g := growth(t, l, id)
	prompts := 0
	for _, e := range log(t, l, id) {
		if e.Prompt {
			prompts++
		}
	}
	if len(g.Turns) != prompts || prompts == 0 || g.Earlier != 0 {
		t.Fatalf("%d turns of %d requests", len(g.Turns), prompts)
	}
}

// written is an entry as a host's file has it.
func written(text string, edit func(*sessions.NewEntry)) sessions.NewEntry {
	e := sessions.NewEntry{Kind: sessions.KindMessage, Time: start, Original: []byte(text),
		Message: transcript.Span{To: len(text)}, Format: transcript.Anthropic}
	if edit != nil {
		edit(&e)
	}
	return e
}

// TestAGrowthIsThatOfTheMainConversation imports a session with a subagent, and with answers that the host wrote in
// parts, saying with each what it adds.
func TestAGrowthIsThatOfTheMainConversation(t *testing.T) {
	l := open(t)
	answer := func(group string, u sessions.Usage) sessions.NewEntry {
		return written(`{"role":"assistant","content":"some words"}`,
			func(e *sessions.NewEntry) { e.Group, e.Usage = group, &u })
	}
	aside := func(text string) sessions.NewEntry {
		return written(text, func(e *sessions.NewEntry) {
			e.Hidden, e.Author, e.Usage = true, "explorer", &sessions.Usage{Input: 99_999}
		})
	}
	r, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
		Import: "i", Session: sessions.Session{Host: "h", HostID: "s"}, Next: 1, Done: true,
		Entries: []sessions.NewEntry{
			written(`{"role":"user","content":"go"}`, nil),
			answer("a", sessions.Usage{Input: 1_000, Output: 1}),
			aside(`{"role":"user","content":"` + strings.Repeat("look ", 1_000) + `"}`),
			aside(`{"role":"assistant","content":"found"}`),
			answer("b", sessions.Usage{CacheRead: 2_000, Output: 1}), answer("b", sessions.Usage{Output: 30}),
			aside(`{"role":"assistant","content":"late"}`),
			written(`{"role":"user","content":"on"}`, nil),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	g := growth(t, l, r.Session)
	if len(g.Turns) != 2 || g.Used.N > 100 || g.Turns[0].Used.N > 90 {
		t.Errorf("%+v", g.Turns)
	}
	if g.Measured != 2_031 || g.Turns[0].Measured != 2_031 || g.Turns[1].Measured != 0 {
		t.Errorf("measured %d, and in the turns %d and %d", g.Measured, g.Turns[0].Measured, g.Turns[1].Measured)
	}
}

// TestATurnThatWasInterruptedTakesNothingAway: it has no measurement of its own, so its window is the last one that was measured,
// plus the messages since. Most of this window is in no recorded message, so an estimate from messages alone would be far too low.
func TestATurnThatWasInterruptedTakesNothingAway(t *testing.T) {
	l := open(t)
	asked := func() sessions.NewEntry { return written(`{"role":"user","content":"go"}`, nil) }
	answer := func(in int64) sessions.NewEntry {
		return written(`{"role":"assistant","content":"some words"}`, func(e *sessions.NewEntry) {
			e.Usage = &sessions.Usage{Input: in, Output: 5}
		})
	}
	interrupted := written(`{"role":"user","content":"[Request interrupted by user]"}`, nil)
	r, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
		Import: "i", Session: sessions.Session{Host: "h", HostID: "s"}, Next: 1, Done: true,
		Entries: []sessions.NewEntry{asked(), answer(1_000), asked(), answer(50_000), asked(), interrupted, asked(),
			answer(50_040)},
	})
	if err != nil {
		t.Fatal(err)
	}
	before := 0
	for _, turn := range growth(t, l, r.Session).Turns {
		if turn.Held.N < before || turn.Turn == 3 && (turn.Held.Exact || turn.Held.N > 50_045) {
			t.Errorf("turn %d holds %+v, after %d", turn.Turn, turn.Held, before)
		}
		for _, p := range turn.Changed {
			if p.Tokens < 0 {
				t.Errorf("turn %d took %d of %s away", turn.Turn, -p.Tokens, p.Name)
			}
		}
		before = turn.Held.N
	}
}

// TestTurnsCostTogetherWhatTheSessionCost: each has the costs of its requests, those of a subagent in its log, and of models
// that have no price nothing.
func TestTurnsCostTogetherWhatTheSessionCost(t *testing.T) {
	l := open(t)
	said := func(role, model string, u *sessions.Usage) sessions.NewEntry {
		return written(`{"role":"`+role+`","content":"some words"}`,
			func(e *sessions.NewEntry) { e.Model, e.Usage = model, u })
	}
	aside := said("assistant", "claude-haiku-4-5", &sessions.Usage{Input: 9_000, Output: 70})
	aside.Hidden, aside.Author = true, "explorer"
	r, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
		Import: "i", Session: sessions.Session{Host: "h", HostID: "s"}, Next: 1, Done: true,
		Entries: []sessions.NewEntry{
			said("user", "", nil),
			said("assistant", "claude-sonnet-4-5", &sessions.Usage{Input: 1_000, Output: 20}), aside,
			said("user", "", nil), said("assistant", "of nobody", &sessions.Usage{Input: 1_000, Output: 20}),
			said("user", "", nil), said("assistant", "claude-sonnet-4-5", &sessions.Usage{CacheRead: 2_000, Output: 1}),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	g, err := l.TurnStats(t.Context(), ledger.TurnStatsRequest{Session: r.Session})
	if err != nil || len(g.Turns) != 3 || g.Dollars == nil {
		t.Fatalf("%+v, %v", g, err)
	}
	costs := []float64{g.Turns[0].Dollars, g.Turns[1].Dollars, g.Turns[2].Dollars}
	sum := costs[0] + costs[2]
	if costs[0] <= costs[2] || costs[1] != 0 || costs[2] == 0 || math.Abs(sum-*g.Dollars) > 1e-9 {
		t.Errorf("turns cost %v, the session %v", costs, *g.Dollars)
	}
}

// TestAGrowthIsBounded has more turns than are listed.
func TestAGrowthIsBounded(t *testing.T) {
	l := open(t)
	const turns = 507
	texts := make([]string, 2*turns)
	for i := range texts {
		texts[i] = fmt.Sprint("text ", i)
	}
	half := len(texts) / 2 &^ 1
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: say(texts[:half]...)}).Session
	growth(t, l, id)
	hand(t, l, ledger.AppendMessagesRequest{Session: id, Since: true, Messages: say(texts[half:]...)})
	g := growth(t, l, id)
	if len(g.Turns) != 500 || g.Earlier != turns-500 || g.Turns[0].Turn != turns-500+1 ||
		g.Turns[0].Request != fmt.Sprint("text ", 2*(turns-500)) {
		t.Errorf("%d turns behind %d: %+v", len(g.Turns), g.Earlier, g.Turns[0])
	}
	fresh := open(t)
	other := hand(t, fresh, ledger.AppendMessagesRequest{Messages: say(texts...)}).Session
	if at := growth(t, fresh, other); !slices.EqualFunc(at.Turns, g.Turns,
		func(a, b ledger.Turn) bool { return a.Used == b.Used && a.Turn == b.Turn && a.Seq == b.Seq }) ||
		at.Earlier != g.Earlier {
		t.Error("read at once, the turns are others")
	}
}

// TestAGrowthHoldsBackWhatNobodyMaySee masks secrets in requests, titles and names.
func TestAGrowthHoldsBackWhatNobodyMaySee(t *testing.T) {
	l := open(t)
	messages := append(say("use password=hunter2hunter2 now"),
		round("c1", "Read", map[string]any{"file_path": "/home/dev/shop/password=hunter2hunter2"}, "text")...)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: messages}).Session
	g, err := l.TurnStats(t.Context(), ledger.TurnStatsRequest{Session: id})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(g)
	if err != nil || bytes.Contains(raw, []byte("hunter2")) ||
		!strings.HasPrefix(g.Turns[0].Request, "use password=[masked:") {
		t.Errorf("%s, %v", raw, err)
	}
}

// TestAGrowthOfNothing asks of sessions without messages, and of none.
func TestAGrowthOfNothing(t *testing.T) {
	l := open(t)
	r, err := l.AppendEntries(t.Context(),
		ledger.AppendEntriesRequest{Import: "i", Session: sessions.Session{Host: "h", HostID: "s"}, Next: 1,
			Done: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if g, err := l.TurnStats(t.Context(), ledger.TurnStatsRequest{Session: r.Session}); err != nil ||
			g.Turns == nil || len(g.Turns) > 0 || g.Used.N != 0 {
			t.Errorf("%+v, %v", g, err)
		}
	}
	_, err = l.TurnStats(t.Context(), ledger.TurnStatsRequest{Session: "beef"})
	wantCode(t, err, fault.NotFound)
	_, err = l.TurnStats(t.Context(), ledger.TurnStatsRequest{Session: strings.Repeat("x", 10_000)})
	wantCode(t, err, fault.TooLarge)
}

// TestManyAskHowASessionGrew has several clients ask at once while the session grows.
func TestManyAskHowASessionGrew(t *testing.T) {
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: say("go", "yes")}).Session
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			newest := 0
			for range 20 {
				g, err := l.TurnStats(t.Context(), ledger.TurnStatsRequest{Session: id})
				if err != nil {
					t.Error(err)
					return
				}
				last := g.Turns[len(g.Turns)-1]
				if last.Used != g.Used || last.Turn != len(g.Turns) || last.Turn < newest {
					t.Errorf("%+v of %+v", last, g.Used)
				}
				newest = last.Turn
			}
		})
	}
	for range 20 {
		hand(t, l, ledger.AppendMessagesRequest{Session: id, Since: true, Messages: say("more", "yes")})
	}
	running.Wait()
	if g := growth(t, l, id); len(g.Turns) != 21 {
		t.Errorf("%d turns", len(g.Turns))
	}
}
