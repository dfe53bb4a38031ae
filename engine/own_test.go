package engine_test

import (
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"ctxledger.dev/internal/testonly/cases"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// ownOf returns what fills the agent's own window, by name.
func ownOf(t *testing.T, st ledger.Status) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, c := range st.Own {
		out[c.Name] = c.Tokens.N
	}
	return out
}

// The agent's own window is explained by what came since its host's last compaction: whole results, not our stubs; the
// host's summary, not ours; and what the host attached, which no record has.
func TestTheAgentsOwnWindowIsBrokenDown(t *testing.T) {
	l := open(t)
	long := strings.Repeat("word ", 20_000) // ours would be a stub
	entry := func(raw string) sessions.NewEntry {
		return sessions.NewEntry{Kind: sessions.KindMessage, Format: transcript.Anthropic, Original: []byte(raw)}
	}
	measured := func(raw string, prompt int64) sessions.NewEntry {
		e := entry(raw)
		e.Model, e.Usage = "gpt-4o", &sessions.Usage{Input: prompt}
		return e
	}
	id := imported(t, l, 0, asking("go"),
		measured(`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"Bash",`+
			`"input":{"command":"ls"}}]}`, 5_000),
		entry(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"`+long+`"}]}`),
		measured(`{"role":"assistant","content":"I see."}`, 25_200))
	before := ownOf(t, status(t, l, id))
	if n := before["tool results"]; n < 20_000 || before["artifact stubs"] > 0 {
		t.Errorf("the agent has the whole result: %v", before)
	}
	if n := before[ledger.CategoryFixed]; n < 4_950 || n > 5_000 {
		t.Errorf("every request carries %d", n)
	}
	st := status(t, l, id)
	// So it is by origin, where the view has a stub.
	if n, ours := st.OwnSources[0], st.Sources[0]; n.Name != "Bash" || n.Calls != 1 || n.Tokens.N < 20_000 ||
		n.Sent.N == 0 || n.Sent.N > 2_000 || n.Artifacts != 1 || ours.Name != "Bash" || ours.Tokens.N > 2_000 {
		t.Errorf("by origin: %+v, and of the view %+v", n, ours)
	}
	if n := before[ledger.CategoryRest]; n < 100 || n > 250 || sum(before) != st.Held.N {
		t.Errorf("%d are not attributable, and together it is %d of %d", n, sum(before), st.Held.N)
	}

	// A forgotten result is still in the agent's window.
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Text: long[:100]}); err != nil {
		t.Fatal(err)
	}
	if after := ownOf(t, status(t, l, id)); after["tool results"] < before["tool results"]-50 {
		t.Errorf("a result was forgotten: %v, before %v", after, before)
	}

	imported(t, l, 1, append(hostCut(true, 25_300), asking("on"),
		measured(`{"role":"assistant","content":"On."}`, 9_000))...)
	after := ownOf(t, status(t, l, id))
	if after["summary"] == 0 || after["tool results"] > 0 ||
		after[ledger.CategoryFixed] != before[ledger.CategoryFixed] {
		t.Errorf("after its host's compaction: %v", after)
	}
	if n := after[ledger.CategoryAttached]; n < 3_800 || n > 4_050 {
		t.Errorf("its host attached %d: %v", n, after)
	}
	if st := status(t, l, id); sum(after) < st.Held.N-10 || sum(after) > st.Held.N+10 {
		t.Errorf("together it is %d of %d: %v", sum(after), st.Held.N, after)
	}

	// A compaction of ours changes nothing there: what the host attached was no longer told apart (issue 46).
	for n := range 6 {
		imported(t, l, int64(n+2), asking(strings.Repeat("why ", 3_000)),
			measured(`{"role":"assistant","content":"Yes."}`, int64(12_100+3_010*n)))
	}
	after = ownOf(t, status(t, l, id))
	if p := compact(t, l, id, compactionOf(1)); p.Summary.ID == "" {
		t.Fatal("nothing was compacted")
	}
	if ours := ownOf(t, status(t, l, id)); !maps.Equal(ours, after) {
		t.Errorf("after a compaction of ours %v, before %v", ours, after)
	}
}

// The growth says of each turn what the agent's window held at its end: what the provider measured, and of what. After its
// host's compaction that is not what was measured before.
func TestAGrowthIsThatOfTheAgentsWindow(t *testing.T) {
	l := open(t)
	answer := func(text string, prompt int64) sessions.NewEntry {
		e := written(`{"role":"assistant","content":"`+text+`"}`, nil)
		e.Model, e.Usage = "gpt-4o", &sessions.Usage{Input: prompt, Output: 100}
		return e
	}
	id := imported(t, l, 0, asking("go"), answer("I go.", 5_000), asking("on"),
		answer(strings.Repeat("word ", 9_000), 40_000), asking("more"), answer("More.", 50_000))
	imported(t, l, 1, append(hostCut(true, 50_100), asking("again"), answer("Again.", 9_000))...)
	grown := func() []ledger.Turn {
		g, err := l.TurnStats(t.Context(), ledger.TurnStatsRequest{Session: id})
		if err != nil {
			t.Fatal(err)
		}
		return g.Turns
	}
	turns := grown()
	for i, want := range map[int]int{0: 5_100, 1: 40_100, 3: 9_100} {
		n := sum(partsOf(turns[i].Own))
		if turns[i].Held.N != want || !turns[i].Held.Exact || n < want-10 || n > want+10 {
			t.Errorf("turn %d holds %+v of %+v, want %d", i+1, turns[i].Held, turns[i].Own, want)
		}
	}
	cut := turns[2]
	if cut.Measured != 50_100 || cut.Held.Exact || cut.Held.N > 9_100 || partsOf(cut.Own)["summary"] == 0 {
		t.Errorf("the turn in which the host compacted: %+v", cut)
	}
	if n := partsOf(turns[1].Own)["assistant"]; n < 8_500 || n > 9_500 {
		t.Errorf("the answers of turn 2 take %d", n)
	}
	more := []sessions.NewEntry{asking("last"), answer("Last.", 60_000)}
	imported(t, l, 2, append(more, hostCut(false, 60_100)...)...)
	if last := grown()[4]; last.Measured != 60_100 || last.Held.N > 10_000 || last.Held.Exact {
		t.Errorf("after its host's compaction: %+v", last)
	}
}

func sum(parts map[string]int) (n int) {
	for _, x := range parts {
		n += x
	}
	return n
}

// A host writes an answer in parts and says with each what the whole answer took: a part after the first is not new.
func TestTheRestOfAMeasuredAnswerIsNotCountedTwice(t *testing.T) {
	l := open(t)
	answer := func(raw string) sessions.NewEntry {
		return sessions.NewEntry{Kind: sessions.KindMessage, Format: transcript.Anthropic, Original: []byte(raw),
			Group: "msg_1", Model: "gpt-4o"}
	}
	said := answer(`{"role":"assistant","content":[{"type":"text","text":"I write it."}]}`)
	said.Usage = &sessions.Usage{Input: 5_000, Output: 1_100}
	id := imported(t, l, 0, asking("go"), said, answer(`{"role":"assistant","content":[{"type":"tool_use","id":"1",`+
		`"name":"Write","input":{"file_path":"a","content":"`+strings.Repeat("word ", 1_000)+`"}}]}`))
	if st := status(t, l, id); st.Held.N != 6_100 {
		t.Errorf("the window holds %d", st.Held.N)
	}
	imported(t, l, 1, sessions.NewEntry{Kind: sessions.KindMessage, Format: transcript.Anthropic,
		Original: []byte(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"written"}]}`)})
	if st := status(t, l, id); st.Held.N <= 6_100 || st.Held.N > 6_120 {
		t.Errorf("with the result it holds %d", st.Held.N)
	}
}

