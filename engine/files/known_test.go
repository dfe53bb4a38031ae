package files

import (
	"slices"
	"testing"
	"time"

	"ctxledger.dev/intents"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// TestWhatTheConversationMayNotHaveDecidesNothing: calls before a rewind may be in no view any more, and what a subagent
// read the session does not have: such texts were taken for what it knows.
func TestWhatTheConversationMayNotHaveDecidesNothing(t *testing.T) {
	call := func(seq int64, id string, hidden bool) sessions.Entry {
		return sessions.Entry{Seq: seq, Hidden: hidden,
			Calls:   []sessions.Call{{ID: id, Op: intents.OpRead, Target: "a.go"}},
			Results: []sessions.Result{{CallID: id}}}
	}
	steps := stepsOf([]sessions.Entry{call(1, "a", false), call(2, "left", false), call(3, "left", false),
		{Seq: 4, Kind: sessions.KindRewind, Data: []byte(`{"to":1}`)}, call(5, "b", false), call(6, "c", true)})["a.go"]
	if len(steps) != 5 || !steps[0].rewound || !steps[1].left || !steps[2].left || steps[3].rewound ||
		steps[4].rewound {
		t.Fatalf("the steps are %+v", steps)
	}
	if r := readsOf("a.go", steps, &window.Growth{}); r.Reads != 3 || newestRead(steps[:3]) != steps[0] {
		t.Errorf("the reads are %+v, and the newest is not %+v", r, steps[0])
	}
	steps = []*step{steps[0], steps[3], steps[4]}
	r := newestRead(steps)
	if known := r.seenWith(steps); r != steps[1] || len(known) != 2 || known[1] != r {
		t.Errorf("the newest read is that of entry %d, known with %d calls", r.Seq, len(known))
	}
	steps[1].failed = true
	if r := newestRead(steps); r != steps[0] {
		t.Errorf("a read that was refused is the newest one: %+v", r)
	}
	if only := newestRead(steps[2:3]); only == nil || only.call.ID != "c" {
		t.Errorf("a file that only a subagent read has %+v", only)
	}
}

// TestWhatTheHostCompactedAwayIsNotOutOfDate: a copy of which nothing is left in the window was said to be out of date.
func TestWhatTheHostCompactedAwayIsNotOutOfDate(t *testing.T) {
	call := func(seq int64, id string) sessions.Entry {
		return sessions.Entry{Seq: seq, HostID: id, Calls: []sessions.Call{{ID: id, Op: intents.OpRead, Target: id}},
			Results: []sessions.Result{{CallID: id}}}
	}
	steps := stepsOf([]sessions.Entry{call(1, "a.go"), call(2, "b.go"),
		{Seq: 3, Kind: sessions.KindNote, Cut: &sessions.HostCut{Kept: []string{"b.go"}}},
		{Seq: 4, Kind: sessions.KindMessage, Earlier: true, Hidden: true}, call(5, "c.go")})
	for path, held := range map[string]bool{"a.go": false, "b.go": true, "c.go": true} {
		if r := newestRead(steps[path]); (r != nil) != held {
			t.Errorf("the newest read of %s is %+v", path, r)
		}
	}
}

// TestWhatTheWindowHasOfReads: a lens said that reads had more of the window than it holds, after a compaction of the host, and
// where the user had gone back to before them.
func TestWhatTheWindowHasOfReads(t *testing.T) {
	prompt := func(id, parent string) []sessions.Entry {
		return []sessions.Entry{{HostID: id, HostParent: parent, Prompt: true, Role: transcript.RoleUser}}
	}
	read := func(id, parent string) []sessions.Entry {
		return []sessions.Entry{{HostID: "c" + id, HostParent: parent, Role: transcript.RoleAssistant,
			Calls: []sessions.Call{{ID: id, Op: intents.OpRead, Target: "a.go", Tokens: 10}}},
			{HostID: id, HostParent: "c" + id, Role: transcript.RoleTool,
				Results: []sessions.Result{{CallID: id, Tokens: 90}}}}
	}
	cut := func(kept ...string) []sessions.Entry {
		return []sessions.Entry{{Cut: &sessions.HostCut{Kept: kept}}, {Earlier: true, Hidden: true, HostID: "cut"}}
	}
	failed, again, hidden := read("3", "2"), read("2", "1"), read("3", "2")
	failed[1].Results[0].Failed, again[0].Copied, hidden[0].Hidden = true, true, true
	for name, c := range map[string]struct {
		log         [][]sessions.Entry
		reads, held int
	}{
		"both":                                {nil, 2, 200},
		"one that failed is none":             {[][]sessions.Entry{failed}, 2, 200},
		"a subagent's is none":                {[][]sessions.Entry{hidden}, 2, 200},
		"a compaction that keeps one":         {[][]sessions.Entry{cut("2")}, 2, 100},
		"a compaction that keeps none":        {[][]sessions.Entry{cut()}, 2, 0},
		"and read again":                      {[][]sessions.Entry{cut(), read("3", "cut")}, 3, 100},
		"gone back to the first":              {[][]sessions.Entry{prompt("q", "1")}, 2, 100},
		"gone back to before both":            {[][]sessions.Entry{prompt("q", "p")}, 2, 0},
		"gone back to before the compaction":  {[][]sessions.Entry{cut(), prompt("q", "1")}, 2, 100},
		"moved behind the host's own summary": {[][]sessions.Entry{cut(), again}, 2, 100},
	} {
		log := slices.Concat(append([][]sessions.Entry{prompt("p", ""), read("1", "p"), read("2", "1")}, c.log...)...)
		for i := range log {
			log[i].Seq, log[i].Kind = int64(i+1), sessions.KindMessage
		}
		r := readsOf("a.go", stepsOf(log)["a.go"], &window.Growth{})
		if r.Reads != c.reads || r.Held.O200k != c.held || r.Tokens.O200k != 100*c.reads {
			t.Errorf("%s: %+v, want %d reads, of which the window has %d", name, r, c.reads, c.held)
		}
	}
}

// TestWhatTheHostToldIsNotOutOfDate: Claude Code tells the agent what others changed in a file that it has read. The copy was said to be
// out of date all the same.
func TestWhatTheHostToldIsNotOutOfDate(t *testing.T) {
	at := func(n int) time.Time { return time.Date(2026, 11, 28, 7, n, 0, 0, time.UTC) }
	note := func(n int, path string) sessions.Entry {
		return sessions.Entry{Seq: int64(n), Time: at(n), Kind: sessions.KindMessage, Told: path}
	}
	hidden := note(3, "b.go")
	hidden.Hidden = true
	log := []sessions.Entry{note(1, "a.go"), note(2, "a.go"), hidden}
	if told := toldOf(log); len(told) != 1 || !told["a.go"].Equal(at(2)) {
		t.Errorf("told %v", told)
	}
	log = append(log, sessions.Entry{Seq: 4, Kind: sessions.KindNote, Cut: &sessions.HostCut{}},
		sessions.Entry{Seq: 5, Kind: sessions.KindMessage, Earlier: true, Hidden: true})
	if told := toldOf(log); len(told) != 0 {
		t.Errorf("after a compaction: told %v", told)
	}
}
