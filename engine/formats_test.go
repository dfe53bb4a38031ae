package engine_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/formattest"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// provider is one of formattest's, with what the engine's tests ask of its views.
type provider struct{ formattest.Provider }

var providers = func() (all []provider) {
	for _, p := range formattest.Providers() {
		all = append(all, provider{p})
	}
	return all
}()

// sound checks that a session's view is valid for its provider, and that a message that is not marked as
// edited has the bytes that were handed in, in their order.
func (p provider) sound(t *testing.T, l *engine.Local, session string, handed [][]byte) {
	t.Helper()
	v, err := engine.Messages(t.Context(), l, engine.ViewRequest{Session: session})
	if err != nil {
		t.Fatal(err)
	}
	var raws [][]byte
	next := 0
	for i, m := range v.Messages {
		raws = append(raws, m.JSON)
		if m.Edited || m.Seq == 0 {
			continue
		}
		for next < len(handed) && string(handed[next]) != string(m.JSON) {
			next++
		}
		if next == len(handed) {
			t.Errorf("message %d of the view was not handed in like that, or not there: %.200s", i, m.JSON)
			next = 0
		}
	}
	if err := transcript.Valid(p.Format, raws); err != nil {
		t.Errorf("the view is not valid: %v\n%.2000s", err, strings.Join(texts(raws), "\n"))
	}
	var sum int
	for _, m := range v.Messages {
		sum += m.Tokens
	}
	if total := v.Tokens.N; total != 0 && v.Tokens.Exact && sum != total {
		t.Errorf("the messages take %d tokens, the view %d", sum, total)
	}
}

func texts(raws [][]byte) []string {
	var out []string
	for _, raw := range raws {
		out = append(out, string(raw))
	}
	return out
}

