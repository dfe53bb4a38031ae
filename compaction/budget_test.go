package compaction

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/statements"
)

// ramble makes a sentence of n words or more that says something.
func ramble(r *rand.Rand, n int) string {
	words := []string{
		"cache", "because", "reader", "fails", "Cart.Add", "import", "slow", "cents", "file", "lock",
		"we", "should", "keep", "rounding", "parse.go", "empty", "Ursache", "缓存", "always", "page",
		"token", "naïve",
	}
	var b strings.Builder
	b.WriteString("The")
	for i := range n {
		b.WriteString(" " + words[r.IntN(len(words))])
		if i%14 == 13 {
			fmt.Fprintf(&b, " of step%d. So", r.IntN(1000))
		}
	}
	return b.String() + "."
}

// converse grows a conversation with much talk, refusals, answers and task lists in it.
func (k *talk) converse(r *rand.Rand, n int) {
	for range n {
		switch r.IntN(14) {
		case 0, 1:
			k.user(ramble(r, 1+r.IntN(40)))
		case 2:
			k.user(ramble(r, 200+r.IntN(1500)) + "\n" + ramble(r, 5))
		case 3, 4, 5, 6:
			k.say(ramble(r, 5+r.IntN(80)) + "\n\n- " + ramble(r, 8) + "\n- " + ramble(r, 8))
		case 7:
			k.play("say Shall I keep the cache of " + ramble(r, 3) + "?\nuser yes")
		case 8:
			k.play(fmt.Sprintf("refuse Bash make step%d | %s", r.IntN(50), ramble(r, 6)))
		case 9:
			k.play(fmt.Sprintf("todo [x] step %d; [ ] step %d", r.IntN(9), r.IntN(9)))
		case 10:
			k.play("ask Which one of " + ramble(r, 4) + "? => " + ramble(r, 3))
		default:
			k.grow(r, 3)
		}
	}
}

// converseds calls check with plans of random conversations at random budgets. Their last words and first requests
// are of all sizes. They are planned once, for the first test that asks.
func converseds(t *testing.T, check func(at string, k *talk, o Options, p Proposal)) {
	t.Helper()
	if planned == nil {
		planConverseds(t)
	}
	for _, c := range planned {
		check(c.at, c.talk, c.options, c.proposal)
	}
}

// planned is what converseds has.
var planned []conversed

type conversed struct {
	at       string
	talk     *talk
	options  Options
	proposal Proposal
}

func planConverseds(t *testing.T) {
	t.Helper()
	for seed := range uint64(16) {
		r := rand.New(rand.NewPCG(seed, 16))
		k := newTalk(t)
		k.user(ramble(r, 1+r.IntN(1+int(seed)*50)))
		k.converse(r, 20+r.IntN(160))
		k.read("big.go", 30_000)
		k.user(ramble(r, 5))
		for _, budget := range []int{400, 600, 1_000, 1_500, 2_500, 4_000, 8_000, 16_000} {
			o := Options{Keep: 1, Budget: budget}
			p, err := Plan(k.in, o)
			if err != nil {
				t.Fatal(err)
			}
			if p.Outcome == Compacted {
				planned = append(planned, conversed{fmt.Sprintf("seed %d, budget %d", seed, budget), k, o, p})
			}
		}
	}
}

func TestTheDocumentOfAnyConversationKeepsItsBudgetAndItsBytes(t *testing.T) {
	n := 0
	converseds(t, func(at string, k *talk, o Options, p Proposal) {
		n++
		if size := layout.Count(p.Text); size > o.Budget {
			t.Errorf("%s: %d tokens", at, size)
		}
		if o.Budget == 1_500 {
			fresh := k.in
			fresh.talk = nil
			if again := mustPlan(t, fresh, o); again.Text != p.Text {
				t.Errorf("%s: two plans of one input differ", at)
			}
		}
	})
	if n < 80 {
		t.Errorf("only %d conversations were compacted", n)
	}
}

// leftOutOf counts what the document of a plan leaves out: the user's words, in bytes, and the statements of the
// agent.
func leftOutOf(t *testing.T, k *talk, o Options, text string) (words, unsaid int) {
	t.Helper()
	in := k.in
	s, err := newSource(&in, o, "aaaaaaaaaaaa", len(in.Items), o.Budget)
	if err != nil {
		t.Fatal(err)
	}
	flat := joined(text)
	for _, u := range s.in.talk.user {
		if !strings.Contains(flat, joined(u.text)) {
			words += len(u.text)
		}
	}
	for _, st := range statements.Rank(s.in.talk.messages, nil, 1<<30) {
		if !strings.Contains(flat, joined(st.Text)) {
			unsaid++
		}
	}
	return words, unsaid
}

func joined(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "\n| ", "\n")), " ")
}

func TestTheBudgetIsUsedAsLongAsWordsAreLeftOut(t *testing.T) {
	full := 0
	converseds(t, func(at string, k *talk, o Options, p Proposal) {
		words, unsaid := leftOutOf(t, k, o, p.Text)
		size := layout.Count(p.Text)
		const frame = 120 // a statement with its heading: less is no room
		if words+unsaid > 0 && size < o.Budget*9/10 && o.Budget-size > frame {
			t.Errorf("%s: %d tokens, but %d bytes of the user's words and %d statements are left out", at, size, words,
				unsaid)
		}
		if words+unsaid == 0 {
			full++
		}
	})
	if full == 0 {
		t.Error("nothing was ever complete: the budgets are too small for this test")
	}
}

// The user's words give way last: they are complete if they fit into their share of the budget.
func TestTheUsersWordsAreCompleteWhereTheyFit(t *testing.T) {
	seen := 0
	converseds(t, func(at string, k *talk, o Options, p Proposal) {
		in := k.in
		s, err := newSource(&in, o, "aaaaaaaaaaaa", len(in.Items), o.Budget)
		if err != nil {
			t.Fatal(err)
		}
		need := 0
		for _, u := range s.in.talk.user {
			need += layout.Count(u.text) + userFrame
			if u.asked != "" {
				need += askedChars / 5
			}
		}
		if need > o.Budget*userShare/100 {
			return
		}
		seen++
		flat := joined(p.Text)
		for _, u := range s.in.talk.user {
			if !strings.Contains(flat, joined(u.text)) {
				t.Errorf("%s: %d tokens of the user's words, but this is left out or cut: %.100q", at, need, u.text)
				return
			}
		}
	})
	if seen < 4 {
		t.Errorf("the words fitted in only %d documents", seen)
	}
}
