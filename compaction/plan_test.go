package compaction

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/compaction/layout"

	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/transcript"
)

func TestFixedTextsAreExact(t *testing.T) {
	k := newTalk(t)
	k.turn = 2
	k.user("Start")
	k.read("x.go", 16_000)
	k.do(Operation{Intent: intents.Intent{Name: "Write", Op: intents.OpWrite, Target: "src/api/users.go",
		Agent: "Developer"}}, "")
	k.do(Operation{Intent: intents.Intent{Name: "Edit", Op: intents.OpPatch, Target: "src/api/auth.go",
		Agent: "Developer"}}, "[ERROR] oldText not found…")
	k.do(Operation{Intent: intents.Intent{Name: "Bash", Op: intents.OpShell, Command: "go test ./...",
		Agent: "Tester"}}, "")
	k.do(Operation{Intent: intents.Intent{Name: "Bash", Op: intents.OpShell, Command: "go build ./...",
		Agent: "Tester"}}, "pending")
	k.say("It was interrupted.")
	k.user("next")
	p := mustPlan(t, k.in, Options{Keep: 1})
	body := `[INTENT-DERIVED RECONSTRUCTION — covers turns 3–3]

OPERATIONS (chronological):
  ✓ write_file → "src/api/users.go" (turn 3, Developer)
  ✗ patch_file → "src/api/auth.go" (turn 3, Developer) — [ERROR] oldText not found…
  ✓ shell_run → "go test ./..." (turn 3, Tester)
  ⧖ shell_run → "go build ./..." (turn 3, Tester)

WARNING: 1 intent(s) are still PENDING — they may have been interrupted.
Check current disk state before retrying these operations.

RESUMPTION NOTE: History compacted from intent log — deterministic ground truth. Do not re-execute operations marked ✓ (applied). Operations marked ✗ (failed) should be retried if the task requires them.

The full conversation history has been saved to ` + p.Record.ID + ` should you need to refer back to it for details.`
	if !strings.Contains(p.Text, body) {
		t.Errorf("want\n%s\ngot\n%s", body, p.Text)
	}
	if len(p.Record.ID) != 12 {
		t.Errorf("id %q", p.Record.ID)
	}
}

// TestAnEmptyListIsNotPrinted: a heading without operations, and a note about marks that no line had, said nothing.
func TestAnEmptyListIsNotPrinted(t *testing.T) {
	k := newTalk(t)
	k.user("Look around")
	k.read("big.go", 16_000)
	k.run("cat big.go", 0, "package big")
	k.user("next")
	p := mustPlan(t, k.in, Options{Keep: 1})
	if strings.Contains(p.Text, "OPERATIONS") || strings.Contains(p.Text, "RESUMPTION NOTE") ||
		!strings.Contains(p.Text, layout.Rule+"The full conversation history has been saved to "+p.Record.ID) {
		t.Error(p.Text)
	}
}

func TestOldSuccessesAreFoldedAndFailuresNever(t *testing.T) {
	k := newTalk(t)
	k.user("go")
	for i := range 40 {
		k.edit("old.go", "")
		if i%10 == 0 {
			k.edit("bad.go", fmt.Sprintf("error %d", i))
		}
	}
	for i := range 100 {
		k.edit(fmt.Sprintf("new%d.go", i), "")
	}
	k.user("next")
	k.in.Items[0].Tokens = 90_000
	p := mustPlan(t, k.in, Options{Keep: 1, Budget: 60_000})
	if !strings.Contains(p.Text, `  ✓ patch_file → "old.go" ×40 (turn 1, main)`) {
		t.Error("the old edits are not folded")
	}
	if n := strings.Count(p.Text, `  ✗ patch_file → "bad.go" (turn 1, main)`); n != 4 {
		t.Errorf("%d failures listed, want 4", n)
	}
}

func TestOutcomes(t *testing.T) {
	long := func() *talk {
		k := newTalk(t)
		k.user("q")
		k.read("a.go", 9000)
		k.user("next")
		k.read("b.go", 9000)
		return k
	}
	short := newTalk(t)
	short.user("a")
	short.user("b")
	tight := long()
	tight.in.Window = 8_000
	cases := []struct {
		name string
		k    *talk
		o    Options
		want Outcome
	}{
		{"a short range would grow", short, Options{Keep: 1}, NotSmaller},
		{"all turns are to be kept", long(), Options{Keep: 5}, NothingToDo},
		{"the kept part is larger than the window", tight, Options{Keep: 1}, DoesNotFit},
		{"a pinned text is larger than the budget", long(),
			Options{Keep: 1, Budget: 500, Pin: []string{strings.Repeat("pin ", 600)}}, DoesNotFit},
		{"a budget below the fixed texts", long(), Options{Keep: 1, Budget: 20}, DoesNotFit},
		{"window mode within its budget", long(), Options{Mode: Window}, NothingToDo},
		{"window mode with an oversized last turn", long(), Options{Mode: Window, Budget: 5_000}, DoesNotFit},
		{"an ordinary one", long(), Options{Keep: 1}, Compacted},
	}
	for _, c := range cases {
		p, err := Plan(c.k.in, c.o)
		if err != nil || p.Outcome != c.want || p.Why == "" {
			t.Errorf("%s: %s %q %v, want %s", c.name, p.Outcome, p.Why, err, c.want)
		}
		if c.o.Mode == Window && !strings.Contains(p.Why, "≈") {
			t.Errorf("%s: an estimate is not marked: %q", c.name, p.Why)
		}
	}
}

