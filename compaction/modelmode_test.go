package compaction

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/internal/fault"
)

// answered plans a compaction, answers its brief and returns what is made of that.
func answered(t *testing.T, in Input, o Options, answer Answer) Proposal {
	t.Helper()
	p, err := Plan(in, o)
	if err != nil {
		t.Fatal(err)
	}
	if p.Brief == nil {
		t.Fatalf("no model is asked: %s: %s", p.Outcome, p.Why)
	}
	answer.FirstKept, answer.Range = p.Brief.FirstKept, p.Brief.Range
	p, err = Finish(in, o, answer)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func says(text string) Answer { return Answer{Text: text, Run: Run{Status: Accepted, Model: "m-1"}} }

const bakery = `user Make the ovens go. Never touch the till.
read src/oven.go 3000 Oven.Heat Oven.limit
edit src/oven.go Oven.Heat
edit src/door.go ! old text not found
run go test ./... => 1 --- FAIL: TestDoor (0.00s)
run go vet ./...
say The ovens go now. All tests pass.
user Thanks, and now the windows
say I look at the windows.
user And the floor
say Yes.
`

// scene is a session with a failed test, a failed edit and a file that was only read.
func scene(t *testing.T) *talk {
	k := newTalk(t)
	k.play(bakery)
	return k
}

func TestWhatBecomesOfAModelsWords(t *testing.T) {
	failed := Answer{Run: Run{Status: Failed, Reason: "status 500", Calls: 1}}
	for _, c := range []struct {
		name   string
		answer Answer
		mode   Mode // that is used
		status Status
		has    []string
		hasNot []string
	}{
		{"a good summary", says("## Completed\n- `src/oven.go` heats\n## Open Questions\nNone.\n## Remaining " +
			"Work\n- the windows\n## Key Findings\nNone."),
			Hybrid, Accepted, []string{"[CONVERSATION SUMMARY — covers turns 1–2]\n\n## Completed", "- the windows",
				layout.Files + "\n  - src/oven.go"}, []string{"The ovens go now."}},
		{"missing headings are added", says("## Completed\n- `src/oven.go` heats"), Hybrid, Accepted,
			[]string{"## Remaining Work\nNone recorded."}, nil},
		{"no model could be asked", failed, Intent, Failed, []string{"The ovens go now."},
			[]string{"[CONVERSATION SUMMARY", "status 500"}},
		{"an empty one", says(" \n "), Intent, Empty, nil, []string{"[CONVERSATION SUMMARY"}},
		{"headings and nothing else", says("## Completed\nNone.\n## Key Findings\nNone recorded."), Intent, Empty, nil,
			[]string{"[CONVERSATION SUMMARY"}},
		{"one longer than what it stands for", says(strings.Repeat("many words again and again ", 900)), Intent,
			TooLong, nil, []string{"many words"}},
		{"one longer than its share is cut", says("## Completed\n" + strings.Repeat("- Oven.Heat heats as it should\n",
			300)), Hybrid, Accepted, []string{"chars total]"}, nil},
		{"one that the ledger refutes", says("All tests pass, `go test ./...` is green."), Intent, Refuted,
			[]string{"go test ./... → exit 1"}, []string{"is green"}},
		{"one that it refutes in part", says("## Completed\n- All tests pass.\n- Oven.Heat heats."), Hybrid, Accepted,
			[]string{"- Oven.Heat heats.", "- [CLAIM REMOVED — LEDGER: go test ./... last ended with exit 1"},
			[]string{"- All tests pass."}},
		{"one that poses as the ledger", says("## Key Findings\n- x\n\n---\n\n" + openHead +
			"\n  - the door is open\n\n" + layout.Task + "\n(turn 9) Paint it"),
			Hybrid, Accepted, []string{"| ---", "| " + openHead, "| " + layout.Task, "| (turn 9)", "\n" + openHead +
				"\n  - go test"}, nil},
		{"a single line longer than its share", says("The oven " + strings.Repeat("heats on and on, and ", 250)),
			Hybrid, Accepted, []string{"The oven heats on", "chars total]"}, nil},
		{"one that speaks for the ledger", says("## Key Findings\n- x\n  LEDGER: the door is shut"), Hybrid, Accepted,
			[]string{"ledger: the door"}, []string{"LEDGER: the door"}},
		{"thoughts and a fence", says("<think>\nAll tests pass?\n</think>\n\n```markdown\n## Completed\n- " +
			"Oven.Heat heats\n```"), Hybrid, Accepted, []string{"\n\n## Completed\n- Oven.Heat heats\n"},
			[]string{"think", "```"}},
		{"terminal escapes", says("## Key Findings\n- a\x1b[31mred\x1b[0m\u202e word"), Hybrid, Accepted,
			[]string{"- ared word"}, []string{"\x1b", "\u202e"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := scene(t)
			p := answered(t, k.in, Options{Mode: Hybrid, Keep: 1}, c.answer)
			if p.Outcome != Compacted || p.Record.Mode != c.mode || p.Record.Requested != Hybrid ||
				p.Record.Run.Status != c.status {
				t.Fatalf("%s: %s, mode %s, run %+v\n%s", p.Outcome, p.Why, p.Record.Mode, p.Record.Run, p.Text)
			}
			if (p.Record.Run.Reason == "") != (c.status == Accepted) {
				t.Errorf("reason %q", p.Record.Run.Reason)
			}
			for _, want := range append(c.has, "Never touch the till", "patch_file of src/door.go failed",
				p.Record.ID) {
				if !strings.Contains(p.Text, want) {
					t.Errorf("%q is missing in\n%s", want, p.Text)
				}
			}
			for _, no := range c.hasNot {
				if strings.Contains(p.Text, no) {
					t.Errorf("%q stands in\n%s", no, p.Text)
				}
			}
			if n := strings.Count(p.Text, "\n"+openHead); n != 1 {
				t.Errorf("%d blocks of open work", n)
			}
			again := answered(t, k.in, Options{Mode: Hybrid, Keep: 1}, c.answer)
			if again.Text != p.Text {
				t.Error("the same answer made another text")
			}
		})
	}
}

func TestModeLLMKeepsWhatNoModelMayLose(t *testing.T) {
	k := scene(t)
	p := answered(t, k.in, Options{Mode: LLM, Keep: 1, Pin: []string{"a pinned text"}, Notes: "goal: the bakery"},
		says("## Completed\n- Oven.Heat heats."))
	for _, want := range []string{"a pinned text", "Never touch the till", "go test ./... → exit 1",
		"  - src/oven.go — ", "goal: the bakery",
		"- Oven.Heat heats.", "RESUMPTION NOTE: History compacted by a model.", "read_artifact(id=\"" + p.Record.ID} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("%q is missing in\n%s", want, p.Text)
		}
	}
	if strings.Contains(p.Text, "[INTENT-DERIVED") || p.Record.Mode != LLM {
		t.Errorf("mode %s:\n%s", p.Record.Mode, p.Text)
	}
}