// TestWhatCameBeforeTheRecordIsNotTheSystemPrompt: the first message of the log follows one that the log does not have. Its
// requests carry the messages of before, which were booked as the system prompt. After the host's compaction they are gone.
func TestWhatCameBeforeTheRecordIsNotTheSystemPrompt(t *testing.T) {
	l := open(t)
	follows := func(e sessions.NewEntry, id, parent string) sessions.NewEntry {
		e.HostID, e.HostParent = id, parent
		return e
	}
	answer := func(prompt int64) sessions.NewEntry {
		e := written(`{"role":"assistant","content":"On."}`, nil)
		e.Model, e.Usage = "gpt-4o", &sessions.Usage{Input: prompt, Output: 5}
		return e
	}
	id := imported(t, l, 0, follows(asking("on"), "b", "a"), answer(50_000))
	st := status(t, l, id)
	own := ownOf(t, st)
	if own[ledger.CategoryEarlier] < 49_000 || own[ledger.CategoryFixed] > 0 ||
		st.FixedName() != ledger.CategoryEarlier {
		t.Errorf("a record that begins in the middle: %v, %s", own, st.FixedName())
	}
	imported(t, l, 1, append(hostCut(true, 50_100), asking("on"), answer(9_000))...)
	if own := ownOf(t, status(t, l, id)); own[ledger.CategoryEarlier] > 0 || own[ledger.CategoryFixed] < 8_000 {
		t.Errorf("after its host's compaction: %v", own)
	}
	l = open(t)
	begun := sessions.NewEntry{Kind: sessions.KindNote, Note: "begun", Original: []byte("x"), HostID: "n"}
	id = imported(t, l, 0, begun, follows(asking("go"), "m", "n"), answer(5_000))
	if own := ownOf(t, status(t, l, id)); own[ledger.CategoryEarlier] > 0 || own[ledger.CategoryFixed] == 0 {
		t.Errorf("behind a note: %v", own)
	}
	l = open(t)
	begun.HostParent = "of another file" // Claude Code's note at the end of a turn, of which the file has no more
	id = imported(t, l, 0, begun, follows(asking("go"), "m", "n"), answer(50_000))
	if own := ownOf(t, status(t, l, id)); own[ledger.CategoryEarlier] < 49_000 || own[ledger.CategoryFixed] > 0 {
		t.Errorf("behind a note that follows what is not recorded: %v", own)
	}
}