func TestBadOptionsAreRefusedByName(t *testing.T) {
	k := newTalk(t)
	k.user("q")
	k.read("a.go", 9000)
	k.user("next")
	cases := []struct {
		o    Options
		code fault.Code
	}{
		{Options{Mode: "magic"}, fault.Invalid},
		{Options{Budget: -1}, fault.Invalid},
		{Options{Keep: -1}, fault.Invalid},
		{Options{Notes: strings.Repeat("x", 4097)}, fault.TooLarge},
		{Options{Pin: make([]string, 65)}, fault.TooLarge},
		{Options{Keep: 1, Pin: []string{"00000000000000000000000000000000"}}, fault.NotFound},
	}
	for _, c := range cases {
		if _, err := Plan(k.in, c.o); !fault.Is(err, c.code) {
			t.Errorf("%+v: %v, want %s", c.o, err, c.code)
		}
	}
}

func TestPinnedMessagesStayVerbatimWhateverTheyAre(t *testing.T) {
	k := newTalk(t)
	k.user("q")
	said := k.say("Remember: the port is 8443,\nnot 8080.").ID
	k.read("a.go", 9000)
	result := k.in.Items[len(k.in.Items)-1].ID
	last := k.user("next").ID
	p := mustPlan(t, k.in, Options{Keep: 1, Pin: []string{said[:12], result, last}})
	for _, want := range []string{"Remember: the port is 8443,\nnot 8080.", "result of call_3_0", "(message " +
		last[:12] + ", turn 2) " + below} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("%q is missing:\n%s", want, p.Text)
		}
	}
	k.accept(p)
	k.read("b.go", 9000)
	k.user("last")
	p = mustPlan(t, k.in, Options{Keep: 1})
	for _, want := range []string{"not 8080.", "(message " + last[:12] + ", turn 2) next"} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("%q is not carried:\n%s", want, p.Text)
		}
	}
}

func TestCutListsWhatLeftTheViewInThisStepDearestFirst(t *testing.T) {
	k := newTalk(t)
	k.user("q")
	k.read("old.go", 7000)
	k.user("next")
	k.accept(mustPlan(t, k.in, Options{Keep: 1}))
	k.read("/w/src/a.go", 5000)
	k.read("big.log", 800)
	it := &k.in.Items[len(k.in.Items)-1]
	it.Results[0].Artifact, it.Results[0].StubTokens = "a3f9c20b1d7e", 300
	k.user("last")
	p := mustPlan(t, k.in, Options{Keep: 1})
	first := p.Record.Cut[0]
	if first.Label != "Read src/a.go" || first.Tokens != 5000 || first.Kind != "result" || len(first.Handle) != 12 {
		t.Errorf("first cut %+v", first)
	}
	if second := p.Record.Cut[1]; second.Handle != "a3f9c20b1d7e" || second.Tokens != 300 {
		t.Errorf("second cut %+v", second)
	}
	if p.Record.CutTotal != 5 || len(p.Record.Cut) != 5 {
		t.Errorf("%d of %d cuts", len(p.Record.Cut), p.Record.CutTotal)
	}
	if !slices.IsSortedFunc(p.Record.Cut, func(a, b Cut) int { return b.Tokens - a.Tokens }) {
		t.Error("not sorted")
	}
}

func TestFocusMovesWhatItNamesForward(t *testing.T) {
	k := newTalk(t)
	k.user("q")
	for i := range 60 {
		k.edit(fmt.Sprintf("pkg/file%d.go", i), "", fmt.Sprintf("Name%d.Field", i))
	}
	k.user("next")
	if p := mustPlan(t, k.in, Options{Keep: 1, Budget: 600}); strings.Contains(p.Text, "file3.go") {
		t.Fatal("the budget is too large for this test")
	}
	if p := mustPlan(t, k.in, Options{Keep: 1, Budget: 600, Focus: "File3.go"}); !strings.Contains(p.Text,
		"pkg/file3.go — edited") {
		t.Error("the file in focus is not told")
	}
}

// What user and agent said is read once. Results that say nothing about the user's decisions never are.
func TestOnlyWhatWasSaidIsLoaded(t *testing.T) {
	k := newTalk(t)
	k.user("Start")
	said := 0
	for range 100 {
		said += len(k.messages[k.say(strings.Repeat("chatter ", 500)).first()].Parts[0].Text)
		k.read("a.go", 900)
		k.messages[k.in.Position].Parts[0].Text = strings.Repeat("x", 100_000)
	}
	k.user("next")
	mustPlan(t, k.in, Options{Keep: 1})
	if k.loaded > said+1_000 {
		t.Errorf("%d bytes of texts were loaded, %d were said", k.loaded, said)
	}
}