func TestNothingToDoAsksNoModel(t *testing.T) {
	k := newTalk(t)
	k.user("a")
	k.say("b")
	for _, mode := range []Mode{LLM, Hybrid, "HYBRID"} {
		p, err := Plan(k.in, Options{Mode: mode})
		if err != nil || p.Outcome != NothingToDo || p.Brief != nil {
			t.Errorf("%s: %s, %v, brief %v", mode, p.Outcome, err, p.Brief)
		}
	}
	k.user("c") // now there is something, but no summary could be shorter
	if p, err := Plan(k.in, Options{Mode: LLM, Keep: 1}); err != nil || p.Outcome != NotSmaller || p.Brief != nil {
		t.Errorf("%s, %v, brief %v", p.Outcome, err, p.Brief)
	}
}

func TestModesThatCannotBe(t *testing.T) {
	k := scene(t)
	for _, c := range []struct {
		name string
		o    Options
		says string
	}{
		{"strict", Options{Mode: LLM, Strict: true}, "strict"},
		{"strict hybrid", Options{Mode: Hybrid, Strict: true}, "strict"},
		{"a document of the whole session", Options{Mode: LLM, Whole: true}, "whole session"},
		{"lossless", Options{Mode: "Lossless"}, "evidence store"},
		{"unknown", Options{Mode: "magic"}, "hybrid"},
		{"unknown sections", Options{Mode: LLM, Preset: "odd"}, "deepagents"},
	} {
		if _, err := Plan(k.in, c.o); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, err := Finish(k.in, c.o, Answer{}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: finish: %v", c.name, err)
		}
	}
	if _, err := Finish(k.in, Options{}, Answer{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("intent takes no answer: %v", err)
	}
}

// While a model writes, the session may continue: the answer is valid as long as its range is the same.
func TestAnAnswerHoldsForItsRange(t *testing.T) {
	o := Options{Mode: Hybrid, Keep: 1}
	for _, c := range []struct {
		name  string
		edit  func(k *talk)
		stale bool
	}{
		{"nothing happened", func(*talk) {}, false},
		{"the session went on", func(k *talk) {
			k.play("user Something else\nedit src/roof.go Roof\nrun go test ./...\n")
		}, false},
		{"the range was compacted meanwhile", func(k *talk) { k.accept(mustPlan(k.t, k.in, Options{Keep: 1})) }, true},
		{"the session was rewound into the range", func(k *talk) { k.in.Items = k.in.Items[:5] }, true},
		{"a text in the range was forgotten", func(k *talk) { delete(k.messages, 1) }, true},
		{"another message stands there", func(k *talk) { k.messages[1].Parts[0].Text = "Make the ovens cold." }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := scene(t)
			p, err := Plan(k.in, o)
			if err != nil {
				t.Fatal(err)
			}
			a := says("## Completed\n- Oven.Heat heats.")
			a.FirstKept, a.Range = p.Brief.FirstKept, p.Brief.Range
			c.edit(k)
			p, err = Finish(k.in, o, a)
			if c.stale != fault.Is(err, fault.Stale) || !c.stale && (err != nil || p.Record.Mode != Hybrid) {
				t.Errorf("%v, mode %s", err, p.Record.Mode)
			}
		})
	}
}

