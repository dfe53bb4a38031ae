package compaction

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/intents"
)

// grow adds n random steps to a conversation.
func (k *talk) grow(r *rand.Rand, n int) {
	path := func() string { return fmt.Sprintf("pkg%d/file%d.go", r.IntN(4), r.IntN(12)) }
	for range n {
		switch r.IntN(12) {
		case 0, 1:
			k.user(fmt.Sprintf("Request %d: change %s\nand say %d", k.turn+1, path(), r.IntN(1000)))
		case 2:
			k.say(fmt.Sprintf("Done with step %d.", r.IntN(1000)))
		case 3, 4:
			k.read(path(), 200+r.IntN(3000), fmt.Sprintf("Name%d.Field", r.IntN(50)))
			if r.IntN(4) == 0 {
				k.in.Artifacts = append(k.in.Artifacts, ArtifactRef{ID: fmt.Sprintf("%012x", r.Uint64()>>16),
					Label: "Read x", Seq: k.in.Position, Tokens: 9000})
			}
		case 5, 6, 7:
			k.edit(path(), "", fmt.Sprintf("Name%d.Field", r.IntN(50)), "shared_name")
		case 8:
			k.edit(path(), "old text not found")
		case 9:
			k.run(fmt.Sprintf("go test ./pkg%d", r.IntN(4)), r.IntN(2), "--- line")
		case 10:
			k.do(Operation{Intent: intents.Intent{Name: "Move", Op: intents.OpMove, From: path(), Target: path()}}, "")
		default:
			a := k.ask("Read", intents.OpRead, path())
			b := k.addCall(&k.in.Items[len(k.in.Items)-1], "Read", intents.OpRead, path())
			k.answer(b, 300, false)
			k.answer(a, 300, false)
		}
	}
}

// Design, invariant 5: compaction never grows the conversation and never drops a pinned message or
// an anchor of an earlier summary while its budget lasts.
func TestInvariant5CompactionNeverGrowsNorDropsAnchors(t *testing.T) {
	budgets := []int{600, 1_000, 2_000, 8_000}
	for seed := range uint64(16) {
		r := rand.New(rand.NewPCG(seed, 5))
		k := newTalk(t)
		k.user("First task of all")
		budget := budgets[seed%uint64(len(budgets))]
		pin := fmt.Sprintf("pinned words %d", seed)
		for step := range 5 {
			k.grow(r, 60)
			o := Options{Keep: 1 + r.IntN(3), Budget: budget}
			if step == 0 {
				o.Pin = []string{pin}
			}
			p, err := Plan(k.in, o)
			if err != nil {
				t.Fatal(err)
			}
			if p.Outcome != Compacted {
				continue
			}
			if p.Record.After >= p.Record.Before {
				t.Fatalf("seed %d: grew from %d to %d", seed, p.Record.Before, p.Record.After)
			}
			size := layout.Count(p.Text)
			if size > budget {
				t.Fatalf("seed %d: %d tokens, budget %d", seed, size, budget)
			}
			checkAnchors(t, fmt.Sprintf("seed %d step %d", seed, step), k, p, budget-size)
			if strings.Contains(k.in.PreviousText, pin) && !strings.Contains(p.Text, pin) {
				t.Fatalf("seed %d: lost the pinned text", seed)
			}
			k.accept(p)
		}
	}
}

func checkAnchors(t *testing.T, at string, k *talk, p Proposal, left int) {
	t.Helper()
	text := p.Text
	const frame = 80 // tokens of a heading and of the line that counts what is left out
	for _, a := range layout.AnchorsOf(k.in.PreviousText) {
		_, name, _ := strings.Cut(a.Key, ":")
		if !strings.Contains(text, name) && left > layout.Count(a.Text)+frame {
			t.Fatalf("%s: %d tokens left, lost %q:\n%s", at, left, a.Text, text)
		}
	}
	quoted := layout.AnchorTurns(text)
	for _, turn := range layout.AnchorTurns(k.in.PreviousText) {
		if !slices.Contains(quoted, turn) && left > 100+frame {
			t.Fatalf("%s: %d tokens left, lost the request of turn %d:\n%s", at, left, turn, text)
		}
	}
	last := make(map[string]Operation)
	for _, op := range k.in.Operations {
		if op.Op == intents.OpPatch {
			last[op.Target] = op
		} else if op.Op == intents.OpMove {
			delete(last, op.From)
			delete(last, op.Target)
		}
	}
	open := layout.BlockWith(text, openHead)
	for path, op := range last {
		told := strings.Contains(layout.BlockWith(k.in.PreviousText, openHead), "of "+path+" failed")
		behind := op.Seq > p.Record.To // it is in the kept part itself
		if told && !behind && op.Status == intents.Failed && !strings.Contains(open, "of "+path+" failed") &&
			left > 60+frame {
			t.Fatalf("%s: %d tokens left, lost the open failure of %s:\n%s", at, left, path, text)
		}
	}
}

// Design, invariant 3, as far as it is decided here: wherever a conversation ends, the boundary
// parts no call from a result.
func TestInvariant3BoundaryNeverPartsACallFromItsResults(t *testing.T) {
	for seed := range uint64(10) {
		k := newTalk(t)
		k.grow(rand.New(rand.NewPCG(seed, 3)), 60)
		for n := 1; n <= len(k.in.Items); n++ {
			items := k.in.Items[:n]
			ok := borders(items)
			for turns := range 4 {
				cut := boundary(items, ok, 0, settings.DefaultKeep.Within(500*(1+turns)))
				if turns > 0 {
					cut = lastTurns(items, ok, 0, turns)
				}
				if why := parted(items, cut); why != "" {
					t.Fatalf("seed %d, %d items, keep %d, cut %d: %s", seed, n, turns, cut, why)
				}
			}
		}
	}
}

