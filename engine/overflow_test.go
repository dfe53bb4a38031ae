package engine_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
	"ctxledger.dev/window/overflow"
)

// refusal is the error of a provider whose window is smaller than what is configured.
const refusal = `{"error":{"message":"This model's maximum context length is 30000 tokens. ` +
	`However, your messages resulted in 52000 tokens."}}`

// recovered hands in what came back and does what comes next.
func recovered(t *testing.T, l ledger.API, r ledger.OverflowRequest) ledger.Recovery {
	t.Helper()
	rec, err := ledger.Recover(t.Context(), l, r, compaction.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// A limit that an error names lowers the window at once, for this ledger, model and address, and the view is
// compacted to fit; what is known of it outlives the owner, and the status says where it comes from.
func TestAnOverflowIsRecoveredFrom(t *testing.T) {
	dir := t.TempDir()
	l := openPolicy(t, dir, without())
	id := hand(t, l, ledger.AppendMessagesRequest{Model: "gpt-4o", Messages: talkOf(12, 4_000)}).Session
	before := status(t, l, id)
	rec := recovered(t, l, ledger.OverflowRequest{Session: id, Status: 400, Body: []byte(refusal),
		Endpoint: "https://user:key@example.org/v1?key=secret"})
	if rec.Verdict.Class != overflow.PromptOverflow || rec.Advice.Action != overflow.Compact ||
		rec.Lesson != overflow.Lowered {
		t.Fatalf("%+v", rec.OverflowResponse)
	}
	if rec.Auto == nil || rec.Auto.Action != ledger.AutoCompacted || rec.Auto.Trigger != "context_exceeded" ||
		rec.Trimmed != nil {
		t.Fatalf("%+v, trimmed %+v", rec.Auto, rec.Trimmed)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = openPolicy(t, dir, without())
	st := status(t, l, id)
	// below a quarter: not believed until it is named again
	if before.Window != 128_000 || st.Window != 128_000 || st.Limits != nil {
		t.Errorf("the window was %d and is %d, %+v", before.Window, st.Window, st.Limits)
	}
	again := recovered(t, l, ledger.OverflowRequest{Session: id, Status: 400, Body: []byte(refusal)})
	if again.Lesson != overflow.Confirmed || again.Window.Tokens != 30_000 || again.Advice.Action == overflow.Compact {
		t.Errorf("the second error of the turn: %+v", again.OverflowResponse)
	}
	st = status(t, l, id)
	if st.Window != 30_000 || st.Limits == nil || st.Limits.Profile != 128_000 ||
		st.Limits.Learned.Endpoint != "https://example.org/v1" || st.Threshold > 30_000 {
		t.Errorf("the window is %d, %+v", st.Window, st.Limits)
	}
	if other, err := l.Status(t.Context(), ledger.StatusRequest{Session: id, Model: "gpt-4.1"}); err != nil ||
		other.Limits != nil {
		t.Errorf("another model has %+v, %v", other.Limits, err)
	}
	told := eventsOf[ledger.WindowLearned](t, l, ledger.EventWindowLearned)
	if len(told) != 1 || told[0].Old != 128_000 || told[0].New != 30_000 {
		t.Errorf("told %+v", told)
	}
}

// One user turn has one compaction with a retry, and then trimmed copies up to the third stage, each smaller than the one
// before; then it is given up. A copy changes nothing that is recorded, and the evaluation after it compacts, once.
func TestAUserTurnIsRecoveredOnce(t *testing.T) {
	l := openWith(t, without())
	messages := append(talkOf(20, 1_500), say("look")...)
	for _, id := range []string{"a", "b"} {
		messages = append(messages, round(id, "Grep", map[string]any{"pattern": id}, strings.Repeat("word ", 7_900))...)
	}
	id := hand(t, l, ledger.AppendMessagesRequest{Model: "gpt-4o", Messages: messages}).Session
	r := ledger.OverflowRequest{Session: id, Body: []byte("prompt is too long: 50000 tokens > 40000 maximum")}
	first := recovered(t, l, r)
	if first.Advice.Action != overflow.Compact || first.Trimmed != nil || first.Auto.Action != ledger.AutoCompacted {
		t.Fatalf("%+v, %+v", first.Advice, first.Auto)
	}
	view := bytes.Join(render(t, l, id), nil)
	second := recovered(t, l, r)
	if second.Advice.Action != overflow.TrimRequest || second.Trimmed == nil ||
		second.Trimmed.After >= second.Trimmed.Before {
		t.Fatalf("%+v, %+v", second.Advice, second.Trimmed)
	}
	if err := transcript.Valid(transcript.Anthropic, second.Messages); err != nil {
		t.Error(err)
	}
	if got := bytes.Join(render(t, l, id), nil); !bytes.Equal(got, view) {
		t.Error("a trimmed copy changed the view")
	}
	last := *second.Trimmed
	for last.Stage < overflow.Stages {
		next := recovered(t, l, r)
		if next.Trimmed == nil || next.Trimmed.Stage <= last.Stage || next.Trimmed.After >= last.After ||
			next.Auto != nil {
			t.Fatalf("after %+v: %+v, %+v", last, next.Advice, next.Trimmed)
		}
		last = *next.Trimmed
	}
	if end := recovered(t, l, r); end.Advice.Action != overflow.GiveUp || end.Advice.Say != overflow.GaveUp ||
		end.Auto != nil {
		t.Errorf("%+v", end.Advice)
	}
	hand(t, l, ledger.AppendMessagesRequest{Session: id, Since: true,
		Messages: append(say("ok"), talkOf(2, 10)...)[1:]})
	if out := auto(t, l, of(id)); out.Trigger != "context_exceeded" {
		t.Errorf("the next evaluation: %s by %q, %s", out.Action, out.Trigger, out.Why)
	}
	if out := auto(t, l, of(id)); out.Trigger != "" {
		t.Errorf("and the one after it: %s by %q, %s", out.Action, out.Trigger, out.Why)
	}
	if fresh := recovered(t, l, r); fresh.Advice.Action == overflow.GiveUp {
		t.Errorf("in the next turn: %+v", fresh.Advice)
	}
}

func TestWhatIsDoneAboutAnAnswer(t *testing.T) {
	long := strings.Repeat("word ", 30_000)
	for _, c := range []struct {
		name   string
		r      ledger.OverflowRequest
		action overflow.Action
		owes   bool // the next evaluation compacts
		output int
	}{
		{"a rate limit", ledger.OverflowRequest{Status: 429, Body: []byte("too many tokens per minute")},
			overflow.Surface, false, 0},
		{"another model's", ledger.OverflowRequest{Model: "gpt-4.1",
			Body: []byte("prompt is too long: 9 tokens > 300 maximum")}, overflow.Ignore, false, 0},
		{"the user has read some", ledger.OverflowRequest{Streamed: true,
			Body: []byte("prompt is too long: 140000 tokens > 128000 maximum")}, overflow.CompactNext, true, 0},
		{"calls that were parted from their results", ledger.OverflowRequest{Status: 400, Body: []byte("messages.3: " +
			"`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1")}, overflow.Resend, false, 0},
		{"too little output to think", ledger.OverflowRequest{Status: 400,
			Body: []byte("`max_tokens` must be greater than `thinking.budget_tokens`")}, overflow.Surface, false, 0},
		{"cut silently", ledger.OverflowRequest{Status: 200, Finish: "length", NumCtx: 32_768,
			Usage: &overflow.Usage{Input: 16_386, Output: 5}}, overflow.CompactNext, true, 0},
		{"over the window, silently", ledger.OverflowRequest{Status: 200, Finish: "stop",
			Usage: &overflow.Usage{Input: 140_000, Output: 5}}, overflow.CompactNext, true, 0},
		{"a fine answer", ledger.OverflowRequest{Status: 200, Finish: "stop",
			Usage: &overflow.Usage{Input: 40_000, Output: 500}}, overflow.Surface, false, 0},
		{"the output budget", ledger.OverflowRequest{Body: []byte(
			"input length and `max_tokens` exceed context limit: 120000 + 8192 > 128000")}, overflow.LowerOutput,
			false, 6720},
		{"bytes", ledger.OverflowRequest{Status: 413, Body: []byte("413 Request Entity Too Large")}, overflow.Shrink,
			true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := openWith(t, without())
			messages := append(talkOf(3, 10), say(long, "well")...)
			messages = append(messages, talkOf(4, 4_000)...)
			id := hand(t, l, ledger.AppendMessagesRequest{Model: "gpt-4o", Messages: messages}).Session
			c.r.Session = id
			rec := recovered(t, l, c.r)
			if rec.Advice.Action != c.action || rec.Next == "" || rec.Advice.OutputCap != c.output ||
				rec.Window.OutputCap != c.output {
				t.Errorf("%+v of %+v: %s, %+v", rec.Advice, rec.Verdict, rec.Next, rec.Window)
			}
			if owes := status(t, l, id).NextStep.Due.Reason == "context_exceeded"; owes != c.owes {
				t.Errorf("the next evaluation compacts: %v", owes)
			}
			if st := status(t, l, id); c.output > 0 && (st.Limits == nil || st.Limits.OutputCap != c.output) {
				t.Errorf("the status says %+v", st.Limits)
			}
		})
	}
}

// What one address taught says nothing of an answer that came from another one.
func TestALearnedWindowIsThatOfItsAddress(t *testing.T) {
	l := openWith(t, without())
	id := hand(t, l, ledger.AppendMessagesRequest{Model: "gpt-4o", Messages: talkOf(4, 400)}).Session
	recovered(t, l, ledger.OverflowRequest{Session: id, Endpoint: "https://a.example",
		Body: []byte("prompt is too long: 140000 tokens > 100000 maximum"), Streamed: true})
	if st := status(t, l, id); st.Window != 100_000 {
		t.Fatalf("the window is %d", st.Window)
	}
	fine := ledger.OverflowRequest{Session: id, Endpoint: "https://b.example", Status: 200, Finish: "stop",
		Usage: &overflow.Usage{Input: 110_000, Output: 5}}
	if rec := recovered(t, l, fine); rec.Advice.Action != overflow.Surface || rec.Window.Tokens != 128_000 {
		t.Errorf("elsewhere: %+v, %+v", rec.Advice, rec.Window)
	}
	fine.Endpoint = ""
	if rec := recovered(t, l, fine); rec.Advice.Action != overflow.CompactNext {
		t.Errorf("where it was learned: %+v", rec.Advice)
	}
}

// TestALearnedLimitRises: a limit that a provider names later replaces the learned one, even if it is higher. Without a model's
// name, it applies to one session.
func TestALearnedLimitRises(t *testing.T) {
	l := openWith(t, without())
	for _, model := range []string{"", "mine"} {
		var ids []string
		for i := range 2 {
			ids = append(ids, hand(t, l, ledger.AppendMessagesRequest{Model: model,
				Messages: say(fmt.Sprint(model, i), strings.Repeat("word ", 9_000))}).Session)
		}
		for _, limit := range []int{5_000, 128_000} {
			body := fmt.Appendf(nil, "This model's maximum context length is %d tokens.", limit)
			rec := recovered(t, l, ledger.OverflowRequest{Session: ids[0], Status: 400, Body: body, Streamed: true})
			other := 0
			if model != "" {
				other = limit
			}
			if rec.Limit != limit || status(t, l, ids[0]).Window != limit || status(t, l, ids[1]).Window != other {
				t.Errorf("%q, %d: the limit is %d, %s", model, limit, rec.Limit, rec.Lesson)
			}
		}
	}
}

// A count far below ours is a suspicion first, and believed the second time.
func TestASuspicionIsBelievedTheSecondTime(t *testing.T) {
	l := openWith(t, without())
	id := hand(t, l, ledger.AppendMessagesRequest{Model: "qwen3",
		Messages: say(strings.Repeat("word ", 30_000))}).Session
	r := ledger.OverflowRequest{Session: id, Status: 200, Finish: "stop", NumCtx: 32_768,
		Usage: &overflow.Usage{Input: 12_000, Output: 50}}
	for i, want := range []overflow.Action{overflow.Surface, overflow.CompactNext} {
		if rec := recovered(t, l, r); rec.Advice.Action != want {
			t.Errorf("call %d: %+v of %+v", i, rec.Advice, rec.Verdict)
		}
	}
}

func TestRecoveryCanBeSwitchedOff(t *testing.T) {
	p := window.Default()
	p.Compact.NoRecovery = true
	l := openWith(t, p)
	id := hand(t, l, ledger.AppendMessagesRequest{Model: "gpt-4o", Messages: talkOf(12, 400)}).Session
	rec := recovered(t, l, ledger.OverflowRequest{Session: id,
		Body: []byte("prompt is too long: 140000 tokens > 100000 maximum")})
	if rec.Advice.Action != overflow.Surface || rec.Lesson != overflow.Lowered || rec.Auto != nil ||
		status(t, l, id).Window != 100_000 {
		t.Errorf("%+v", rec)
	}
}

// What was learned expires, and a failure older than the compaction is about what is not any more.
func TestOverflowsOfLongAgo(t *testing.T) {
	l, now := openIn(t, t.TempDir(), "")
	id := hand(t, l, ledger.AppendMessagesRequest{Model: "gpt-4o", Messages: talkOf(30, 1_000)}).Session
	r := ledger.OverflowRequest{Session: id, Body: []byte("prompt is too long: 140000 tokens > 100000 maximum"),
		Streamed: true, At: now.now}
	recovered(t, l, r)
	if st := status(t, l, id); st.Window != 100_000 {
		t.Errorf("the window is %d", st.Window)
	}
	now.now = now.now.Add(time.Minute)
	compact(t, l, id, compactionOf(2))
	if rec := recovered(t, l, r); rec.Advice.Action != overflow.Ignore {
		t.Errorf("%+v", rec.Advice)
	}
	now.now = now.now.Add(31 * 24 * time.Hour)
	if st := status(t, l, id); st.Window != 128_000 || st.Limits != nil {
		t.Errorf("after a month the window is %d, %+v", st.Window, st.Limits)
	}
}

func TestOverflowRefuses(t *testing.T) {
	l := open(t)
	for _, r := range []ledger.OverflowRequest{{Session: "nobody"}, {Session: "nobody", NumCtx: -1},
		{Session: "x", Body: make([]byte, 1<<20)}} {
		if _, err := l.Overflow(t.Context(), r); err == nil {
			t.Errorf("%+v is taken", r.Session)
		}
	}
	_, err := l.NoteTrim(t.Context(), ledger.NoteTrimRequest{Session: "nobody",
		RequestTrimmed: ledger.RequestTrimmed{Stage: 9}})
	wantCode(t, err, fault.Invalid)
}

// A text that is forgotten goes from what was decided and learned, and from its events.
func TestForgettingReachesDecisions(t *testing.T) {
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Model: "gpt-4o", Messages: talkOf(12, 400)}).Session
	recovered(t, l, ledger.OverflowRequest{
		Session: id, Body: []byte("prompt is too long: 140000 tokens > 100000 maximum"), Provider: "secret-provider",
		Endpoint: "https://secret-provider.example.org",
	})
	if n := len(eventsOf[ledger.ContextOverflow](t, l, ledger.EventOverflow)); n != 1 {
		t.Fatalf("%d events", n)
	}
	gone, err := l.Forget(t.Context(), ledger.ForgetRequest{Text: "secret-provider"})
	if err != nil || len(gone.Left) > 0 {
		t.Fatalf("%+v, %v", gone, err)
	}
	for _, e := range eventsOf[ledger.ContextOverflow](t, l, ledger.EventOverflow) {
		if strings.Contains(e.Place.Provider+e.Place.Endpoint, "secret-provider") || e.Limit != 100_000 {
			t.Errorf("%+v", e)
		}
	}
	if st := status(t, l, id); st.Window != 128_000 {
		t.Errorf("the limit of a forgotten server is believed: %d", st.Window)
	}
}
