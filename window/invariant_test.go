package window

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// randomLog builds a log as a broken host might write it: parallel calls in one record or several,
// results in any order, missing, late, twice or of calls that were never made, results in front of
// the rest of their message, words next to results, what it loaded behind anything, notes, and, if asked for, rewinds.
func randomLog(t testing.TB, r *rand.Rand, rewinds bool) *testLog {
	l := &testLog{}
	ids, group := 0, 0
	host := func(e sessions.Entry) sessions.Entry {
		e.HostID = fmt.Sprint("h", len(l.entries))
		if n := len(l.entries); n > 0 {
			e.HostParent = fmt.Sprint("h", n-1)
			if rewinds && r.IntN(8) == 0 {
				e.HostParent = fmt.Sprint("h", r.IntN(n))
			}
		}
		return e
	}
	say := func(e sessions.Entry, role string, words ...string) {
		l.add(t, host(e), wire(role, words))
		if words[0] != "think" && r.IntN(6) == 0 {
			l.add(t, host(sessions.Entry{Loaded: true}), wire("user", []string{"skill"}))
		}
	}
	for range 2 + r.IntN(12) {
		switch r.IntN(10) {
		case 0, 1:
			say(sessions.Entry{Prompt: true}, "user", "prompt")
			continue
		case 2:
			l.add(t, host(sessions.Entry{Kind: sessions.KindNote}), "")
			continue
		case 3:
			if rewinds {
				data := fmt.Sprintf(`{"to":%d}`, r.IntN(len(l.entries)+1))
				l.add(t, sessions.Entry{Kind: sessions.KindRewind, Data: []byte(data)}, "")
			}
			continue
		}
		group++
		answer := sessions.Entry{Group: fmt.Sprint("g", group)}
		if r.IntN(3) == 0 {
			say(answer, "assistant", "think")
		}
		if r.IntN(2) == 0 {
			say(answer, "assistant", "text")
		}
		var open []string
		for range r.IntN(4) {
			var calls []string
			for range 1 + r.IntN(2) {
				ids++
				calls = append(calls, fmt.Sprint("c", ids))
				open = append(open, fmt.Sprint("r", ids))
			}
			say(answer, "assistant", calls...)
			if r.IntN(4) == 0 { // a result before the rest of the message
				say(sessions.Entry{}, "user", open[0])
				open = open[1:]
			}
		}
		randomResults(r, open, ids, say)
	}
	return l
}

// randomResults answers calls, more or less.
func randomResults(r *rand.Rand, open []string, ids int, say func(sessions.Entry, string, ...string)) {
	if r.IntN(2) == 0 {
		r.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
	}
	for len(open) > 0 {
		n := 1 + r.IntN(len(open))
		words := append([]string(nil), open[:n]...)
		open = open[n:]
		switch r.IntN(12) {
		case 0:
			continue // missing
		case 1:
			words = append(words, fmt.Sprint("r", 1000+ids)) // of no call
		case 2:
			words = append(words, words[0]) // twice in a record
		case 3:
			say(sessions.Entry{}, "user", words...) // twice
		case 4:
			words[0] = strings.Replace(words[0], "r", "R", 1) // large
		case 5:
			words = append(words, "remark")
		case 6:
			say(sessions.Entry{Prompt: true}, "user", "interrupt") // late
		}
		say(sessions.Entry{}, "user", words...)
	}
}

func eachRandomLog(t *testing.T, rewinds bool, check func(t *testing.T, r *rand.Rand, l *testLog)) {
	t.Helper()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		l := randomLog(t, r, rewinds)
		check(t, r, l)
		if t.Failed() {
			for _, e := range l.entries {
				t.Logf("%d %s %s ^%s %s", e.Seq, e.Kind, e.HostID, e.HostParent, l.originals[e.Seq-1])
			}
			t.Fatalf("seed %d", seed)
		}
	}
}

// Design invariant 3: a view never separates a tool call from its results.
func TestInvariant3CallsAndResultsStayTogether(t *testing.T) {
	eachRandomLog(t, true, func(t *testing.T, r *rand.Rand, l *testLog) {
		if n := len(l.entries); n > 0 && r.IntN(2) == 0 {
			l.entries[r.IntN(n)].Forgotten = new(time.Time)
		}
		for first := range int64(len(l.entries) + 2) {
			in := Input{Entries: l.entries}
			if first > 0 {
				in.Cutoff = &Cutoff{Summary: "s", FirstKept: first, Recorded: r.Int64N(int64(len(l.entries)) + 1)}
			}
			v := Plan(in)
			if err := transcript.Valid(transcript.Anthropic, l.render(t, v)); err != nil {
				t.Errorf("first kept %d: %v in %s", first, err, brief(v))
			}
			if again := Plan(in); !reflect.DeepEqual(v, again) {
				t.Errorf("the second view differs: %s, %s", brief(v), brief(again))
			}
		}
	})
}

// Design invariant 4: what was sent stays as it is while the log grows. The last unit may still
// change: the rest of its message, and its results, are on their way.
func TestInvariant4EarlierViewIsAPrefix(t *testing.T) {
	eachRandomLog(t, false, func(t *testing.T, r *rand.Rand, l *testLog) {
		var before [][]byte
		for n := range len(l.entries) + 1 {
			v := Plan(Input{Entries: l.entries[:n]})
			now := l.render(t, v)
			for i, m := range before {
				if i >= len(now) || !bytes.Equal(m, now[i]) {
					t.Errorf("message %d changed with entry %d: was %s in a view of %d", i, n, m, len(now))
				}
			}
			v.Slots = v.Slots[:lastUnit(l, v)]
			before = l.render(t, v)
		}
	})
}

// lastUnit returns the index of the slot with which the last unit begins. Reasoning in front of it goes unless an answer
// follows.
func lastUnit(l *testLog, v View) int {
	n := len(v.Slots)
	first := func(slot int) sessions.Entry { return l.entries[v.Slots[slot].Seqs[0]-1] }
	for n > 1 && first(n-1).Loaded {
		n--
	}
	for n > 1 && first(n-2).Thoughts {
		n--
	}
	if n > 0 && len(v.Slots[n-1].Seqs) > 0 && n > 1 && v.Slots[n-1].Role != transcript.RoleAssistant &&
		v.Slots[n-2].Role == transcript.RoleAssistant && !v.Slots[n-1].Prompt {
		return n - 2
	}
	return max(0, n-1)
}

func FuzzPlan(f *testing.F) {
	f.Add(uint64(1), int64(0))
	f.Add(uint64(99), int64(5))
	f.Fuzz(func(t *testing.T, seed uint64, first int64) {
		l := randomLog(t, rand.New(rand.NewPCG(seed, 11)), true)
		v := Plan(Input{Entries: l.entries, Cutoff: &Cutoff{Summary: "s", FirstKept: first}})
		if err := transcript.Valid(transcript.Anthropic, l.render(t, v)); err != nil {
			t.Errorf("%v in %s", err, brief(v))
		}
	})
}

func BenchmarkPlan(b *testing.B) {
	l := &testLog{}
	for i := range 5000 {
		l.add(b, sessions.Entry{Group: fmt.Sprint(i)}, wire("assistant", []string{fmt.Sprint("c", i)}))
		l.add(b, sessions.Entry{}, wire("user", []string{fmt.Sprint("r", i)}))
	}
	for b.Loop() {
		Plan(Input{Entries: l.entries})
	}
}