// parted looks for a call before the cut with its result behind it, the plain way.
func parted(items []Item, cut int) string {
	if cut < len(items) && cut > 0 && isResult(&items[cut]) {
		return "the kept part starts with a result"
	}
	calls := make(map[string]bool)
	for i := range items[:cut] {
		for _, c := range items[i].Calls {
			calls[c.ID] = true
		}
	}
	for i := cut; i < len(items); i++ {
		for _, r := range items[i].Results {
			if calls[r.CallID] {
				return "call " + r.CallID + " is parted from its result"
			}
		}
	}
	return ""
}

func TestSameInputGivesTheSameBytes(t *testing.T) {
	k := newTalk(t)
	k.user("Start")
	k.grow(rand.New(rand.NewPCG(1, 1)), 400)
	for _, o := range []Options{{Strict: true}, {Mode: Window, Budget: 20_000}, {Budget: 900, Focus: "pkg1"}} {
		a, b := mustPlan(t, k.in, o), mustPlan(t, k.in, o)
		if a.Text != b.Text || fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%+v: two plans differ", o)
		}
	}
}

func TestBudgetIsRespectedAndUsed(t *testing.T) {
	k := newTalk(t)
	k.user("Start " + strings.Repeat("with a long story ", 400))
	k.grow(rand.New(rand.NewPCG(2, 2)), 600)
	for _, budget := range []int{500, 1_000, 2_000, 8_000} {
		p := mustPlan(t, k.in, Options{Budget: budget})
		n := layout.Count(p.Text)
		if n > budget || budget < 8_000 && n < budget*8/10 {
			t.Errorf("budget %d: %d tokens", budget, n)
		}
	}
}

// Five compactions in a row: the last one still has, from the log, what the first one had.
func TestFiveCompactionsForgetNothing(t *testing.T) {
	k := newTalk(t)
	k.user("The first request, never to be lost")
	for i := range 5 {
		k.write(fmt.Sprintf("step%d.go", i))
		k.read("big.go", 16_000)
		k.run(fmt.Sprintf("go test ./step%d", i), 1, fmt.Sprintf("--- FAIL: TestStep%d", i))
		k.user(fmt.Sprintf("and now part %d", i))
		k.accept(mustPlan(t, k.in, Options{Keep: 1, Notes: fmt.Sprintf("note %d", i)}))
	}
	for i := range 5 {
		for _, want := range []string{fmt.Sprintf("step%d.go — created", i), fmt.Sprintf("TestStep%d", i)} {
			if !strings.Contains(k.in.PreviousText, want) {
				t.Errorf("lost %q", want)
			}
		}
	}
	for _, want := range []string{"The first request, never to be lost", "covers turns 1–5]", "note 4", "note 3"} {
		if !strings.Contains(k.in.PreviousText, want) {
			t.Errorf("lost %q", want)
		}
	}
	if p, err := Plan(k.in, Options{Keep: 1}); err != nil || p.Outcome != NothingToDo {
		t.Errorf("nothing is new, but: %v %s %s", err, p.Outcome, p.Why)
	}
}

// What only an earlier summary still has is carried over verbatim.
func TestAnchorsThatTheLogNoLongerGivesAreCarried(t *testing.T) {
	k := newTalk(t)
	k.user("q")
	k.read("a.go", 6000)
	k.edit("lost.go", "")
	k.in.Artifacts = []ArtifactRef{{ID: "a3f9c20b1d7e", Label: "Read big", Seq: 2}}
	k.user("two")
	k.accept(mustPlan(t, k.in, Options{Keep: 1}))
	k.in.Operations, k.in.Artifacts = nil, nil // as after a rewind
	for range 2 {
		k.read("b.go", 6000)
		k.user("more")
		k.accept(mustPlan(t, k.in, Options{Keep: 1}))
		want := layout.Carried + "\n  - lost.go — edited (turn 1)\n  a3f9c20b1d7e  Read big\n"
		if !strings.Contains(k.in.PreviousText, want) {
			t.Fatalf("want\n%s\nin\n%s", want, k.in.PreviousText)
		}
	}
}

// A window compaction between two others loses neither pins nor notes.
func TestPinsAndNotesSurviveAChangeOfMode(t *testing.T) {
	k := newTalk(t)
	k.user("First")
	for i, o := range []Options{
		{Keep: 1, Pin: []string{"pin one"}, Notes: "a note"},
		{Mode: Window, Budget: 5_000, Pin: []string{"pin two"}},
		{Mode: Window, Budget: 5_000},
		{Keep: 1},
	} {
		k.read("a.go", 6000)
		k.user(fmt.Sprintf("turn %d", i))
		k.accept(mustPlan(t, k.in, o))
		for _, want := range []string{"(pin) pin one", "(pin) pin two", "a note"} {
			if (i > 0 || want != "(pin) pin two") && strings.Count(k.in.PreviousText, want) != 1 {
				t.Errorf("step %d: %q stands %d times in\n%s", i, want, strings.Count(k.in.PreviousText, want),
					k.in.PreviousText)
			}
		}
	}
}
