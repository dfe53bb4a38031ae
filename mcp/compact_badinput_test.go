package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/internal/testonly/formattest"
	"ctxledger.dev/transcript"
)

// badInput is an invalid conversation, and the result for it. Its lines occur twice in an otherwise valid
// conversation: at the beginning, which is compacted, and at the end, which stays.
// A line with a "~" in front may be edited, joined or left out; every other one of the end comes back in its
// exact bytes.
type badInput struct {
	name  string
	lines []string
	view  string            // of the end, for every provider; "!" and the error where it is refused
	other map[string]string // of those that differ
	// alone: the lines occur only at the beginning, since twice would be too many bytes.
	alone bool
	// large: without the race detector only, which makes a minute of it.
	large bool
}

// word64k is a word of 64 KiB; with it a message is made large that is cheap to count.
var word64k = strings.Repeat("words-", 10_923)

// badInputs is the list, to which a row is all that a new case takes. A window of 8,192 tokens is asked for.
var badInputs = []badInput{
	{name: "whole units", lines: []string{"u go", "a ok +x", "t x=1", "a done"},
		view: "u go | a ok +x | t x=1 | a done"},

	{name: "an orphan result", lines: []string{"u go", "~t x=1", "a done"}, view: "u go | a done"},
	{name: "an orphan result at the beginning", lines: []string{"~t x=1", "u go", "a done"}, view: "u go | a done"},
	{name: "an orphan beside a result", lines: []string{"u go", "a +x", "~t x=1 y=2", "a done"},
		view: "u go | a +x | t x=1 | a done"},
	{name: "a duplicate result in one message", lines: []string{"u go", "a +x", "~t x=1 x=2", "a done"},
		view: "u go | a +x | t x=1 | a done"},
	{name: "a duplicate result in the next message", lines: []string{"u go", "a +x", "~t x=1", "~t x=2", "a done"},
		view: "u go | a +x | t x=1 | a done"},

	{name: "a call without a result", lines: []string{"u go", "~a ok +x", "u stop", "a done"},
		view: "u go | a ok | u stop | a done"},
	{name: "a call without a result and without words", lines: []string{"u go", "~a +x", "u stop", "a done"},
		view: "u go stop | a done"},
	{name: "one of two calls without a result", lines: []string{"u go", "a +x +y", "~t y=2", "a done"},
		view: "u go | a +x +y | t y=2 x=Tool | a done"},
	{name: "a call in flight", lines: []string{"u go", "~a +x"}, view: "u go | a +x"},
	{name: "a call without a result in front of another answer", lines: []string{"u go", "~a +x", "a ok", "u on"},
		view: "u go | a ok | u on"},

	{name: "parallel calls answered out of order", lines: []string{"u go", "a +x +y", "t y=2 x=1", "a done"},
		view: "u go | a +x +y | t y=2 x=1 | a done"},
	{name: "parallel calls answered in two messages", lines: []string{"u go", "a +x +y", "~t x=1", "~t y=2", "a done"},
		view: "u go | a +x +y | t x=1 y=2 | a done"},
	{name: "in two messages out of order", lines: []string{"u go", "a +x +y", "~t y=2", "~t x=1", "a done"},
		view: "u go | a +x +y | t x=1 y=2 | a done",
		other: map[string]string{"openai_chat": "u go | a +x +y | t y=2 x=1 | a done",
			"openai_responses": "u go | a +x +y | t y=2 x=1 | a done"}},
	{name: "words between a call and its result", lines: []string{"u go", "~a ok +x", "u wait", "~t x=1", "a done"},
		view:  "u go | a ok | u wait | a done",
		other: map[string]string{"openai_responses": "u go | a ok +x | u wait | t x=1 | a done"}},
	{name: "words between the results of parallel calls", lines: []string{"u go", "a +x +y", "~t y=2", "u wait",
		"~t x=1", "a done"}, view: "u go | a +x +y | t y=2 x=Tool | u wait | a done",
		other: map[string]string{"openai_responses": "u go | a +x +y | t y=2 | u wait | t x=1 | a done"}},
	{name: "one id in two answers", lines: []string{"u go", "~a +x", "u wait", "a +x", "t x=1", "a done"},
		view: "u go wait | a +x | t x=1 | a done"},
	{name: "one id in every turn",
		lines: []string{"u go", "~a +x", "~t x=1", "a hm", "u on", "~a +x", "~t x=2", "a done"},
		view:  "u go | a +x | t x=1 | a hm | u on | a +x | t x=2 | a done"},
	{name: "an answer behind a result of no call", lines: []string{"u go", "~a ok", "~t x=1", "~a +y", "t y=2"},
		view: "u go | a ok +y | t y=2"},

	{name: "empty messages", lines: []string{`~u ""`, "u go", "~a", `~a ""`, "u on", "a done"},
		view: "u go on | a done"},
	{name: "an unknown role", lines: []string{"u go", "? beep"}, view: `!message 2 has the role "robot"`},
	{name: "unknown parts", lines: []string{"u go odd", "a odd", "u on", "a done odd"},
		view: "u go other | a other | u on | a done other"},
	{name: "images", lines: []string{"u look img", "u img", "a +x", "t x=img", "a done"},
		view: "u look image image | a +x | t x= | a done"},
	{name: "the system's words", lines: []string{"~s terse", "u go", "a done"}, view: "s terse | u [STATE go | a done",
		other: map[string]string{"anthropic": `!message 1 has the role "system"`,
			"gemini": `!message 1 has the role "system"`, "gemini without ids": `!message 1 has the role "system"`}},
	{name: "reasoning that nothing follows", lines: []string{"u go", "~a think", "u stop", "a done"},
		view: "u go stop | a done"},
	{name: "reasoning in front of a call without a result", lines: []string{"u go", "~a think +x", "u stop", "a done"},
		view: "u go stop | a done"},

	{name: "the provider's own compaction", lines: []string{"u go", "~c", "a hm", "u on", "a done"},
		view:  "u go | a hm | u on | a done",
		other: map[string]string{"openai_responses": "a compacted | u [STATE go | a compacted hm | u on | a done"}},

	{name: "arguments that are no object", lines: []string{"u go", "a ok +x!", "t x=1", "a done"},
		view: "u go | a ok +x | t x=1 | a done"},
	{name: "a message larger than the window", lines: []string{"u go", "a ok", "u " + word64k, "a done"},
		view: "u go | a ok | u " + word64k + " | a done"},
	{name: "a result larger than the window", lines: []string{"u go", "a +x", "~t x=" + word64k, "a done"},
		view: "u go | a +x | t x=[result | a done"},
	{name: "a text of ten megabytes", lines: []string{"u go " + strings.TrimSpace(strings.Repeat(word64k+" ", 153)),
		"a done"}, alone: true, large: true},
	{name: "nested deeper than any", lines: []string{"u deep", "a done"}, view: "!nested deeper than 500", alone: true},
	{name: "invalid UTF-8", lines: []string{"~u go\xff\xfe", "~a \xc3(", "u on", "a +x", "~t x=\xf0\x28", "a done"},
		view: "u go\ufffd\ufffd | a \ufffd( | u on | a +x | t x=\ufffd( | a done"},
	{name: "zero bytes", lines: []string{"u g\x00o", "a ok", "u on", "a +x", "t x=\x00", "a done"},
		view: "u g\x00o | a ok | u on | a +x | t x=\x00 | a done"},
}