func TestAForgottenTextIsSaidToBeForgotten(t *testing.T) {
	k := newTalk(t)
	k.user("secret")
	delete(k.messages, 1)
	k.read("a.go", 5000)
	k.user("next")
	if p := mustPlan(t, k.in, Options{Keep: 1}); !strings.Contains(p.Text, "(turn 1, first request) (this text "+
		"was forgotten)") {
		t.Error(p.Text)
	}
}

func TestALongRequestShowsHeadTailAndHandle(t *testing.T) {
	k := newTalk(t)
	id := k.user("HEAD " + strings.Repeat("日本語のとても長い説明。", 20_000) + " TAIL").ID
	k.user("next")
	p := mustPlan(t, k.in, Options{Keep: 1})
	for _, want := range []string{"HEAD ", " TAIL", ` characters left out: read_artifact(id="` + id[:12] + `")…]`} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("lacks %q", want)
		}
	}
	if strings.ContainsRune(p.Text, '\ufffd') {
		t.Error("a character was cut in two")
	}
}

func TestWindowModeNeverDropsTheLastTurnNorASummary(t *testing.T) {
	k := newTalk(t)
	k.user("First task")
	k.read("a.go", 4000)
	k.user("two")
	k.accept(mustPlan(t, k.in, Options{Keep: 1}))
	summary := k.in.PreviousText
	for i := range 6 {
		k.read("b.go", 4000)
		k.user(fmt.Sprintf("turn %d", i))
		k.accept2(Options{Mode: Window, Budget: 10_000})
	}
	if !strings.HasPrefix(k.in.PreviousText, summary+layout.Rule) {
		t.Errorf("the summary is gone:\n%s", k.in.PreviousText)
	}
	if n := strings.Count(k.in.PreviousText, "dropped by window mode: read_artifact("); n != 1 {
		t.Errorf("%d markers, want 1", n)
	}
}

func (k *talk) accept2(o Options) {
	k.t.Helper()
	p, err := Plan(k.in, o)
	if err != nil {
		k.t.Fatal(err)
	}
	if p.Outcome == Compacted {
		if p.Record.After > o.Budget {
			k.t.Errorf("%d tokens, budget %d", p.Record.After, o.Budget)
		}
		k.accept(p)
	}
}

func BenchmarkPlan10000Items(b *testing.B) {
	k := newTalk(b)
	k.user("Start")
	k.grow(rand.New(rand.NewPCG(9, 9)), 6_000)
	for i := range k.in.Items {
		if k.in.Items[i].Role == transcript.RoleTool {
			for n := range 60 {
				k.in.Items[i].Names = append(k.in.Items[i].Names, fmt.Sprintf("pkg.Name%d", (i*7+n)%5000))
			}
		}
	}
	k.in.Items = k.in.Items[:10_000]
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Plan(k.in, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAWholeDocumentIsForAnotherChat(t *testing.T) {
	in := readShop(t)
	in.Session.ID = "ab03de2c"
	p := mustPlan(t, in, Options{Whole: true, Budget: 3_000})
	newest := in.Items[len(in.Items)-1]
	if p.Record.To != newest.last() || p.Record.TurnTo != newest.Turn {
		t.Errorf("the document ends at entry %d, turn %d; the session at %d, %d", p.Record.To, p.Record.TurnTo,
			newest.last(), newest.Turn)
	}
	if p.Record.ID != "ab03de2c" || !strings.Contains(p.Text, `read_artifact(id="ab03de2c")`) {
		t.Error("the handle of the document is not the session")
	}
	if strings.Contains(p.Text, "later turns are below") {
		t.Error("the document speaks of messages that another chat does not have")
	}
	if !strings.Contains(p.Text, "shop report") {
		t.Error("the newest request is missing")
	}
}

func TestToKeepMoreTurnsThanThereAreLeavesEverything(t *testing.T) {
	p, err := Plan(readShop(t), Options{Keep: 1000})
	if err != nil || p.Outcome != NothingToDo || !strings.Contains(p.Why, "the last 1,000 turns") {
		t.Errorf("%s: %s", p.Outcome, p.Why)
	}
}

func TestNotesStandAtTheTurnInWhichTheyWereSaid(t *testing.T) {
	in := readShop(t)
	in.Session.Turns = 7
	p := mustPlan(t, in, Options{Keep: 3, Notes: "goal: receipts"})
	if p.Record.TurnTo >= 7 || !strings.Contains(p.Text, "(turn 7) goal: receipts") {
		t.Errorf("the range ends with turn %d; the document:\n%s", p.Record.TurnTo, p.Text)
	}
}