// TestAnEstimateThatIsALittleTooLowExplainsTheWindow: what was measured beyond it is in the parts, as long as a mistaken estimate
// explains that; else it is unaccounted for. It was so from the first token on, and parts of one session had it in some turns.
func TestAnEstimateThatIsALittleTooLowExplainsTheWindow(t *testing.T) {
	answer := func(prompt int) sessions.NewEntry {
		e := written(`{"role":"assistant","content":"I see."}`, nil)
		e.Model, e.Usage = "claude-sonnet-4-5", &sessions.Usage{Input: int64(prompt), Output: 5}
		return e
	}
	for percent, explained := range map[int]bool{80: true, 115: true, 160: false} {
		l := open(t)
		id := imported(t, l, 0, asking("go"), answer(5_000), asking(strings.Repeat("one more word ", 5_000)))
		content := status(t, l, id).Held.N - 5_000
		imported(t, l, 1, answer(5_000+content*percent/100))
		st := status(t, l, id)
		if own := ownOf(t, st); (own[ledger.CategoryRest] == 0) != explained || sum(own) != st.Held.N {
			t.Errorf("%d%% of the estimate: %v, of %d", percent, own, st.Held.N)
		}
	}
}

// TestNoPartOfAWindowIsNegative: whatever a provider measures, the parts of a window are what it measured, and a turn in which
// nothing was cut makes no part smaller. Each turn has a measure of its own, and a turn "took" a few tokens of the user.
func TestNoPartOfAWindowIsNegative(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, model := range []string{"claude-opus-4-7", "gpt-4o"} {
		for range cases.Some(30) {
			var shares []int64
			for range 2 + r.IntN(4) {
				shares = append(shares, []int64{0, 1, 70 + r.Int64N(70), 90 + r.Int64N(20), 300}[r.IntN(5)])
			}
			l := open(t)
			id := measuredSession(t, l, model, shares...)
			switch r.IntN(4) {
			case 0:
				imported(t, l, 1, hostCut(r.IntN(2) == 0, 5_000)...)
			case 1: // less than the first request carried
				few := written(`{"role":"assistant","content":"Yes."}`, nil)
				few.Model, few.Usage = model, &sessions.Usage{Input: 1 + r.Int64N(500)}
				imported(t, l, 1, asking("on"), few)
			}
			g, err := l.TurnStats(t.Context(), ledger.TurnStatsRequest{Session: id})
			if err != nil {
				t.Fatal(err)
			}
			before := 0
			for i, turn := range g.Turns {
				own, changed := partsOf(turn.Own), partsOf(turn.Changed)
				for name, n := range own {
					if n < 0 || !turn.HostCompacted && changed[name] < 0 && name != ledger.CategoryRest {
						t.Errorf("%v, turn %d: %s is %d, and changed by %d", shares, turn.Turn, name, n, changed[name])
					}
				}
				if sum(own) != turn.Held.N || i > 0 && sum(changed) != turn.Held.N-before {
					t.Errorf("%v, turn %d: %v of %d; %v after %d", shares, turn.Turn, own, turn.Held.N, changed, before)
				}
				before = turn.Held.N
			}
		}
	}
}

