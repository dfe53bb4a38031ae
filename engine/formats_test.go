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
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// provider is how one provider wants a conversation. Gemini appears twice: with and without ids.
type provider struct {
	name   string
	format transcript.Format
	noIDs  bool
}

var providers = []provider{
	{"anthropic", transcript.Anthropic, false}, {"openai_chat", transcript.OpenAIChat, false},
	{"openai_responses", transcript.OpenAIResponses, false}, {"gemini", transcript.Gemini, false}, {"gemini without ids", transcript.Gemini, true},
}

// messages writes lines of a conversation as the provider's messages:
//
//	s WORD…    the system's words, where it speaks in messages
//	u WORD…    the user's words; "" stands for an empty text, img for an image, odd for an unknown part
//	a WORD…    an answer; "+x" calls the tool x, with the id x
//	t x=TEXT…  results of calls, in one message where the provider wants that
//	? WORD     a message of an unknown role
func (p provider) messages(lines ...string) [][]byte {
	var out [][]byte
	for _, line := range lines {
		kind, rest, _ := strings.Cut(line, " ")
		var blocks, calls []string
		for w := range strings.FieldsSeq(rest) {
			name, text, result := strings.Cut(w, "=")
			switch {
			case kind == "t" && result:
				calls = append(calls, p.result(name, text))
			case kind == "a" && w[0] == '+':
				calls = append(calls, p.call(w[1:]))
			default:
				blocks = append(blocks, p.block(kind, w))
			}
		}
		for _, m := range p.assemble(kind, blocks, calls) {
			out = append(out, []byte(m))
		}
	}
	return out
}

// assemble puts blocks and calls, or results, into messages.
func (p provider) assemble(kind string, blocks, calls []string) []string {
	role := map[string]string{"s": "system", "u": "user", "a": "assistant", "t": "user", "?": "robot"}[kind]
	content := fmt.Sprintf(`{"role":%q, "content":[%s]}`, role, strings.Join(blocks, " , "))
	switch {
	case p.format == transcript.Gemini:
		if role == "assistant" {
			role = "model"
		}
		return []string{fmt.Sprintf(`{ "role":%q,"parts":[%s]}`, role, strings.Join(append(blocks, calls...), " , "))}
	case p.format == transcript.Anthropic:
		return []string{fmt.Sprintf(`{"content":[ %s],"role":%q}`, strings.Join(append(blocks, calls...), " , "), role)}
	case p.format == transcript.OpenAIChat && kind == "a" && len(calls) > 0:
		return []string{fmt.Sprintf(`{"role":"assistant","content":[%s],"tool_calls": [ %s ]}`, strings.Join(blocks, ","), strings.Join(calls, " , "))}
	case kind == "t" || len(calls) > 0 && len(blocks) == 0:
		return calls
	}
	return append([]string{content}, calls...)
}

// block writes a word.
func (p provider) block(kind, word string) string {
	text := strings.Trim(word, `"`)
	switch {
	case word == "img":
		return map[transcript.Format]string{
			transcript.Anthropic:       `{"type":"image","source":{"type":"base64","data":"AA=="}}`,
			transcript.OpenAIChat:      `{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}`,
			transcript.OpenAIResponses: `{"type":"input_image","image_url":"https://example.org/a.png"}`,
			transcript.Gemini:          `{"inlineData":{"mimeType":"image/png","data":"AA=="}}`,
		}[p.format]
	case p.format == transcript.Gemini && word == "odd":
		return `{"smell":{"of":"roses"}}`
	case p.format == transcript.Gemini:
		return fmt.Sprintf(`{"text":%q}`, text)
	case word == "odd":
		return `{"type":"smell","of":"roses"}`
	case p.format == transcript.OpenAIResponses && kind == "a":
		return fmt.Sprintf(`{"type":"output_text","text":%q}`, text)
	case p.format == transcript.OpenAIResponses:
		return fmt.Sprintf(`{"type":"input_text","text":%q}`, text)
	}
	return fmt.Sprintf(`{"type":"text","text":%q}`, text)
}

// tool is the name of the tool of a call, which says which call it is unless names alone have to.
func (p provider) tool(x string) string {
	if p.noIDs {
		return strings.TrimRight(x, "0123456789")
	}
	return x
}

