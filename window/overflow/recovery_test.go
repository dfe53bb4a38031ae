package overflow

import (
	"testing"
	"time"
)

func TestLimitsAreLearned(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	at := Place{"vllm", "http://localhost:8000", "qwen"}
	elsewhere := Place{"vllm", "http://localhost:8000", "llama"}
	named := func(limit int) Verdict {
		return Verdict{Class: PromptOverflow, Pattern: "OV05", Limit: limit, Actual: 150_000}
	}
	request := Request{Estimate: 120_000, NumCtx: 8192}
	known := Learned{Place: at, Limit: 131_072, NumCtx: 8192, Seen: now.Add(-time.Hour)}
	doubted := Learned{Place: at, Limit: 20_000, NumCtx: 8192, Seen: now.Add(-time.Hour)}
	for _, c := range []struct {
		name       string
		before     Learned
		v          Verdict
		configured int
		lesson     Lesson
		limit      int // learned then
		window     int // used then
	}{
		{"lower", Learned{}, named(131_072), 1_048_576, Lowered, 131_072, 1_048_576}, // below a quarter
		{"lower, believed at once", Learned{}, named(131_072), 400_000, Lowered, 131_072, 131_072},
		{"lower, named again", Learned{Place: at, Limit: 131_072, NumCtx: 8192, Seen: now}, named(131_072), 1_048_576,
			Confirmed, 131_072, 131_072},
		{"higher", Learned{}, named(400_000), 200_000, Higher, 0, 200_000},
		{"the same", Learned{}, named(200_000), 200_000, Nothing, 0, 200_000},
		{"nothing is configured", Learned{}, named(131_072), 0, Lowered, 131_072, 131_072},
		{"smaller than any window", Learned{}, named(1_023), 0, Nothing, 0, 0},
		{"lower than learned", known, named(65_536), 200_000, Lowered, 65_536, 65_536},
		{"higher than learned", known, named(140_000), 200_000, Raised, 140_000, 140_000},
		{"higher than learned, and than is configured", known, named(400_000), 200_000, Higher, 131_072, 131_072},
		{"higher than learned, nothing is configured", known, named(140_000), 0, Raised, 140_000, 140_000},
		{"higher than what was confirmed", Learned{Place: at, Limit: 8_192, NumCtx: 8192, Seen: now, Sure: true},
			named(16_384), 1_048_576, Raised, 16_384, 16_384},
		{"higher, and what was refused fits it", known,
			Verdict{Class: PromptOverflow, Limit: 140_000, Actual: 9_000}, 200_000, Nothing, 131_072, 131_072},
		{"higher than what was doubted", doubted, named(140_000), 200_000, Raised, 140_000, 140_000},
		{"higher than what is too old",
			Learned{Place: at, Limit: 131_072, NumCtx: 8192, Seen: now.Add(-learnedLife), Sure: true}, named(140_000),
			200_000, Lowered, 140_000, 140_000},
		{"of another model", Learned{Place: elsewhere, Limit: 131_072, NumCtx: 8192, Seen: now, Sure: true},
			named(140_000), 200_000, Lowered, 140_000, 140_000},
		{"of another loaded context", Learned{Place: at, Limit: 4096, NumCtx: 4096, Seen: now, Sure: true},
			named(140_000), 200_000, Lowered, 140_000, 140_000},
		{"no limit", known, Verdict{Class: PromptOverflow, OverBy: 10}, 200_000, Nothing, 131_072, 131_072},
		{"no overflow", known, Verdict{Class: None, Limit: 1000}, 200_000, Nothing, 131_072, 131_072},
		{"our own limit", known, Verdict{Class: SilentOverflow, Limit: 1000}, 200_000, Nothing, 131_072, 131_072},
		{"of the output", Learned{}, Verdict{Class: OutputBudget, Limit: 180_000}, 200_000, Lowered, 180_000, 180_000},
	} {
		got, lesson := c.before.Learn(c.v, at, c.configured, request, now)
		if lesson != c.lesson || got.Limit != c.limit {
			t.Errorf("%s: %q, %+v", c.name, lesson, got)
		}
		if w := got.Window(at, c.configured, 8192, now); w != c.window {
			t.Errorf("%s: the window is %d, want %d", c.name, w, c.window)
		}
	}
	far, _ := Learned{}.Learn(named(131_072), at, 1_048_576, request, now)
	if w := far.RetryWindow(at, 1_048_576, 8192, now); w != 131_072 {
		t.Errorf("the retry uses %d", w)
	}
	trap := Classify(Response{Status: 400,
		Body: []byte("request (9000 tokens) exceeds the available context size (8192 tokens)")}, Request{})
	if one, _ := (Learned{}).Learn(trap, at, 131_072, request, now); one.Window(at, 131_072, 8192, now) != 8192 {
		t.Errorf("a server's own context is not believed at once: %+v", one)
	}
	for name, w := range map[string]int{
		"another model":          known.Window(elsewhere, 200_000, 8192, now),
		"another loaded context": known.Window(at, 200_000, 4096, now),
		"a month later":          known.Window(at, 200_000, 8192, now.Add(learnedLife)),
		"nothing learned":        Learned{}.Window(Place{}, 200_000, 0, now),
	} {
		if w != 200_000 {
			t.Errorf("%s: %d", name, w)
		}
	}
}