// TestResultsThatTheHostClearedAreNotInItsWindow: what Claude Code had cleared still counted as held, and the file as read and
// in the window.
func TestResultsThatTheHostClearedAreNotInItsWindow(t *testing.T) {
	l := open(t)
	answer := func(raw string, prompt int64) sessions.NewEntry {
		e := written(raw, nil)
		e.Model, e.Usage = "gpt-4o", &sessions.Usage{Input: prompt, Output: 10}
		return e
	}
	call := `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"Read","input":{"file_path":"/home/dev/shop/a.go"}}]}`
	id := imported(t, l, 0, asking("go"), answer(call, 5_000),
		written(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"`+
			strings.Repeat("word ", 20_000)+`"}]}`, nil), answer(`{"role":"assistant","content":"Seen."}`, 25_100))
	held := func() (results, file int, reads ledger.FileReads) {
		t.Helper()
		st := status(t, l, id)
		c, err := l.Changes(t.Context(), ledger.ChangesRequest{Session: id})
		if err != nil || len(c.Reads) != 1 || len(st.OwnSources) != 2 {
			t.Fatalf("reads %+v, %+v, %v", c.Reads, st.OwnSources, err)
		}
		return ownOf(t, st)["tool results"], st.OwnSources[0].Tokens.N, c.Reads[0]
	}
	if results, file, reads := held(); results < 20_000 || file < 20_000 || reads.Held != reads.Tokens {
		t.Fatalf("before: results %d, the file %d, %+v", results, file, reads)
	}
	clear := sessions.NewEntry{Kind: sessions.KindNote, Note: "system microcompact_boundary", Original: []byte("{}"),
		Cleared: []sessions.Cleared{{Call: "1", Tokens: 7}, {Call: "unknown", Tokens: 7}}}
	imported(t, l, 1, clear)
	st := status(t, l, id)
	if st.Cut != ledger.CutCleared || st.Held.Exact || st.Held.N < 5_000 || st.Held.N > 5_300 {
		t.Errorf("cut by %q, it holds %+v", st.Cut, st.Held)
	}
	for i, when := range []string{"cleared", "measured since"} {
		results, file, reads := held()
		if results > 20 || file > 40 || reads.Held != (tokens.Amount{}) || reads.Reads != 1 {
			t.Errorf("%s: results %d, the file %d, %+v", when, results, file, reads)
		}
		imported(t, l, int64(2+i), asking("on"), answer(`{"role":"assistant","content":"On."}`, 5_200))
	}
	if st := status(t, l, id); st.Cut != "" || st.Held.N != 5_210 || st.Messages[0].Tokens.N > 100 {
		t.Errorf("cut by %q, it holds %+v, of which %+v", st.Cut, st.Held, st.Messages[0])
	}
	g, err := l.TurnStats(t.Context(), ledger.TurnStatsRequest{Session: id})
	if err != nil || partsOf(g.Turns[0].Own)["tool results"] > 20 || partsOf(g.Turns[1].Own)["tool results"] > 20 {
		t.Errorf("by turn: %+v, %v", g.Turns, err)
	}
}

// TestWhatIsClearedIsTakenInTheMeasureOfTheWindow: just after a clearing the parts were more than all, since the estimate of a
// result was taken from a measurement that had less of it.
func TestWhatIsClearedIsTakenInTheMeasureOfTheWindow(t *testing.T) {
	l := open(t)
	answer := func(raw string, prompt int64) sessions.NewEntry {
		e := written(raw, nil)
		e.Model, e.Usage = "gpt-4o", &sessions.Usage{Input: prompt, Output: 10}
		return e
	}
	call := `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"Read","input":{"file_path":"/home/dev/shop/a.go"}}]}`
	id := imported(t, l, 0, asking("go"), answer(call, 5_000),
		written(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"`+
			strings.Repeat("word ", 20_000)+`"}]}`, nil), answer(`{"role":"assistant","content":"Seen."}`, 15_100),
		sessions.NewEntry{Kind: sessions.KindNote, Note: "system microcompact_boundary", Original: []byte("{}"),
			Cleared: []sessions.Cleared{{Call: "1", Tokens: 7}}})
	st := status(t, l, id)
	sum := 0
	for _, x := range st.Own {
		sum += x.Tokens.N
	}
	if st.Held.N < st.Fixed.N || st.Held.N > st.Fixed.N+100 || sum != st.Held.N {
		t.Errorf("it holds %+v, of which %+v is fixed; the parts are %+v", st.Held, st.Fixed, st.Own)
	}
}
