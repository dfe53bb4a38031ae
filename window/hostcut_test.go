package window

import "testing"

func TestTheViewStartsBehindTheHostsOwnCompaction(t *testing.T) {
	for _, tt := range []struct {
		name, log string
		cut       *Cutoff
		whole     bool
		want      string
	}{
		{name: "what came before is gone", log: `
			prompt a
			asst g1 b
			note
			summary
			prompt c
			asst g2 d`, want: "u4 u5 a6"},
		{name: "the newest one counts", log: `
			prompt a
			summary
			prompt b
			summary
			prompt c`, want: "u4 u5"},
		{name: "messages that it keeps follow it", log: `
			prompt a #1
			asst g1 b #2
			prompt c #3
			asst g2 d #4
			note 3 4
			summary
			asst g3 e`, want: "u6 u3 a4 a7"},
		{name: "what it keeps is of its own note", log: `
			prompt a #1
			note 1
			summary
			prompt b
			note
			summary
			prompt c`, want: "u6 u7"},
		{name: "a call that it keeps without its result", log: `
			prompt a #1
			asst g1 c1 #2
			tool r1 #3
			note 2
			summary
			prompt b`, want: "u5 u6"},
		{name: "it replaces a summary of ours", log: `
			prompt a
			asst g1 b
			compaction
			prompt c
			summary
			prompt d`, cut: &Cutoff{Summary: "s", FirstKept: 4, Recorded: 3}, want: "u5 u6"},
		{name: "a summary of ours replaces it", log: `
			prompt a
			summary
			prompt b
			asst g1 c
			prompt d
			compaction
			prompt e`, cut: &Cutoff{Summary: "s", FirstKept: 5, Recorded: 6}, want: "[s] u5 u7"},
		{name: "a rewind in front of it takes it away", log: `
			prompt a #1
			asst g1 b #2 ^1
			summary #3
			prompt c #4 ^3
			prompt d #5 ^2`, want: "u1 a2 u5"},
		{name: "a subagent's message is none", log: `
			prompt a
			hidden
			prompt b`, want: "u1 u3"},
		{name: "the log as if it were not there", whole: true, log: `
			prompt a
			summary
			prompt b`, want: "u1 u3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := parseLog(t, tt.log)
			in := Input{Entries: l.entries, Cutoff: tt.cut, Whole: tt.whole}
			if got := brief(Plan(in)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestWhatTheHostKeptIsCounted: with its newest summary, as the log has it, also once more is said. kept are the sequence
// numbers of what is counted.
func TestWhatTheHostKeptIsCounted(t *testing.T) {
	for _, tt := range []struct {
		name, log string
		cut       *Cutoff
		whole     bool
		kept      []int64
	}{
		{name: "nothing without a compaction", log: `
			prompt a #1
			asst g1 b #2`},
		{name: "nothing where it keeps nothing", log: `
			prompt a #1
			note
			summary
			prompt b`},
		{name: "messages, with calls and results", log: `
			prompt a #1
			asst g1 c1 #2
			tool r1 #3
			prompt much longer than the others #4
			note 2 3 4
			summary
			asst g2 e #7`, kept: []int64{2, 3, 4}},
		{name: "those of the newest one", log: `
			prompt a #1
			asst g1 bcd #2
			note 1 2
			summary
			prompt efghi #5
			note 5
			summary
			prompt j`, kept: []int64{5}},
		{name: "nothing that is not there", log: `
			prompt a #1
			note 1 17
			summary
			prompt b`, kept: []int64{1}},
		{name: "nothing that came after it", log: `
			prompt a #1
			note 1 5
			summary
			asst g1 b #4
			prompt c #5`, kept: []int64{1}},
		{name: "also behind a summary of ours, which the agent does not have", log: `
			prompt a #1
			asst g1 b #2
			note 2
			summary
			prompt c #5
			compaction
			prompt d`, cut: &Cutoff{Summary: "s", FirstKept: 5, Recorded: 6}, kept: []int64{2}},
		{name: "the log as if it were not there", whole: true, log: `
			prompt a #1
			note 1
			summary
			prompt b`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := parseLog(t, tt.log)
			want := 0
			for _, seq := range tt.kept {
				want += l.entries[seq-1].Tokens
			}
			in := Input{Entries: l.entries, Cutoff: tt.cut, Whole: tt.whole}
			if got := Plan(in).HostKept; got != want || len(tt.kept) > 0 && got == 0 {
				t.Errorf("%d tokens are kept, want %d of %v", got, want, tt.kept)
			}
			var p Planner
			for n := range l.entries {
				in.Entries = l.entries[:n+1]
				p.Plan(in)
			}
			if got := p.Plan(in).HostKept; got != want {
				t.Errorf("%d tokens are kept after one message at a time, want %d", got, want)
			}
		})
	}
}
