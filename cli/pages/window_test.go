package pages

import (
	"bytes"
	"strings"
	"testing"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// TestAWindowThatWasNotMeasuredSaysSo: a conversation of 87 tokens was told to fill 0% of a window.
func TestAWindowThatWasNotMeasuredSaysSo(t *testing.T) {
	held := tokens.Count{N: 87, Upper: 90}
	p := Page{Line: func(text string, _ int) string { return text }}
	for _, c := range []struct {
		name string
		use  ledger.Use
		want bool
	}{
		{"nothing was measured", ledger.Use{Held: held, Window: 200_000}, true},
		{"nor is the size known", ledger.Use{Held: held}, true},
		{"an answer was measured", ledger.Use{Held: held, Window: 200_000, Measured: 80}, false},
		{"what is besides was", ledger.Use{Held: held, Window: 200_000, Fixed: &held}, false},
	} {
		got := p.heldLine(ledger.Status{Use: c.use})
		if said := strings.Contains(got, "system prompt and tools come on top of that, and have not been measured yet"); said != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// TestAWindowThatIsAlmostFullSaysSo: 199,005 of 200,000 tokens were 100%, without a word.
func TestAWindowThatIsAlmostFullSaysSo(t *testing.T) {
	p := Page{Line: func(text string, _ int) string { return text }}
	exact := func(n int) tokens.Count { return tokens.Count{N: n, Exact: true, Upper: n} }
	for _, c := range []struct {
		use  ledger.Use
		want string
	}{
		{ledger.Use{Held: exact(199_005), Window: 200_000, Measured: 9},
			" >99%  199,005 of 200,000 tokens (the model is not known); almost full: 995 free"},
		{ledger.Use{Held: tokens.Count{N: 160_000}, Window: 200_000, CompactsAt: 167_000, CompactsFrom: "set",
			Measured: 9}, "; almost full: ≈7,000 free until auto-compact at 167,000 (set)"},
		{ledger.Use{Held: exact(60_000), Window: 200_000, CompactsAt: 87_000, CompactsFrom: "set", Measured: 9},
			"; 27,000 free until auto-compact at 87,000 (set)"},
		{ledger.Use{Held: exact(100_000), Window: 200_000, CompactsAt: 87_000, CompactsFrom: "set", Measured: 9},
			"; auto-compact at 87,000 is due with the next request (set)"}, // it was "full" at 50%
		{ledger.Use{Held: exact(201_000), Window: 200_000, Measured: 9}, "; full"},
		{ledger.Use{Held: exact(179_000), Window: 200_000, Measured: 9},
			" 179,000 of 200,000 tokens (the model is not known)"},
		{ledger.Use{Held: exact(179_000), Measured: 9}, "179,000 tokens (the model is not known)"},
	} {
		if got := p.heldLine(ledger.Status{Use: c.use}); !strings.HasSuffix(got, c.want) {
			t.Errorf("%q does not end in %q", got, c.want)
		}
	}
}

// TestWhatIsDueHasARowOfItsOwn: the rows view and next step each said several things at once. What rests on an estimate that is
// not calibrated yet says so: a minute later none may be due.
func TestWhatIsDueHasARowOfItsOwn(t *testing.T) {
	none, cuts := window.Decision{}, window.Decision{Before: 9, After: 3, Why: "cuts"}
	large := window.Trigger{Reason: "threshold", Why: "too much"}
	for _, c := range []struct {
		counting string
		next     window.Decision
		due      window.Trigger
		off      bool
		want     string
	}{
		{"exact", none, window.Trigger{Why: "within"}, false, "a compaction once a request has more than 8,000 tokens"},
		{"exact", none, window.Trigger{Why: "within"}, true, "no compaction: automatic ones are switched off"},
		{"calibrated(3)", none, large, false, "a compaction now: too much"},
		{"prior", none, large, false, "a compaction now: too much, by an estimate that is not calibrated yet"},
		{"exact", cuts, large, false, "a compaction after that: too much"},
		{"exact", cuts, window.Trigger{Held: "threshold", Why: "it waits"}, false, "no compaction yet: it waits"},
	} {
		s := ledger.Status{Use: ledger.Use{Counting: c.counting, Threshold: 8_000}, Off: c.off}
		s.NextStep = ledger.EditedView{Decision: c.next, Due: c.due}
		s.NextStep.Threshold = 8_000
		if got := dueLine(s); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestAPlaceWithoutSessionsDoesNotDenyThoseOfTheLedger: a status said "1 session" and "no session is recorded here" at once,
// where the session ran in another worktree.
func TestAPlaceWithoutSessionsDoesNotDenyThoseOfTheLedger(t *testing.T) {
	p := Page{Own: func(text string) string { return text }}
	for _, c := range []struct {
		info         ledger.Info
		newest, want string
	}{
		{ledger.Info{Following: true}, "",
			"no session is recorded here yet: only sessions of the last day are read automatically\n" +
				"`ctxledger import FILE` reads a session file"},
		{ledger.Info{Following: true}, "/a b/s.jsonl",
			"no session is recorded here yet: only sessions of the last day are read automatically\n" +
				"`ctxledger import '/a b/s.jsonl'` reads the newest\n`ctxledger import '/a b'` reads all in its directory"},
		{ledger.Info{Following: true, Sessions: 1}, "", "no session in this tree is recorded\n" +
			"`ctxledger import FILE` reads a session file\n`ctxledger sessions` lists those of other trees"},
		{ledger.Info{FollowOff: "a.yaml:1 says follow: false"}, "",
			"no session is recorded here, and session files are not followed"},
		{ledger.Info{FollowOff: "a.yaml:1 says follow: false", Sessions: 1}, "",
			"no session in this tree is recorded, and session files are not followed"},
	} {
		if got := strings.Join(p.NoSession(c.info, c.newest), "\n"); !strings.HasPrefix(got, c.want) {
			t.Errorf("%+v: %q", c.info, got)
		}
	}
}

// TestWhatAWindowSaysOfItsSession: what a session copied was said twice, and a forgotten tool had no name.
func TestWhatAWindowSaysOfItsSession(t *testing.T) {
	fork := &sessions.Fork{Session: "f1"}
	for _, c := range []struct {
		name      string
		use       ledger.Use
		want, not string
	}{
		{"continues alone", ledger.Use{Session: sessions.Session{Continues: "c1"}},
			"continues  session c1; copied records are counted there", "forked"},
		{"forked alone", ledger.Use{Session: sessions.Session{Fork: fork}}, "forked     ", "continues"},
		{"continues what it was forked from", ledger.Use{Session: sessions.Session{Continues: "c1", Fork: fork}},
			"continues  session c1; copied records are counted there", "forked"},
		{"a forgotten tool", ledger.Use{OwnSources: []ledger.Source{{Kind: ledger.SourceTool, Calls: 2}}},
			"  (forgotten)", "FILE"},
	} {
		var out bytes.Buffer
		p := Page{W: &out, Line: columns.Cut, Own: func(text string) string { return text }}
		p.window(ledger.Status{Use: c.use}, "", "")
		if got := out.String(); !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}