// What every provider's conversations come to that are malformed, for the client that sends them.
func TestBadInputHasOneOutcomeForEveryProvider(t *testing.T) {
	providers := formattest.Providers()
	if testing.Short() {
		providers = providers[:1] // they differ in no goroutine
	}
	for _, p := range providers {
		t.Run(p.Name, func(t *testing.T) {
			f := newFixture(t, nil)
			for _, c := range badInputs {
				if c.alone && p.NoIDs {
					continue // the same codec reads the same bytes
				}
				if c.large && testing.Short() {
					continue
				}
				t.Run(c.name, func(t *testing.T) { c.run(t, f, p) })
			}
		})
	}
}

func (c badInput) run(t *testing.T, f *fixture, p formattest.Provider) {
	want := c.view
	if other, differs := c.other[p.Name]; differs {
		want = other
	}
	// The front has its own ids.
	front := strings.Split(strings.NewReplacer("+x", "+p", "+y", "+q", " x=", " p=", " y=", " q=", "~",
		"").Replace(strings.Join(c.lines, "\n")), "\n")
	end, exact := c.end(p)
	var middle []string
	for i := range 8 {
		middle = append(middle, fmt.Sprintf("u request-%s-%d", strings.ReplaceAll(c.name, " ", "-"), i),
			"a "+strings.Repeat("words ", 40)+"+r", "t r=out", "a answer")
	}
	handed := slices.Concat(p.Messages(front...), p.Messages(middle...), end)
	array := "[" + string(bytes.Join(handed, []byte(" ,\n"))) + "]"
	keep := 1
	requests := slices.DeleteFunc(slices.Clone(c.lines), func(l string) bool {
		return !strings.HasPrefix(strings.TrimPrefix(l, "~"), "u ") || l == `~u ""`
	})
	if !c.alone {
		keep = max(1, len(requests))
	}
	raw := tryRaw(t, f,
		fmt.Sprintf(`{"messages":%s,"format":%q,"model":"gemma-7b","keep_turns":%d,"return":"messages"}`, array,
			p.Format, keep))
	if refusal, refused := strings.CutPrefix(want, "!"); refused {
		if !raw.IsError || !strings.Contains(raw.Content[0].Text, refusal) {
			t.Errorf("got %.300s, want %s", raw.Content[0].Text, want)
		}
		return
	}
	var r struct {
		Status   string
		Messages []json.RawMessage
	}
	if err := json.Unmarshal([]byte(raw.Content[0].Text), &r); err != nil || r.Status != statusCompacted {
		t.Fatalf("%v in %.300s\n%s", err, raw.Content[0].Text, f.log)
	}
	view := rawBytes(r.Messages)
	if err := transcript.Valid(p.Format, view); err != nil {
		t.Errorf("the view is not valid: %v\n%.2000s", err, bytes.Join(view, []byte("\n")))
	}
	if words, behind := strings.CutPrefix(want, "u "); behind { // neighbours of one role are joined
		want = "u [STATE " + words
	}
	if got := p.Brief(t, view); !strings.HasSuffix(got, want) {
		t.Errorf("got  %.300s\nwant %.300s", got, want)
	}
	next := 0
	for _, m := range exact {
		for next < len(view) && !bytes.Equal(view[next], m) {
			next++
		}
		if next == len(view) {
			t.Fatalf("not in the view, in its exact bytes: %.200s", m)
		}
	}
}

// end returns the messages at the end of the conversation, and those that come back as they are.
func (c badInput) end(p formattest.Provider) (all, exact [][]byte) {
	if c.alone {
		return nil, nil
	}
	for _, l := range c.lines {
		l, loose := strings.CutPrefix(l, "~")
		m := p.Messages(l)
		all = append(all, m...)
		if !loose {
			exact = append(exact, m...)
		}
	}
	return all, exact
}