// call writes a call of the tool x, which has the id x.
func (p provider) call(x string) string {
	return fmt.Sprintf(map[transcript.Format]string{
		transcript.Anthropic:       `{"type":"tool_use","id":%[1]q,"name":%[3]q,"input":{"path": "src/%[1]s.go"}}`,
		transcript.OpenAIChat:      `{"id":%[1]q,"type":"function","function":{"name":%[3]q,"arguments":"{\"path\": \"src/%[1]s.go\"}"}}`,
		transcript.OpenAIResponses: `{"type":"function_call","call_id":%[1]q,"name":%[3]q,"arguments":"{\"path\": \"src/%[1]s.go\"}"}`,
		transcript.Gemini:          `{"functionCall":{%[2]s"name":%[3]q,"args":{"path": "src/%[1]s.go"}}}`,
	}[p.format], x, p.id(x), p.tool(x))
}

// result writes the result of a call.
func (p provider) result(x, text string) string {
	return fmt.Sprintf(map[transcript.Format]string{
		transcript.Anthropic:       `{"type":"tool_result","tool_use_id":%[1]q,"content":%[4]q}`,
		transcript.OpenAIChat:      `{"role":"tool","tool_call_id":%[1]q,"content":%[4]q}`,
		transcript.OpenAIResponses: `{"type":"function_call_output","call_id":%[1]q,"output":%[4]q}`,
		transcript.Gemini:          `{"functionResponse":{%[2]s"name":%[3]q,"response":{"output":%[4]q}}}`,
	}[p.format], x, p.id(x), p.tool(x), text)
}

// id is the member with the id of a part of Gemini.
func (p provider) id(x string) string {
	if p.noIDs {
		return ""
	}
	return fmt.Sprintf(`"id":%q,`, x)
}

// brief tells messages in the notation of messages, neighbours of one role joined: formats differ in
// what is a message.
func (p provider) brief(t *testing.T, messages [][]byte) string {
	t.Helper()
	var out []string
	last := ""
	for _, raw := range messages {
		m, err := transcript.Decode(p.format, raw)
		if err != nil {
			t.Fatalf("%v in %s", err, raw)
		}
		kind := map[transcript.Role]string{transcript.RoleSystem: "s", transcript.RoleUser: "u", transcript.RoleAssistant: "a", transcript.RoleTool: "t"}[m.Role]
		if kind != last {
			out = append(out, kind)
		}
		last = kind
		for _, part := range m.Parts {
			name := part.ID
			if part.Name != "" {
				name = part.Name
			}
			switch text := strings.Fields(part.Text + " ")[:min(1, len(strings.Fields(part.Text)))]; part.Kind {
			case transcript.KindCall:
				out[len(out)-1] += " +" + name
			case transcript.KindResult:
				out[len(out)-1] += " " + name + "=" + strings.Join(text, "")
			case transcript.KindText:
				out[len(out)-1] += " " + strings.Join(text, "")
			default:
				out[len(out)-1] += " " + string(part.Kind)
			}
		}
	}
	return strings.Join(out, " | ")
}