// randomTalk is a conversation as a broken host might hand it in: parallel calls, results in any order, in
// one message or several, missing, late, twice or of calls that were never made, empty messages, unknown
// parts, images. Large results become artifacts.
func randomTalk(r *rand.Rand, system bool) []string {
	lines := []string{"u go"}
	if system {
		lines = slices.Insert(lines, 0, "s be terse", "s be kind")
	}
	ids := 0
	for range 4 + r.IntN(10) {
		lines = append(lines, []string{"u on", "u look img", "u odd", `u ""`, "a hm", "a odd", `a ""`, "u stop"}[r.IntN(8)])
		words, open := []string{"a"}, []string{}
		if r.IntN(2) == 0 {
			words = append(words, "ok")
		}
		for range r.IntN(4) {
			ids++
			x := fmt.Sprintf("%c%d", 'x'+r.IntN(3), ids)
			words, open = append(words, "+"+x), append(open, x)
		}
		lines = append(lines, strings.Join(words, " "))
		if r.IntN(2) == 0 {
			r.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
		}
		for len(open) > 0 {
			n := 1 + r.IntN(len(open))
			words := []string{"t"}
			for _, x := range open[:n] {
				words = append(words, x+"="+strings.Repeat("out.", 1+r.IntN(2)*r.IntN(2)*11_000))
			}
			open = open[n:]
			switch r.IntN(10) {
			case 0:
				continue // missing
			case 1:
				words = append(words, "x9999=orphan")
			case 2:
				words = append(words, words[1])
			case 3:
				lines = append(lines, strings.Join(words, " ")) // twice
			case 4:
				lines = append(lines, "u interrupt") // late
			}
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return lines
}

// Design invariant 3, and what an edit may touch: whatever a conversation is like, its view is valid for
// its provider before and after a compaction, and messages that are not edited keep their bytes.
func TestInvariant3ViewsOfRandomConversationsAreValidForEveryProvider(t *testing.T) {
	for _, p := range providers {
		t.Run(p.Name, func(t *testing.T) {
			l, compacted, seeds := open(t), 0, some(25)
			for seed := range uint64(seeds) {
				r := rand.New(rand.NewPCG(seed, 11))
				lines := randomTalk(r, transcript.Takes(p.Format, transcript.RoleSystem))
				handed := p.Messages(lines...)
				resp, err := l.AppendMessages(t.Context(), engine.AppendMessagesRequest{Format: p.Format, Messages: handed})
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				p.sound(t, l, resp.Session, handed)
				plan := compact(t, l, resp.Session, compaction.Options{Keep: r.IntN(4), Budget: 600, Mode: []compaction.Mode{compaction.Intent, compaction.Window}[r.IntN(2)]})
				if plan.Outcome == compaction.Compacted {
					compacted++
				}
				p.sound(t, l, resp.Session, handed)
				p.system(t, l, resp.Session, handed)
				if t.Failed() {
					for i, line := range lines {
						t.Logf("%d %.100s", i+1, line)
					}
					t.Fatalf("seed %d, %s: %s", seed, plan.Outcome, plan.Why)
				}
			}
			if compacted < seeds*2/5 {
				t.Errorf("%d conversations were compacted: the test shows nothing", compacted)
			}
		})
	}
}

// system checks that what the system said first stands first, as it was.
func (p provider) system(t *testing.T, l *engine.Local, session string, handed [][]byte) {
	t.Helper()
	view := render(t, l, session)
	for i, raw := range handed {
		if m, err := transcript.Decode(p.Format, raw); err != nil || m.Role != transcript.RoleSystem {
			return
		}
		if string(view[i]) != string(raw) {
			t.Errorf("message %d of the view is %.100s, not the system's", i, view[i])
		}
	}
}

// Design invariant 4: a request is a byte prefix of the next one, for every provider. Requests are sent
// when all calls are answered.
func TestInvariant4RequestsArePrefixesForEveryProvider(t *testing.T) {
	steps := [][]string{
		{"u go"}, {"a ok +x1 +y1", "t x1=" + strings.Repeat("out.", 15_000) + " y1=two"}, {"a +z1", "t z1=one"}, {"a done"}, {"u on img"},
		{"a +x2 +x3", "t x2=one", "t x3=two"}, {"a hm"}, {`u ""`, "u more odd"}, {"a +y2"}, {"u stop"}, {"a done"}, {"t w1=orphan", "u on"},
	}
	for _, p := range providers {
		t.Run(p.Name, func(t *testing.T) {
			l := open(t)
			var session string
			var before [][]byte
			for i, step := range steps {
				resp := hand(t, l, engine.AppendMessagesRequest{Session: session, Since: i > 0, Format: p.Format, Messages: p.Messages(step...)})
				session = resp.Session
				now := render(t, l, session)
				if step[0] == "a +y2" {
					continue // in flight: nothing is sent
				}
				if len(now) < len(before) || !slices.EqualFunc(before, now[:len(before)], bytes.Equal) {
					t.Fatalf("step %d: the request is no longer\n%s\nbut\n%s", i, p.Brief(t, before), p.Brief(t, now))
				}
				before = now
			}
		})
	}
}

// Gemini's calls may have no ids. The ledger tells them apart all the same, also where the results of one
// answer come in several messages.
func TestCallsWithoutIDsAreToldApart(t *testing.T) {
	l := open(t)
	p := providers[4]
	resp, err := l.AppendMessages(t.Context(), engine.AppendMessagesRequest{
		Messages: p.Messages("u go", "a +x1 +x2 +y3", "t x1=one", "t x2=two y3=three", "a ok", "u on", "a +x4", "t x4=four"),
	})
	if err != nil {
		t.Fatal(err)
	}
	var calls, results []string
	for _, e := range log(t, l, resp.Session) {
		for _, c := range e.Calls {
			calls = append(calls, c.ID)
		}
		for _, r := range e.Results {
			results = append(results, r.CallID)
		}
	}
	want := []string{"#1@2 x", "#2@2 x", "#1@2 y", "#1@7 x"}
	if !slices.Equal(calls, want) || !slices.Equal(results, want) {
		t.Errorf("calls %q, results %q, want %q", calls, results, want)
	}
	if got := p.Brief(t, render(t, l, resp.Session)); got != "u go | a +x +x +y | t x=one x=two y=three | a ok | u on | a +x | t x=four" {
		t.Errorf("the view is %s", got)
	}
}

// What the system says is part of the conversation: a view that is handed back goes on in its session,
// with other instructions it is another conversation.
func TestOtherInstructionsAreAnotherConversation(t *testing.T) {
	l := open(t)
	p := providers[1]
	var lines []string
	for i := range 8 {
		lines = append(lines, fmt.Sprint("u request", i), "a "+strings.Repeat("word ", 200))
	}
	first := hand(t, l, p.request("s terse", lines))
	before, err := l.View(t.Context(), engine.ViewRequest{Session: first.Session})
	if err != nil {
		t.Fatal(err)
	}
	plan := compact(t, l, first.Session, compactionOf(1))
	if plan.Outcome != compaction.Compacted || plan.Summary.TokensBefore != before.Tokens {
		t.Fatalf("%s: %v tokens before, the view has %v", plan.Why, plan.Summary.TokensBefore, before.Tokens)
	}
	for _, c := range plan.Summary.Cut {
		if strings.HasPrefix(c.Label, "system") {
			t.Errorf("what the system says is cut: %+v", c)
		}
	}
	view := render(t, l, first.Session)
	on := p.Messages("u on")
	for _, tt := range []struct {
		system string
		same   bool
	}{{"s terse", true}, {"s verbose", false}} {
		messages := slices.Concat(p.Messages(tt.system), view[1:], on)
		resp := hand(t, l, engine.AppendMessagesRequest{Format: p.Format, Messages: messages})
		if (resp.Session == first.Session) != tt.same {
			t.Errorf("%s: session %s behind %s", tt.system, resp.Session, first.Session)
		}
	}
}

// request hands in a conversation that begins with the system's words.
func (p provider) request(system string, lines []string) engine.AppendMessagesRequest {
	return engine.AppendMessagesRequest{Format: p.Format, Messages: p.Messages(append([]string{system}, lines...)...)}
}

// Whatever message of a conversation is forgotten, the rest stays valid for its provider, and what stands
// in its place says so.
func TestInvariant3ViewsStayValidWhereAMessageWasForgotten(t *testing.T) {
	lines := []string{"u go", "a ok +x1 +y1", "t x1=" + strings.Repeat("out.", 15_000), "t y1=two", "a done", "u on", "a +x2", "t x2=one", "a done"}
	for _, p := range providers {
		t.Run(p.Name, func(t *testing.T) {
			for i := range p.Messages(lines...) {
				l := open(t)
				resp := hand(t, l, engine.AppendMessagesRequest{Format: p.Format, Messages: p.Messages(lines...)})
				e := log(t, l, resp.Session)[i]
				if _, err := l.Forget(t.Context(), engine.ForgetRequest{Handle: e.ID}); err != nil {
					t.Fatal(err)
				}
				view := render(t, l, resp.Session)
				if err := transcript.Valid(p.Format, view); err != nil {
					t.Errorf("without message %d: %v\n%s", i+1, err, p.Brief(t, view))
				}
				if all := string(bytes.Join(view, nil)); !strings.Contains(all, "forgotten") {
					t.Errorf("without message %d: nothing says so in %.2000s", i+1, all)
				}
			}
		})
	}
}

// Whatever is edited, what is left is valid for every provider, before a compaction and behind one.
func TestInvariant3EditedViewsAreValidForEveryProvider(t *testing.T) {
	tight := window.Default()
	tight.ResultChars, tight.ReplayChars, tight.BatchChars, tight.OldWords, tight.ToolPairs, tight.InTurnTokens = 20, 20, 1, true, 2, 60
	tight.Evict = window.EvictPolicy{MaxTokens: 1, Window: 2}
	tight.Clear = window.ClearPolicy{Trigger: 0.000001, Keep: 1, AtLeast: 1, Inputs: true}
	for _, p := range providers {
		t.Run(p.Name, func(t *testing.T) {
			l, edited, seeds := openWith(t, tight), 0, some(25)
			for seed := range uint64(seeds) {
				r := rand.New(rand.NewPCG(seed, 17))
				lines := randomTalk(r, transcript.Takes(p.Format, transcript.RoleSystem))
				resp, err := l.AppendMessages(t.Context(), engine.AppendMessagesRequest{Format: p.Format, Messages: p.Messages(lines...)})
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				made, err := l.EditView(t.Context(), engine.EditViewRequest{Session: resp.Session, Reason: "manual"})
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				edited += len(made.Edits)
				if err := transcript.Valid(p.Format, render(t, l, resp.Session)); err != nil {
					t.Fatalf("seed %d, edited: %v\n%s", seed, err, strings.Join(lines, "\n"))
				}
				compact(t, l, resp.Session, compaction.Options{Keep: r.IntN(4), Budget: 600})
				if err := transcript.Valid(p.Format, render(t, l, resp.Session)); err != nil {
					t.Fatalf("seed %d, compacted: %v", seed, err)
				}
			}
			if edited < seeds*2 {
				t.Errorf("%d edits: the test shows nothing", edited)
			}
		})
	}
}