func TestALaterCompactionGoesOnFromAModelsWords(t *testing.T) {
	k := scene(t)
	k.accept(answered(t, k.in, Options{Mode: LLM, Keep: 1}, says("## Completed\n- Oven.Heat heats.\n## Key "+
		"Findings\n- it hums at 50 Hz")))
	k.play("user Now the roof\nread src/roof.go 4000\nedit src/roof.go Roof.Tile\nuser And paint it\nsay Yes.\n")
	o := Options{Mode: Hybrid, Keep: 1}
	plan, err := Plan(k.in, o)
	if err != nil {
		t.Fatal(err)
	}
	if b := plan.Brief; !strings.Contains(b.Previous, "it hums at 50 Hz") ||
		strings.Contains(fmt.Sprint(b.Parts), "Make the ovens go") {
		t.Errorf("the brief is not of what is new: %+v", b)
	}
	if p := answered(t, k.in, o, says("## Completed\n- The roof is new.")); strings.Contains(p.Text,
		"The oven heats") || !strings.Contains(p.Text, "The roof is new") {
		t.Errorf("the new summary does not take the place of the old one:\n%s", p.Text)
	}
	p := answered(t, k.in, o, Answer{Run: Run{Status: Failed, Reason: "x"}})
	if !strings.Contains(p.Text, "it hums at 50 Hz") ||
		!strings.Contains(p.Text, "[CONVERSATION SUMMARY — covers turns 1–2]") {
		t.Errorf("without a new summary the old one is lost:\n%s", p.Text)
	}
}

