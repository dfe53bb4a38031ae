package configfile

import (
	"slices"
	"strings"
	"testing"
)

// at takes a text with a bar where somebody is.
func at(t testing.TB, text string) (lines []string, n, offset int) {
	t.Helper()
	before, after, is := strings.Cut(text, "|")
	if !is {
		t.Fatalf("no bar in %q", text)
	}
	lines = strings.Split(before+after, "\n")
	n = strings.Count(before, "\n")
	return lines, n, len(before) - strings.LastIndex(before, "\n") - 1
}

func TestComplete(t *testing.T) {
	for _, c := range []struct{ name, text, has, lacks string }{
		{"at the top", "|", "context follow agents", "compaction threshold"},
		{"a key that is begun", "fol|", "follow", "threshold"},
		{"in a mapping", "context:\n  |", "threshold keep clear", "follow turns"},
		{"below others", "context:\n  threshold: 0.5\n\n  # why\n  ke|", "keep", "turns"},
		{"in a mapping in it", "context:\n  keep:\n    |", "turns tokens messages", "threshold"},
		{"back at the top", "context:\n  keep:\n    turns: 3\n|", "follow", "turns threshold"},
		{"in flow style", "context: {keep: {turns: 3, |", "tokens", "threshold follow"},
		{"behind flow style", "context: {keep: {turns: 3}, |", "threshold", "turns"},
		{"an agent", "agents:\n  - |", "name context_window max_in_turn_tool_pairs", "threshold plugins"},
		{"an agent's second key", "agents:\n- name: a\n  |", "context_window", "follow"},
		{"an agent's window", "agents:\n  - name: a\n    context_window:\n      |", "text_only", "name"},
		{"a model", "models:\n  mine:\n    |", "window family price", "context"},
		{"a model's name", "models:\n  |", "", "window family context"},
		{"below fuseraft's key", "Orchestration:\n  |", "follow context", "threshold"},
		{"below a foreign section", "Compaction:\n  |", "", "follow threshold"},
		{"a truth value", "follow: |", "true false", "context"},
		{"a word", "context:\n  mode: i|", "intent window", "threshold"},
		{"a word in flow style", "summarizer: {kind: |", "openai command", "model"},
		{"a number", "context:\n  reserve: |", "", "true threshold"},
		{"in a string list", "context: {clear: {only: [a, |", "", "trigger threshold"},
		{"in a comment", "context: # |", "", "true threshold"},
		{"below what nobody knows", "x:\n  |", "", "follow threshold"},
		{"in JSON", "{\n\t\"context\": {\n\t\t\"|\"", "threshold", "follow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var labels []string
			for _, i := range Complete(at(t, c.text)) {
				labels = append(labels, i.Label)
			}
			for _, label := range strings.Fields(c.has) {
				if !slices.Contains(labels, label) {
					t.Errorf("%s is not among %v", label, labels)
				}
			}
			for _, label := range strings.Fields(c.lacks) {
				if slices.Contains(labels, label) {
					t.Errorf("%s is among %v", label, labels)
				}
			}
			if c.has == "" && len(labels) > 0 {
				t.Errorf("%v", labels)
			}
		})
	}
}

func TestACompletionReplacesTheWord(t *testing.T) {
	for text, want := range map[string]string{"  context: {kee|p": "kee|p", "fo|": "fo", "follow: tr|": "tr",
		"context:\n  th|reshold: 1": "threshold"} {
		lines, n, offset := at(t, text)
		items := Complete(lines, n, offset)
		want = strings.ReplaceAll(want, "|", "")
		if len(items) == 0 || lines[n][items[0].From:items[0].To] != want {
			t.Errorf("%s: %+v, want %s replaced", text, items[:min(1, len(items))], want)
		}
	}
}

func TestHover(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a key", "fol|low: true", "**follow**: true or false. Default: `true`"},
		{"its range", "context:\n  thres|hold: 1", "**threshold**: a fraction, from 0 to 1. Default: `0.40`"},
		{"a word", "context: {mo|de: llm}", "**mode**: a word (`intent`, `window`, `llm`, `hybrid`)"},
		{"of another program", "Compaction:\n  Trigger|TurnCount: 3", "it sets `context.compact_turns`"},
		{"ignored", "Veri|fier: {}", "It is ignored: it is about running agents"},
		{"links become words", "summ|arizer:", "see below"},
		{"no key", "colour|: blue", ""},
		{"a value", "follow: tr|ue", ""},
		{"a comment", "# fol|low", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, ok := Hover(at(t, c.text))
			if ok != (c.want != "") || !strings.Contains(n.Text, c.want) || strings.Contains(n.Text, "](") {
				t.Errorf("%v, %s", ok, n.Text)
			}
		})
	}
}

func TestIs(t *testing.T) {
	for file, want := range map[string]bool{"ctxledger.yaml": true, "/w/sub/ctxledger.yaml": true, "a/x.yaml": false,
		"/home/me/.config/ctxledger/config.yaml": true, "config.yaml": false, "": false} {
		if Is(file) != want {
			t.Errorf("%s: %v", file, !want)
		}
	}
}

// FuzzHelpStaysInItsLine asks at any place of any text.
func FuzzHelpStaysInItsLine(f *testing.F) {
	f.Add("context:\n  keep: {turns: 3, t", uint16(1), uint16(20))
	f.Add("{\n\t\"context\": {\n\t\t\"", uint16(2), uint16(3))
	f.Add("- - a: [", uint16(0), uint16(99))
	f.Fuzz(func(t *testing.T, text string, line, offset uint16) {
		lines := strings.Split(text, "\n")
		n := int(line) % len(lines)
		for _, i := range Complete(lines, n, int(offset)) {
			if i.From < 0 || i.From > i.To || i.To > len(lines[n]) {
				t.Fatalf("%+v in a line of %d", i, len(lines[n]))
			}
		}
		if note, ok := Hover(lines, n, int(offset)); ok && (note.From > note.To || note.To > len(lines[n])) {
			t.Fatalf("%+v", note)
		}
	})
}