// What every provider's conversations come to that are not as they should be. One row is one case, with
// the view that it gives; refused names the error of those that are not taken.
func TestBadInputHasOneOutcomeForEveryProvider(t *testing.T) {
	long := strings.Repeat("word_", 60_000) // 300,000 characters: more than a window of 32,000 tokens
	for _, tt := range []struct {
		name    string
		lines   []string
		view    string            // of every provider
		other   map[string]string // of those that differ
		refused string
	}{
		{name: "a whole unit", lines: []string{"u go", "a ok +x", "t x=1", "a done"}, view: "u go | a ok +x | t x=1 | a done"},
		{name: "an orphan result", lines: []string{"u go", "t x=1", "a done"}, view: "u go | a done"},
		{name: "an orphan result at the beginning", lines: []string{"t x=1", "u go", "a done"}, view: "u go | a done"},
		{name: "an orphan beside a result", lines: []string{"u go", "a +x", "t x=1 y=2", "a done"}, view: "u go | a +x | t x=1 | a done"},
		{name: "a duplicate result in one message", lines: []string{"u go", "a +x", "t x=1 x=2", "a done"}, view: "u go | a +x | t x=1 | a done"},
		{name: "a duplicate result in the next message", lines: []string{"u go", "a +x", "t x=1", "t x=2", "a done"}, view: "u go | a +x | t x=1 | a done"},
		{name: "a call without a result", lines: []string{"u go", "a ok +x", "u stop", "a done"}, view: "u go | a ok | u stop | a done"},
		{name: "a call without a result and without words", lines: []string{"u go", "a +x", "u stop", "a done"}, view: "u go stop | a done"},
		{name: "one of two calls without a result", lines: []string{"u go", "a +x +y", "t y=2", "a done"}, view: "u go | a +x +y | t y=2 x=Tool | a done"},
		{name: "a call in flight", lines: []string{"u go", "a +x"}, view: "u go | a +x"},
		{name: "parallel calls answered out of order", lines: []string{"u go", "a +x +y", "t y=2 x=1", "a done"}, view: "u go | a +x +y | t y=2 x=1 | a done"},
		{name: "parallel calls answered in two messages", lines: []string{"u go", "a +x +y", "t x=1", "t y=2", "a done"}, view: "u go | a +x +y | t x=1 y=2 | a done"},
		{name: "in two messages out of order", lines: []string{"u go", "a +x +y", "t y=2", "t x=1", "a done"}, view: "u go | a +x +y | t x=1 y=2 | a done",
			other: map[string]string{"openai_chat": "u go | a +x +y | t y=2 x=1 | a done", "openai_responses": "u go | a +x +y | t y=2 x=1 | a done"}},
		{name: "words between a call and its result", lines: []string{"u go", "a ok +x", "u wait", "t x=1", "a done"}, view: "u go | a ok | u wait | a done",
			other: map[string]string{"openai_responses": "u go | a ok +x | u wait | t x=1 | a done"}},
		{name: "words between the results of parallel calls", lines: []string{"u go", "a +x +y", "t y=2", "u wait", "t x=1", "a done"}, view: "u go | a +x +y | t y=2 x=Tool | u wait | a done",
			other: map[string]string{"openai_responses": "u go | a +x +y | t y=2 | u wait | t x=1 | a done"}},
		{name: "one id in two answers", lines: []string{"u go", "a +x", "u wait", "a +x", "t x=1", "a done"}, view: "u go wait | a +x | t x=1 | a done"},
		{name: "an answer behind a result of no call", lines: []string{"u go", "a ok", "t x=1", "a +y", "t y=2"}, view: "u go | a ok +y | t y=2"},
		{name: "empty messages", lines: []string{`u ""`, "u go", "a", `a ""`, "u on", "a done"}, view: "u go on | a done"},
		{name: "an unknown role", lines: []string{"u go", "? beep"}, refused: `message 2 has the role "robot"`},
		{name: "an unknown part", lines: []string{"u go odd", "a done"}, view: "u go other | a done"},
		{name: "images", lines: []string{"u look img", "u img", "a done"}, view: "u look image image | a done"},
		{name: "a message larger than the window", lines: []string{"u go", "a ok", "u " + long, "a done"}, view: "u go | a ok | u " + long + " | a done"},
		{name: "a result larger than the window", lines: []string{"u go", "a +x", "t x=" + long, "a done"}, view: "u go | a +x | t x=[result | a done"},
		{name: "the system's words", lines: []string{"s terse", "u go", "a done"}, view: "s terse | u go | a done",
			other: map[string]string{"anthropic": `message 1 has the role "system"`, "gemini": `message 1 has the role "system"`, "gemini without ids": `message 1 has the role "system"`}},
	} {
		for _, p := range providers {
			t.Run(tt.name+"/"+p.name, func(t *testing.T) {
				l := open(t)
				handed := p.messages(tt.lines...)
				want := tt.view + tt.refused
				if other, differs := tt.other[p.name]; differs {
					want = other
				}
				resp, err := l.AppendMessages(t.Context(), engine.AppendMessagesRequest{Format: p.format, Messages: handed, Model: "gemma-7b"})
				if strings.HasPrefix(want, "message") {
					if !fault.Is(err, fault.Invalid) || err.Error() != want {
						t.Errorf("got %v, want %s", err, want)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if got := string(originals(t, l, resp.Session, 1, 0)); got != strings.Join(texts(handed), "\n")+"\n" {
					t.Error("the ledger holds other bytes than were handed in")
				}
				view := render(t, l, resp.Session)
				if got := p.brief(t, view); got != want {
					t.Errorf("got  %.300s\nwant %.300s", got, want)
				}
				p.sound(t, l, resp.Session, handed)
				if plan := compact(t, l, resp.Session, compactionOf(1)); plan.Outcome == compaction.Compacted {
					p.sound(t, l, resp.Session, handed)
				}
			})
		}
	}
}

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
	if err := transcript.Valid(p.format, raws); err != nil {
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
				words = append(words, x+"="+strings.Repeat("out", 1+r.IntN(2)*r.IntN(2)*20_000))
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
		t.Run(p.name, func(t *testing.T) {
			l, compacted := open(t), 0
			for seed := range uint64(25) {
				r := rand.New(rand.NewPCG(seed, 11))
				lines := randomTalk(r, transcript.Takes(p.format, transcript.RoleSystem))
				handed := p.messages(lines...)
				resp, err := l.AppendMessages(t.Context(), engine.AppendMessagesRequest{Format: p.format, Messages: handed})
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
			if compacted < 10 {
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
		if m, err := transcript.Decode(p.format, raw); err != nil || m.Role != transcript.RoleSystem {
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
		{"u go"}, {"a ok +x1 +y1", "t x1=" + strings.Repeat("out", 20_000) + " y1=two"}, {"a +z1", "t z1=one"}, {"a done"}, {"u on img"},
		{"a +x2 +x3", "t x2=one", "t x3=two"}, {"a hm"}, {`u ""`, "u more odd"}, {"a +y2"}, {"u stop"}, {"a done"}, {"t w1=orphan", "u on"},
	}
	for _, p := range providers {
		t.Run(p.name, func(t *testing.T) {
			l := open(t)
			var session string
			var before [][]byte
			for i, step := range steps {
				resp := hand(t, l, engine.AppendMessagesRequest{Session: session, Since: i > 0, Format: p.format, Messages: p.messages(step...)})
				session = resp.Session
				now := render(t, l, session)
				if step[0] == "a +y2" {
					continue // in flight: nothing is sent
				}
				if len(now) < len(before) || !slices.EqualFunc(before, now[:len(before)], bytes.Equal) {
					t.Fatalf("step %d: the request is no longer\n%s\nbut\n%s", i, p.brief(t, before), p.brief(t, now))
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
		Messages: p.messages("u go", "a +x1 +x2 +y3", "t x1=one", "t x2=two y3=three", "a ok", "u on", "a +x4", "t x4=four"),
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
	if got := p.brief(t, render(t, l, resp.Session)); got != "u go | a +x +x +y | t x=one x=two y=three | a ok | u on | a +x | t x=four" {
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
	on := p.messages("u on")
	for _, tt := range []struct {
		system string
		same   bool
	}{{"s terse", true}, {"s verbose", false}} {
		messages := slices.Concat(p.messages(tt.system), view[1:], on)
		resp := hand(t, l, engine.AppendMessagesRequest{Format: p.format, Messages: messages})
		if (resp.Session == first.Session) != tt.same {
			t.Errorf("%s: session %s behind %s", tt.system, resp.Session, first.Session)
		}
	}
}

// request hands in a conversation that begins with the system's words.
func (p provider) request(system string, lines []string) engine.AppendMessagesRequest {
	return engine.AppendMessagesRequest{Format: p.format, Messages: p.messages(append([]string{system}, lines...)...)}
}

// Whatever message of a conversation is forgotten, the rest stays valid for its provider, and what stands
// in its place says so.
func TestInvariant3ViewsStayValidWhereAMessageWasForgotten(t *testing.T) {
	lines := []string{"u go", "a ok +x1 +y1", "t x1=" + strings.Repeat("out", 20_000), "t y1=two", "a done", "u on", "a +x2", "t x2=one", "a done"}
	for _, p := range providers {
		t.Run(p.name, func(t *testing.T) {
			for i := range p.messages(lines...) {
				l := open(t)
				resp := hand(t, l, engine.AppendMessagesRequest{Format: p.format, Messages: p.messages(lines...)})
				e := log(t, l, resp.Session)[i]
				if _, err := l.Forget(t.Context(), engine.ForgetRequest{Handle: e.ID}); err != nil {
					t.Fatal(err)
				}
				view := render(t, l, resp.Session)
				if err := transcript.Valid(p.format, view); err != nil {
					t.Errorf("without message %d: %v\n%s", i+1, err, p.brief(t, view))
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
		t.Run(p.name, func(t *testing.T) {
			l, edited := openWith(t, tight), 0
			for seed := range uint64(25) {
				r := rand.New(rand.NewPCG(seed, 17))
				lines := randomTalk(r, transcript.Takes(p.format, transcript.RoleSystem))
				resp, err := l.AppendMessages(t.Context(), engine.AppendMessagesRequest{Format: p.format, Messages: p.messages(lines...)})
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				made, err := l.EditView(t.Context(), engine.EditViewRequest{Session: resp.Session, Reason: "manual"})
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				edited += len(made.Edits)
				if err := transcript.Valid(p.format, render(t, l, resp.Session)); err != nil {
					t.Fatalf("seed %d, edited: %v\n%s", seed, err, strings.Join(lines, "\n"))
				}
				compact(t, l, resp.Session, compaction.Options{Keep: r.IntN(4), Budget: 600})
				if err := transcript.Valid(p.format, render(t, l, resp.Session)); err != nil {
					t.Fatalf("seed %d, compacted: %v", seed, err)
				}
			}
			if edited < 50 {
				t.Errorf("%d edits: the test shows nothing", edited)
			}
		})
	}
}