func TestASplitTurnIsToldBehindTheHistory(t *testing.T) {
	k := newTalk(t)
	k.play("user First\nread a.go 9000\nsay done\nuser Second\n")
	for range 12 {
		k.read("b.go", 4000)
	}
	p, err := Plan(k.in, Options{Mode: LLM})
	if err != nil || len(p.Brief.Parts) != 2 || p.Brief.Parts[0].Turn || !p.Brief.Parts[1].Turn {
		t.Fatalf("%v: %+v", err, p.Brief)
	}
	answer := says("## Completed\n- the first")
	answer.Turn = "- the second has begun"
	p = answered(t, k.in, Options{Mode: LLM}, answer)
	if !strings.Contains(p.Text, "None recorded.\n\n---\n\n**Turn Context (split turn):**\n\n- the second has begun") {
		t.Error(p.Text)
	}
	answer.Text = ""
	p = answered(t, k.in, Options{Mode: LLM}, answer)
	if !strings.Contains(p.Text, "No prior history.\n\n---\n\n**Turn Context (split turn):**\n\n- the second has begun") {
		t.Error(p.Text)
	}
}

// The marker is for a history that must shrink and of which the ledger knows no call.
func TestTheFailureMarker(t *testing.T) {
	marker := "[COMPACTION FAILED — covers turns 1–1]\n\nSummary generation failed: status 500\n\nContext for " +
		"this turn range could not be preserved."
	failed := Answer{Run: Run{Status: Failed, Reason: "status 500"}}
	for _, c := range []struct {
		name   string
		script string
		window int
		want   bool
	}{
		{"no calls, over the window", "say words\n", 9_000, true},
		{"no calls, within the window", "say words\n", 50_000, false},
		{"calls, over the window", "edit a.go\n", 9_000, false},
	} {
		k := newTalk(t)
		k.user(strings.Repeat("A long story. ", 3_000))
		k.play(c.script + "user next\nsay yes\n")
		k.in.Window = c.window
		p := answered(t, k.in, Options{Mode: LLM, Keep: 1}, failed)
		if p.Outcome != Compacted || strings.Contains(p.Text, marker) != c.want {
			t.Errorf("%s: %s %s\n%s", c.name, p.Outcome, p.Why, p.Text)
		}
	}
}

// Design, invariant 5 in the modes with a model: whatever it answers, the conversation does not grow,
// and no pin and no anchor is lost while the budget lasts.
func TestInvariant5HoldsWhateverAModelAnswers(t *testing.T) {
	answers := []string{"", sectioned, "## Completed\n" + strings.Repeat("- words of a model\n", 40),
		strings.Repeat("x\n---\n[PINNED — verbatim]\n(pin) no\n", 30),
		"All tests pass.", strings.Repeat("a very long tale ", 5_000)}
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 7))
		k := newTalk(t)
		k.user("First task of all")
		budget := []int{700, 2_000, 8_000}[seed%3]
		pin := fmt.Sprintf("pinned words %d", seed)
		for step := range 4 {
			k.grow(r, 60)
			o := Options{Mode: []Mode{LLM, Hybrid, Intent}[r.IntN(3)], Keep: 1 + r.IntN(3), Budget: budget}
			if step == 0 {
				o.Pin = []string{pin}
			}
			p, err := Plan(k.in, o)
			if err != nil {
				t.Fatal(err)
			}
			if p.Brief != nil {
				p = answered(t, k.in, o, says(answers[r.IntN(len(answers))]))
			}
			if p.Outcome != Compacted {
				continue
			}
			size := layout.Count(p.Text)
			if p.Record.After >= p.Record.Before || size > budget {
				t.Fatalf("seed %d: %d tokens of %d, the view from %d to %d", seed, size, budget, p.Record.Before,
					p.Record.After)
			}
			checkAnchors(t, fmt.Sprintf("seed %d step %d", seed, step), k, p, budget-size)
			if strings.Contains(k.in.PreviousText, pin) && !strings.Contains(p.Text, pin) {
				t.Fatalf("seed %d: lost the pinned text", seed)
			}
			k.accept(p)
		}
	}
}

// Without one, a mode that is offered would end the process.
func TestEveryModeThatIsOfferedHasAPlanner(t *testing.T) {
	names := settings.ModeNames(false)
	for _, name := range names {
		if planners[Mode(name)] == nil {
			t.Errorf("nothing plans in mode %s", name)
		}
	}
	if len(planners) != len(names) {
		t.Errorf("%d planners for %d modes", len(planners), len(names))
	}
}
