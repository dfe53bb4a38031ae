package files

import (
	"testing"

	"ctxledger.dev/intents"
	"ctxledger.dev/sessions"
)

// TestWhatTheConversationMayNotHaveDecidesNothing: calls before a rewind may be in no view any more, and what a subagent
// read the session does not have: such texts were taken for what it knows.
func TestWhatTheConversationMayNotHaveDecidesNothing(t *testing.T) {
	call := func(seq int64, id string, hidden bool) sessions.Entry {
		return sessions.Entry{Seq: seq, Hidden: hidden,
			Calls:   []sessions.Call{{ID: id, Op: intents.OpRead, Target: "a.go"}},
			Results: []sessions.Result{{CallID: id}}}
	}
	steps := stepsOf([]sessions.Entry{call(1, "a", false), {Seq: 2, Kind: sessions.KindRewind}, call(3, "b", false),
		call(4, "c", true)})["a.go"]
	if len(steps) != 3 || !steps[0].rewound || steps[1].rewound || steps[2].rewound {
		t.Fatalf("the steps are %+v", steps)
	}
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
