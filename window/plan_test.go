package window

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/transcript"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// TestPlan shows what each step does. The view is one line: the first letter of the role and
// the entries of each message, then -c dropped calls, -r kept results, +r added results, ~ stubs. At its end are
// the results and the messages of the host that are left out.
func TestPlan(t *testing.T) {
	for _, tt := range []struct {
		name, log string
		cut       *Cutoff
		want      string
	}{
		{name: "records of one message are joined", log: `
			prompt hi
			asst g1 think
			asst g1 hello
			asst g2 more`, want: "u1 a2,3 a4"},
		{name: "records without a group stay apart", log: `
			asst - a
			asst - b`, want: "a1 a2"},
		{name: "notes and hidden records are not shown", log: `
			note
			prompt hi
			hidden
			asst g1 hello
			note`, want: "u2 a4"},
		{name: "results of parallel calls are one message, in the order of the calls", log: `
			prompt go
			asst g1 c1
			asst g1 c2
			tool r2
			tool r1
			asst g2 done`, want: "u1 a2,3 t5,4 a6"},
		{name: "a result in front of the rest of its message", log: `
			prompt go
			asst g1 c1
			tool r1
			asst g1 c2
			tool r2
			asst g2 done`, want: "u1 a2,4 t3,5 a6"},
		{name: "what the host loaded stands behind all results of its message", log: `
			prompt go
			loaded file
			asst g1 c1 c2
			loaded context
			tool r1
			loaded skill
			tool r2
			asst g2 done`, want: "u1 u2 a3 t5,7 u4 u6 a8"},
		{name: "what the host loaded parts no answer", log: `
			prompt go
			asst g1 c1
			tool r1
			loaded skill
			asst g1 c2
			tool r2
			asst g2 done`, want: "u1 a2,5 t3,6 u4 a7"},
		{name: "what the host loaded waits for calls in flight", log: `
			prompt go
			asst g1 c1 c2
			tool r1
			loaded skill`, want: "u1 a2 t3 !0,1"},
		{name: "what the host loaded does not end calls that were interrupted", log: `
			prompt go
			asst g1 hello c1
			loaded context
			prompt next
			loaded file`, want: "u1 a2-c1 u3 u4 u5"},
		{name: "a rewind leaves out what was loaded behind its place", log: `
			prompt go #1
			asst g1 hello #2 ^1
			loaded file #3 ^2
			prompt no #4 ^3
			prompt yes #5 ^2`, want: "u1 a2 u5"},
		{name: "words behind a result answer it", log: `
			prompt go
			asst g1 c1
			tool r1
			asst g1 done`, want: "u1 a2 t3 a4"},
		{name: "results and words of the user in one message", log: `
			asst g1 c1 c2
			user r1 stop
			tool r2
			prompt next`, want: "a1 u2,3 u4"},
		{name: "words of the user end a message", log: `
			asst g1 c1
			user r1 stop
			asst g1 c2
			tool r2`, want: "a1 u2 a3 t4"},
		{name: "one of two calls answered", log: `
			asst g1 c1 c2
			tool r1
			prompt next`, want: "a1 t2+r2 u3"},
		{name: "no call answered, with text", log: `
			asst g1 hello c1
			prompt next`, want: "a1-c1 u2"},
		{name: "no call answered, without text", log: `
			prompt go
			asst g1 c1
			prompt next`, want: "u1 u3"},
		{name: "no call answered, with reasoning", log: `
			asst g1 think
			asst g1 c1
			prompt next`, want: "u3"},
		{name: "a call in flight at the end", log: `
			prompt go
			asst g1 hello c1
			note`, want: "u1 a2"},
		{name: "one of two calls in flight at the end", log: `
			asst g1 c1 c2
			tool r2`, want: "a1 t2"},
		{name: "a result without its call", log: `
			prompt go
			tool r9
			asst g1 c1
			tool r9 r1
			tool r8
			prompt next`, want: "u1 a3 t4-r9:0 u6 !3,0"},
		{name: "a late result", log: `
			asst g1 c1
			prompt next
			tool r1
			asst g2 x`, want: "u2 a4 !1,0"},
		{name: "a result behind another answer whose call goes", log: `
			asst g1 hello c1
			asst g2 c2
			tool r1
			prompt next`, want: "a1-c1 u4 !1,0"},
		{name: "duplicates: the first stays", log: `
			asst g1 c1 c2
			tool r2
			tool r1 r2
			tool r1
			asst g2 x`, want: "a1 t2,3-r2:1 a5"},
		{name: "a call written twice", log: `
			asst g1 c1
			asst g1 c1
			tool r1
			prompt x`, want: "a1 t3 u4"},
		{name: "large results have stubs", log: `
			asst g1 c1 c2
			tool R1
			tool r2
			asst g2 x`, want: "a1 t2,3~a1 a4"},
		{name: "a cutoff", log: `
			prompt a
			asst g1 b
			prompt c
			asst g2 d`, cut: &Cutoff{Summary: "s", FirstKept: 3}, want: "[s] u3 a4"},
		{name: "a cutoff in the middle of a unit", log: `
			prompt a
			asst g1 c1
			tool r1
			prompt c`, cut: &Cutoff{Summary: "s", FirstKept: 3}, want: "[s] u4 !1,0"},
		{name: "a cutoff behind everything", log: `
			prompt a`, cut: &Cutoff{Summary: "s", FirstKept: 2}, want: "[s]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := parseLog(t, tt.log)
			if got := brief(Plan(Input{Entries: l.entries, Cutoff: tt.cut})); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// Where answers are lists of items, a result may come behind words of the user, but not behind the next answer:
// by then a request was sent in which the call is cancelled.
func TestALateResultOfItems(t *testing.T) {
	for _, tt := range []struct{ name, log, want string }{
		{"behind words of the user", `
			asst - c1
			prompt next
			tool r1
			asst - x`, "a1 u2 t3 a4"},
		{"of the only call, behind an answer", `
			asst - hello c1
			prompt next
			asst - x
			tool r1
			prompt more`, "a1-c1 u2 a3 u5"},
		{"of the second call, behind an answer", `
			asst - c1 c2
			tool r1
			asst - x
			tool r2
			prompt more`, "a1 t2+r2 a3 u5"},
		{"far behind", `
			asst - c1` + strings.Repeat("\nprompt next", 150) + `
			tool r1
			asst - x`, "a1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := parseLog(t, tt.log)
			for i := range l.entries {
				l.entries[i].Format = transcript.OpenAIResponses
			}
			if got := brief(Plan(Input{Entries: l.entries})); !strings.HasPrefix(got, tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestPlanFollowsRewinds(t *testing.T) {
	for _, tt := range []struct {
		name, log string
		cut       *Cutoff
		want      string
	}{
		{name: "a request that continues the newest record", log: `
			prompt a #1
			asst g1 b #2 ^1
			note #3 ^2
			prompt c #4 ^3`, want: "u1 a2 u4"},
		{name: "a request that continues an earlier record", log: `
			prompt a #1
			asst g1 b #2 ^1
			prompt c #3 ^2
			asst g2 d #4 ^3
			prompt e #5 ^2
			asst g3 f #6 ^5`, want: "u1 a2 u5 a6"},
		{name: "back to a branch that was left", log: `
			prompt a #1
			asst g1 b #2 ^1
			prompt c #3 ^2
			asst g2 d #4 ^3
			prompt e #5 ^2
			asst g3 f #6 ^5
			prompt g #7 ^4`, want: "u1 a2 u3 a4 u7"},
		{name: "parents of parallel results do not rewind", log: `
			prompt a #1
			asst g1 c1 #2 ^1
			asst g1 c2 #3 ^2
			tool r2 #4 ^3
			tool r1 #5 ^2
			asst g2 x #6 ^5
			prompt b #7 ^6`, want: "u1 a2,3 t5,4 a6 u7"},
		{name: "a request behind the result that was written first", log: `
			prompt a #1
			asst g1 c1 #2 ^1
			asst g1 c2 #3 ^2
			tool r2 #4 ^3
			tool r1 #5 ^2
			prompt b #6 ^4`, want: "u1 a2,3 t5,4 u6"},
		{name: "a unit is kept whole, what follows it is not", log: `
			prompt a #1
			asst g1 c1 #2 ^1
			asst g1 c2 #3 ^2
			tool r1 #4 ^2
			tool r2 #5 ^3
			asst g2 x #6 ^5
			prompt b #7 ^6
			prompt c #8 ^4`, want: "u1 a2,3 t4,5 u8"},
		{name: "a note as parent", log: `
			prompt a #1
			note #2 ^1
			asst g1 b #3 ^2
			prompt c #4 ^2`, want: "u1 u4"},
		{name: "an unknown parent and a hidden request do not rewind", log: `
			prompt a #1
			asst g1 b #2 ^1
			hidden #3 ^1
			prompt c #4 ^lost`, want: "u1 a2 u4"},
		{name: "an explicit rewind", log: `
			prompt a
			asst g1 b
			prompt c
			rewind 2
			prompt d`, want: "u1 a2 u5"},
		{name: "an explicit rewind to the beginning", log: `
			prompt a
			rewind 0
			prompt d`, want: "u3"},
		{name: "a rewind behind the cutoff leaves it", log: `
			prompt a #1
			asst g1 b #2 ^1
			note
			prompt c #4 ^2
			compaction
			prompt e #6 ^2`, cut: &Cutoff{Summary: "s", FirstKept: 4, Recorded: 5}, want: "[s] u6"},
		{name: "a rewind in front of the cutoff takes it away", log: `
			prompt a #1
			asst g1 b #2 ^1
			prompt c #3 ^2
			asst g2 d #4 ^3
			compaction
			prompt e #6 ^2`, cut: &Cutoff{Summary: "s", FirstKept: 5, Recorded: 5}, want: "u1 a2 u6"},
		{name: "a rewind leaves a cutoff whose record is not known", log: `
			prompt a #1
			prompt c #2 ^1
			prompt e #3 ^1`, cut: &Cutoff{Summary: "s", FirstKept: 3}, want: "[s] u3"},
		{name: "results and words that name their call's record do not rewind", log: `
			asst g1 c1 #1
			tool r1 #2 ^1
			asst g2 x #3 ^2
			user r1 words #4 ^1`, want: "a1 t2 a3 u4-r1:0 !1,0"},
		{name: "a rewind before the compaction is part of it", log: `
			prompt a #1
			asst g1 b #2 ^1
			prompt c #3 ^2
			prompt d #4 ^2
			asst g2 e #5 ^4
			compaction`, cut: &Cutoff{Summary: "s", FirstKept: 4, Recorded: 6}, want: "[s] u4 a5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := parseLog(t, tt.log)
			if got := brief(Plan(Input{Entries: l.entries, Cutoff: tt.cut})); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestPlanOfAnEmptyLogIsEmpty(t *testing.T) {
	if v := Plan(Input{}); v.Summary != "" || len(v.Slots) != 0 {
		t.Errorf("got %+v", v)
	}
}

func TestForgottenRecordsSaySo(t *testing.T) {
	when := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name, log string
		forget    int64
		want      string
	}{
		{"one of two results", "asst g1 c1 c2\ntool r1\ntool r2\nprompt b", 3, "a1 t2,3+r2 u4"},
		{"the only result", "asst g1 c1\ntool R1\nprompt b", 2, "a1 t2+r1 u3"},
		{"the newest result", "asst g1 c1\ntool R1", 2, "a1 t2+r1"},
		{"a result beside a call in flight", "asst g1 c1 c2\ntool R1", 2, "a1 t2+r1"},
		{"a call: its result has no call then", "prompt a\nasst g1 c1\ntool r1\nprompt b", 2, "u1 a2 u4 !1,0"},
		{"a request", "prompt a\nasst g1 b", 1, "u1 a2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := parseLog(t, tt.log)
			l.entries[tt.forget-1].Forgotten = &when
			v := Plan(Input{Entries: l.entries})
			if got := brief(v); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if err := transcript.Valid(transcript.Anthropic, l.render(t, v)); err != nil {
				t.Error(err)
			}
			for _, s := range v.Slots {
				for _, p := range s.AddResults {
					if want := "[result forgotten — removed from the ledger on 2026-11-20]"; p.Text != want {
						t.Errorf("got  %s\nwant %s", p.Text, want)
					}
				}
				if slices.Contains(s.Seqs, tt.forget) && !s.Edited {
					t.Error("the message is not marked as edited")
				}
			}
		})
	}
}

func TestSynthesisedResultSaysWhatHappened(t *testing.T) {
	l := parseLog(t, "asst g1 c1 c2\ntool r1\nprompt next")
	add := Plan(Input{Entries: l.entries}).Slots[1].AddResults
	want := "Tool call T with id 2 was cancelled - another message came in before it could be completed."
	if len(add) != 1 || add[0].Text != want || !add[0].IsError {
		t.Errorf("got %+v", add)
	}
}

func TestAResultThatCouldNotComeSaysWhy(t *testing.T) {
	l := parseLog(t, "asst g1 c1 c2\ntool r1\nprompt next")
	l.entries[0].Calls[1].Malformed = true
	add := Plan(Input{Entries: l.entries}).Slots[1].AddResults
	want := "Tool call T with id 2 could not be executed - arguments were malformed or truncated."
	if len(add) != 1 || add[0].Text != want {
		t.Errorf("got %+v", add)
	}
}

func TestSlotFields(t *testing.T) {
	l := parseLog(t, "prompt hello\nasst g1 words c1\nasst g1 c2\ntool R1\ntool r2")
	for i := range l.entries {
		l.entries[i].Turn = 1
	}
	v := Plan(Input{Entries: l.entries})
	p, a, r := v.Slots[0], v.Slots[1], v.Slots[2]
	if !p.Prompt || p.Edited || p.Tokens != 4+5 || p.Turn != 1 || p.Format != transcript.Anthropic {
		t.Errorf("request: %+v", p)
	}
	if a.Prompt || !a.Edited || a.Tokens != 4+5+3+4+3 {
		t.Errorf("answer: %+v", a)
	}
	if r.Role != transcript.RoleTool || r.Tokens != 4+4+4+2 || r.Stubs["1"] != "a1" {
		t.Errorf("results: %+v", r)
	}
}

func TestPlanDoesNotChangeItsInput(t *testing.T) {
	l := parseLog(t, "asst g1 c1 c2\ntool r2 r9\ntool r1\nprompt x")
	before := brief(Plan(Input{Entries: slices.Clone(l.entries)}))
	for i := range l.entries {
		if l.entries[i].Seq != int64(i+1) {
			t.Fatal("the log was reordered")
		}
	}
	if after := brief(Plan(Input{Entries: l.entries})); after != before {
		t.Errorf("second view %s, first %s", after, before)
	}
}
