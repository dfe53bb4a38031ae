package window

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

func TestFiltersWarnBeforeTheyCut(t *testing.T) {
	for n, want := range map[int]bool{7: false, 8: true} {
		l := script(t, strings.Repeat("ask 1\nsay 1\n", n/2)+strings.Repeat("ask 1\n", n%2))
		v := Plan(Input{Entries: l.entries, Filter: Filter{Messages: 10, CapFraction: 0.7}})
		if v.NearCap != want || len(v.Slots) != n || v.Filtered.Counted != n {
			t.Errorf("%d messages: %d are shown, near %t, counted %d", n, len(v.Slots), v.NearCap, v.Filtered.Counted)
		}
	}
}

// filterLog makes a log of a multi-agent session: parseLog's notation, with the author of an answer as its
// group, "fix" for a correction, "sum" for a host's summary and "sys" for the system's words.
func filterLog(t *testing.T, text string) *testLog {
	t.Helper()
	l := &testLog{}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		words := strings.Fields(line)
		switch words[0] {
		case "fix":
			l.add(t, sessions.Entry{Prompt: true, Correction: true}, wire("user", words))
		case "sum":
			l.add(t, sessions.Entry{Earlier: true}, wire("user", words))
		case "sys":
			l.add(t, sessions.Entry{}, wire("system", words))
		case "ask":
			l.add(t, sessions.Entry{Prompt: true}, wire("user", words))
		case "res", "user":
			l.add(t, sessions.Entry{Prompt: words[0] == "user"}, wire("user", words[1:]))
		default:
			l.add(t, sessions.Entry{Author: strings.Trim(words[0], "-")}, wire("assistant", words[1:]))
		}
	}
	return l
}

// Filters leave views that are valid, and what they show only moves in steps.
func TestFilters(t *testing.T) {
	const talk = "ask\ndev c1\nres r1\ndev c2\nres r2\ndev done\ntester c3\nres r3\ntester ok\ndev more\nask"
	for _, c := range []struct {
		name   string
		filter Filter
		log    string
		want   string
	}{
		{"none", Filter{}, "ask\n- c1\nres r1\n- ok", "u1 a2 t3 a4"},
		{"nothing at all", Filter{TextOnly: true, Messages: 3, Turns: 2, ExcludeAgents: []string{"x"}}, "sys", "s1"},
		{"text only", Filter{TextOnly: true}, "ask\ndev words c1\nres r1\n- c2\nres r2\n- ok", "u1 a2-c1 a6"},
		{"text only: reasoning goes, and what is reasoning alone", Filter{TextOnly: true},
			"ask\n- think words\nask\n- think c1\nres r1\n- ok", "u1 a2 u3 a6"},
		{"text only: words beside results stay", Filter{TextOnly: true}, "ask\n- c1\nuser r1 stop\n- ok", "u1 u3 a4"},
		{"text only: what the system says later goes", Filter{TextOnly: true}, "sys\nask\n- ok\nsys\nask",
			"s1 u2 a3 u5"},
		{"without an agent, whatever its case", Filter{ExcludeAgents: []string{"TESTER"}}, talk, "u1 a6 a10 u11"},
		{"without those that nobody named", Filter{ExcludeAgents: []string{"unknown"}}, "ask\n- ok\ndev ok", "u1 a3"},
		{"the newest messages", Filter{Messages: 4, Exact: true}, "ask\n- ok\nask\n- ok\nask\n- ok", "u1 u3 a4 u5 a6"},
		{"the newest messages in steps", Filter{Messages: 4}, "ask\n- ok\nask\n- ok\nask", "u1 u3 a4 u5"},
		{"instructions stay and do not count", Filter{Messages: 2, Exact: true}, "sys\nsys\nask\n- ok\nask\n- ok",
			"s1 s2 u3 u5 a6"},
		{"corrections stay and do not count", Filter{Messages: 2, Exact: true}, "ask\nfix\n- ok\nfix\n- " +
			"ok\nfix\n- ok\nask\n- ok", "u1 u2 u4 u6 u8 a9"},
		{"one within the tail counts once", Filter{Messages: 2, Exact: true}, "ask\nfix\n- ok\nfix\n- ok",
			"u1 u2 u4 a5"},
		{"the newest summary of a host stays", Filter{Messages: 1, Exact: true}, "ask\nsum\n- ok\nsum\n- ok\nask",
			"u1 u4 u6"},
		{"a cut unit goes whole", Filter{Messages: 2, Exact: true}, "ask\n- c1\nres r1\n- ok", "u1 a4 !1,0"},
		{"a turn of another agent is a turn", Filter{Turns: 2, Exact: true}, "ask\ndev c1\nres r1\ndev " +
			"ok\ntester c2\nres r2\ntester c3\nres r3\ntester ok\ndev ok", "u1 a5 t6 a7 t8 a9 a10"},
		{"rounds are no turns", Filter{Turns: 2, Exact: true}, "ask\n- ok\nask\n- c1\nres r1\n- c2\nres r2\n- " +
			"ok\nask\n- ok", "u3 a4 t5 a6 t7 a8 u9 a10"},
		{"fewer turns than that", Filter{Turns: 5}, "ask\n- ok\nask\n- ok", "u1 a2 u3 a4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := filterLog(t, c.log)
			v := Plan(Input{Entries: l.entries, Filter: c.filter})
			if got := brief(v); got != c.want {
				t.Errorf("view %s, want %s", got, c.want)
			}
			if err := transcript.Valid(transcript.Anthropic, l.render(t, v)); err != nil &&
				!strings.Contains(c.log, "sys") {
				t.Error(err)
			}
			if n := v.Filtered; c.filter.Empty() == (n.Before != n.After) && n.Before != n.TextOnly+n.Excluded+n.Age+
				n.Tail+n.After {
				t.Errorf("what is told: %+v", n)
			}
		})
	}
}

// Of many corrections the twenty newest stay.
func TestOldCorrectionsAreUnpinned(t *testing.T) {
	l := filterLog(t, "ask\n"+strings.Repeat("fix\n- ok\n", 25)+"ask")
	v := Plan(Input{Entries: l.entries, Filter: Filter{Messages: 1, Exact: true}})
	if len(v.Slots) != 1+maxCorrections+1 || v.Slots[1].Seqs[0] != 12 || v.Filtered.Pinned != 1+maxCorrections {
		t.Errorf("%s, %+v", brief(v), v.Filtered)
	}
}

// Bounds that move in steps leave what was sent in between as it was; exact ones do not.
func TestFiltersMoveInSteps(t *testing.T) {
	for _, c := range []struct {
		name   string
		filter Filter
		most   int // changes of what was sent, in 60 messages
	}{
		{"messages", Filter{Messages: 12}, 60 / 4}, {"turns", Filter{Turns: 8}, 30 / 3},
		{"both", Filter{Messages: 16, Turns: 12}, 60/5 + 30/4},
	} {
		var before [][]byte
		changed := 0
		log := ""
		for n := range 60 {
			log += fmt.Sprintf("%s w%d\n", []string{"ask", "-"}[n%2], n)
			l := filterLog(t, log)
			now := l.render(t, Plan(Input{Entries: l.entries, Filter: c.filter}))
			if len(now) < len(before) || !slices.EqualFunc(before, now[:len(before)], bytes.Equal) {
				changed++
			}
			before = now
		}
		if changed == 0 || changed > c.most {
			t.Errorf("%s: what was sent changed %d times, at most %d are steps", c.name, changed, c.most)
		}
	}
}
