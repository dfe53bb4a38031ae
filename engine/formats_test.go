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
	"ctxledger.dev/internal/testonly/cases"
	"ctxledger.dev/internal/testonly/formattest"
	"ctxledger.dev/ledger"
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
	v, err := ledger.Messages(t.Context(), l, ledger.ViewRequest{Session: session})
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

// Design invariant 3, and what an edit may touch: whatever a conversation is like, its view is valid for
// its provider before and after a compaction, and messages that are not edited keep their bytes.
func TestInvariant3ViewsOfRandomConversationsAreValidForEveryProvider(t *testing.T) {
	volume(t)
	for _, p := range providers {
		t.Run(p.Name, func(t *testing.T) {
			l, compacted, seeds := open(t), 0, cases.Some(25)
			for seed := range uint64(seeds) {
				r := rand.New(rand.NewPCG(seed, 11))
				lines := formattest.RandomTalk(r, transcript.Takes(p.Format, transcript.RoleSystem))
				handed := p.Messages(lines...)
				resp, err := l.AppendMessages(t.Context(),
					ledger.AppendMessagesRequest{Format: p.Format, Messages: handed})
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				p.sound(t, l, resp.Session, handed)
				plan := compact(t, l, resp.Session,
					compaction.Options{Keep: r.IntN(4), Budget: 600,
						Mode: []compaction.Mode{compaction.Intent, compaction.Window}[r.IntN(2)]})
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
			if compacted < seeds/3 {
				t.Errorf("%d conversations were compacted: the test shows nothing", compacted)
			}
		})
	}
}

// system checks that what the system said first comes first, as it was.
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
		{"u go"}, {"a ok +x1 +y1", "t x1=" + strings.Repeat("out.", 15_000) + " y1=two"}, {"a +z1", "t z1=one"},
		{"a done"}, {"u on img"},
		{"a +x2 +x3", "t x2=one", "t x3=two"}, {"a hm"}, {`u ""`, "u more odd"}, {"a +y2"}, {"u stop"}, {"a done"},
		{"t w1=orphan", "u on"},
	}
	for _, p := range providers {
		t.Run(p.Name, func(t *testing.T) {
			l := open(t)
			var session string
			var before [][]byte
			for i, step := range steps {
				resp := hand(t, l, ledger.AppendMessagesRequest{Session: session, Since: i > 0, Format: p.Format,
					Messages: p.Messages(step...)})
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

// Design invariant 4, whatever a host hands in: a request that a provider took and answered is a byte prefix
// of the next one. Only messages behind everything sent are joined, moved or left out later, since a
// request ends with the message that the model answers.
func TestInvariant4SentViewsArePrefixesOfRandomConversations(t *testing.T) {
	for _, p := range providers {
		t.Run(p.Name, func(t *testing.T) {
			l, answered := open(t), 0
			talks := [][]string{ // a result that comes after the next answer
				{"u go", "a +x1 +y2", "t y2=two", "u on", "a done", "t x1=late", "u more", "a done", "u go on",
					"a done"},
			}
			for seed := range uint64(cases.Some(10)) {
				talks = append(talks, formattest.RandomTalk(rand.New(rand.NewPCG(seed, 23)),
					transcript.Takes(p.Format, transcript.RoleSystem)))
			}
			for seed, lines := range talks {
				lines = slices.DeleteFunc(lines, func(l string) bool { return len(p.Messages(l)) == 0 })
				var session string
				var before, sent [][]byte
				for i, line := range lines {
					if sent != nil && strings.HasPrefix(line, "a ") {
						before, answered = sent, answered+1
					}
					session = hand(t, l, ledger.AppendMessagesRequest{
						Mutation: ledger.Mutation{Key: fmt.Sprint(seed, " ", i)}, Session: session, Since: i > 0,
						Format: p.Format, Messages: p.Messages(line),
					}).Session
					now := render(t, l, session)
					if sent = nil; transcript.Sendable(p.Format, now) != nil {
						continue
					}
					if sent = now; len(now) < len(before) || !slices.EqualFunc(before, now[:len(before)], bytes.Equal) {
						t.Fatalf("seed %d, %.60q: the request is no longer\n%s\nbut\n%s\nof\n%.3000s", seed, line,
							p.Brief(t, before), p.Brief(t, now), strings.Join(lines, "\n"))
					}
				}
			}
			if answered < cases.Some(40) {
				t.Errorf("%d requests: the test shows nothing", answered)
			}
		})
	}
}

// Gemini takes no calls but behind a user's message: where a conversation begins with some, one is put in
// front of them, which is in no log, and a view that is handed back is known all the same.
func TestCallsInFrontOfEverythingGetAUsersMessage(t *testing.T) {
	const want = "a +x | t x=1 | u go | a done"
	for _, p := range providers {
		t.Run(p.Name, func(t *testing.T) {
			l := open(t)
			first := hand(t, l, ledger.AppendMessagesRequest{Format: p.Format,
				Messages: p.Messages("a +x", "t x=1", "u go", "a done")})
			view := render(t, l, first.Session)
			got := p.Brief(t, view)
			if err := transcript.Valid(p.Format, view); err != nil || !strings.HasSuffix(got, want) ||
				(got == "u [The | "+want) != transcript.Alternates(p.Format) {
				t.Errorf("%s: %v", got, err)
			}
			next := hand(t, l, ledger.AppendMessagesRequest{Format: p.Format,
				Messages: append(view, p.Messages("u on")...)})
			if next.Session != first.Session || next.Added != 1 {
				t.Errorf("handed back: %+v, not session %s", next, first.Session)
			}
		})
	}
}

// A call of the time before there were tools has no id, and its result names the function alone.
func TestCallsBeforeThereWereToolsAreTakenAsTheyAre(t *testing.T) {
	l := openWith(t, window.Default())
	message := func(role, rest string) []byte { return fmt.Appendf(nil, `{"role":%q,%s}`, role, rest) }
	call := func(name string) []byte {
		return message("assistant",
			fmt.Sprintf(`"content":null,"function_call":{"name":%q,"arguments":"{\"path\":\"a.go\"}"}`, name))
	}
	result := func(name, text string) []byte {
		return message("function", fmt.Sprintf(`"name":%q,"content":%q`, name, text))
	}
	handed := [][]byte{
		message("user", `"content":"go"`), call("read"), result("read", strings.Repeat("out.", 15_000)), call("read"),
		result("read", "two"), result("read", "thrice"),
		call("write"), message("user", `"content":"stop"`), message("assistant", `"content":"done"`),
	}
	s := hand(t, l, ledger.AppendMessagesRequest{Format: transcript.OpenAIChat, Messages: handed}).Session
	view := render(t, l, s)
	if err := transcript.Valid(transcript.OpenAIChat, view); err != nil {
		t.Error(err)
	}
	got := providers[1].Brief(t, view)
	if got != "u go | a +read | t read=[result | a +read | t read=two | u stop | a done" {
		t.Errorf("the view is %s", got)
	}
	if string(view[3]) != string(handed[3]) || string(view[4]) != string(handed[4]) {
		t.Error("what is not edited has other bytes")
	}
}

// Bytes that are no UTF-8, and zero bytes, stay what they are, from the file of a conversation to its view.
func TestBytesThatAreNoTextComeBackAsTheyWere(t *testing.T) {
	for _, p := range providers {
		t.Run(p.Name, func(t *testing.T) {
			l := open(t)
			handed := p.Messages("u go\xff\xfe", "a \xc3( +x", "t x=\xf0\x28", "u g\x00o", "a done")
			array := append(append([]byte("["), bytes.Join(handed, []byte(","))...), ']')
			s, n, err := ledger.HandIn(t.Context(), l, ledger.AppendMessagesRequest{Format: p.Format}, array)
			if err != nil || n != len(handed) {
				t.Fatalf("%d messages, %v", n, err)
			}
			if view := render(t, l, s.Session); !slices.EqualFunc(view, handed, bytes.Equal) {
				t.Errorf("the view is\n%q\nnot\n%q", view, handed)
			}
		})
	}
}

// Gemini's calls may have no ids. The ledger distinguishes them anyway, also where the results of one
// answer come in several messages.
func TestCallsWithoutIDsAreToldApart(t *testing.T) {
	l := open(t)
	p := providers[4]
	resp, err := l.AppendMessages(t.Context(), ledger.AppendMessagesRequest{
		Messages: p.Messages("u go", "a +x1 +x2 +y3", "t x1=one", "t x2=two y3=three", "a ok", "u on", "a +x4",
			"t x4=four"),
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
	shown := "u go | a +x +x +y | t x=one x=two y=three | a ok | u on | a +x | t x=four"
	if got := p.Brief(t, render(t, l, resp.Session)); got != shown {
		t.Errorf("the view is %s", got)
	}
}

// What the system says is part of the conversation: a view that is handed back continues its session;
// with other instructions it is another conversation.
func TestOtherInstructionsAreAnotherConversation(t *testing.T) {
	l := open(t)
	p := providers[1]
	var lines []string
	for i := range 8 {
		lines = append(lines, fmt.Sprint("u request", i), "a "+strings.Repeat("word ", 200))
	}
	first := hand(t, l, p.request("s terse", lines))
	before, err := l.View(t.Context(), ledger.ViewRequest{Session: first.Session})
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
		resp := hand(t, l, ledger.AppendMessagesRequest{Format: p.Format, Messages: messages})
		if (resp.Session == first.Session) != tt.same {
			t.Errorf("%s: session %s behind %s", tt.system, resp.Session, first.Session)
		}
	}
}

// request hands in a conversation that begins with the system's words.
func (p provider) request(system string, lines []string) ledger.AppendMessagesRequest {
	return ledger.AppendMessagesRequest{Format: p.Format, Messages: p.Messages(append([]string{system}, lines...)...)}
}

// Whatever message of a conversation is forgotten, the rest stays valid for its provider, and what comes
// in its place says so.
func TestInvariant3ViewsStayValidWhereAMessageWasForgotten(t *testing.T) {
	lines := []string{"u go", "a ok +x1 +y1", "t x1=" + strings.Repeat("out.", 15_000), "t y1=two", "a done", "u on",
		"a +x2", "t x2=one", "a done"}
	for _, p := range providers {
		t.Run(p.Name, func(t *testing.T) {
			for i := range p.Messages(lines...) {
				l := open(t)
				resp := hand(t, l, ledger.AppendMessagesRequest{Format: p.Format, Messages: p.Messages(lines...)})
				e := log(t, l, resp.Session)[i]
				if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: e.ID}); err != nil {
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
	volume(t)
	tight := window.Default()
	tight.ResultChars, tight.ReplayChars, tight.BatchChars = 20, 20, 1
	tight.OldWords, tight.ToolPairs, tight.InTurnTokens = true, 2, 60
	tight.Evict = window.EvictPolicy{MaxTokens: 1, Window: 2}
	tight.Clear = window.ClearPolicy{Trigger: 0.000001, Keep: 1, AtLeast: 1, Inputs: true}
	for _, p := range providers {
		t.Run(p.Name, func(t *testing.T) {
			l, edited, seeds := openWith(t, tight), 0, cases.Some(25)
			for seed := range uint64(seeds) {
				r := rand.New(rand.NewPCG(seed, 17))
				lines := formattest.RandomTalk(r, transcript.Takes(p.Format, transcript.RoleSystem))
				resp, err := l.AppendMessages(t.Context(),
					ledger.AppendMessagesRequest{Format: p.Format, Messages: p.Messages(lines...)})
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				made, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: resp.Session, Reason: "manual"})
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
			if edited < seeds*8/5 {
				t.Errorf("%d edits: the test shows nothing", edited)
			}
		})
	}
}