func TestEstimatesAreCorrected(t *testing.T) {
	var r Ratio
	if r.Correct(1000) != 1000 || r.Learn(0, 10).Correct(1000) != 1000 {
		t.Error("corrected without a measurement")
	}
	r = r.Learn(1300, 1000)
	if got := r.Correct(1000); got != 1300 {
		t.Errorf("after one: %d", got)
	}
	if got := r.Learn(100_000, 1000).Correct(1000); got != 2150 { // 3.0 at most
		t.Errorf("after one that cannot be right: %d", got)
	}
	for range 100 {
		r = r.Learn(600, 1000)
	}
	if got := r.Correct(1000); got != 600 && got != 601 || r.N != ratioSpan {
		t.Errorf("after many: %d, %+v", got, r)
	}
}

func TestAdvice(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	base := Incident{Verdict: Verdict{Class: PromptOverflow}, Model: "m", Current: "m", At: now,
		Compacted: now.Add(-time.Hour), Recover: true}
	for _, c := range []struct {
		name   string
		change func(*Incident)
		want   Advice
	}{
		{"the first", func(*Incident) {}, Advice{Action: Compact, Retry: true}},
		{"it fits after all", func(in *Incident) { in.Fits = true }, Advice{Action: Resend, Retry: true}},
		{"the second", func(in *Incident) { in.Earlier = 1 }, Advice{Action: TrimRequest, Retry: true}},
		{"the third", func(in *Incident) { in.Earlier, in.Trimmed = 2, 1 }, Advice{Action: TrimRequest, Retry: true}},
		{"after the last stage", func(in *Incident) { in.Earlier, in.Trimmed = 2, Stages },
			Advice{Action: GiveUp, Say: GaveUp}},
		{"no room for thinking", func(in *Incident) { in.Class, in.Pattern = OutputBudget, thinkingBudget },
			Advice{Action: Surface, Say: raiseOutput}},
		{"no room for thinking under our cap",
			func(in *Incident) { in.Class, in.Pattern, in.Earlier = OutputBudget, thinkingBudget, 1 },
			Advice{Action: TrimRequest, Retry: true}},
		{"calls and results that were parted", func(in *Incident) { in.Class = BrokenPairs },
			Advice{Action: Resend, Retry: true}},
		{"and again", func(in *Incident) { in.Class, in.Earlier = BrokenPairs, 1 }, Advice{Action: Surface}},
		{"nothing", func(in *Incident) { in.Class = None }, Advice{Action: Surface}},
		{"not wanted", func(in *Incident) { in.Recover = false }, Advice{Action: Surface}},
		{"of another model", func(in *Incident) { in.Current = "n" }, Advice{Action: Ignore}},
		{"before the compaction", func(in *Incident) { in.Compacted = now.Add(time.Second) }, Advice{Action: Ignore}},
		{"the user has read some", func(in *Incident) { in.Streamed = true }, Advice{Action: CompactNext}},
		{"silent", func(in *Incident) { in.Class = SilentOverflow }, Advice{Action: CompactNext}},
		{"bytes", func(in *Incident) { in.Class = PayloadTooLarge }, Advice{Action: Shrink, Retry: true}},
		{"output", func(in *Incident) { in.Class, in.OutputCap = OutputBudget, 2000 },
			Advice{Action: LowerOutput, Retry: true, OutputCap: 2000}},
		{"output, no room", func(in *Incident) { in.Class = OutputBudget }, Advice{Action: Compact, Retry: true}},
		{"output, for ever", func(in *Incident) { in.Class, in.OutputCap, in.Earlier = OutputBudget, 2000, 2 },
			Advice{Action: TrimRequest, Retry: true}},
	} {
		in := base
		c.change(&in)
		if got := Advise(in); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestOneUserTurnIsRecoveredOnce(t *testing.T) {
	count := map[Action]int{}
	for earlier := range 6 { // each trimmed copy is of the next stage
		count[Advise(Incident{Verdict: Verdict{Class: PromptOverflow}, Earlier: earlier, Trimmed: max(0, earlier-1),
			Recover: true}).Action]++
	}
	if count[Compact] != 1 || count[TrimRequest] != Stages || count[GiveUp] != 2 {
		t.Errorf("%v", count)
	}
}
