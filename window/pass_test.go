package window

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/transcript"
)

// always is a state in which every proposal pays.
var always = State{Rates: Rates{Read: 1, Write: 1}, Ahead: 1}

func TestPasses(t *testing.T) {
	whole := func(p *Policy) { p.BatchChars, p.Clear.Trigger, p.OldWords = 1, 0, true }
	for _, c := range []struct {
		name   string
		policy func(*Policy)
		log    string
		want   string
	}{
		{"a read is consumed by a later write", nil, "ask 9\nread a.go 9000\nwrite a.go 10\nsay 5",
			"consumed_read result read-1-0"},
		{"a read is consumed by a later patch", nil, "ask 9\nread a.go 9000\npatch a.go 10\nsay 5",
			"consumed_read result read-1-0"},
		{"a read is consumed by a move of the file", nil, "ask 9\nread a.go 9000\nmove a.go b.go\nsay 5",
			"consumed_read result read-1-0"},
		{"a read is consumed by a deletion", nil, "ask 9\nread a.go 9000\ndelete a.go\nsay 5",
			"consumed_read result read-1-0"},
		{"a read is consumed by what a copy writes over it", nil, "ask 9\nread b.go 9000\ncopy a.go b.go\nsay 5",
			"consumed_read result read-1-0"},
		{"a copy consumes nothing of what is copied", nil, "ask 9\nread a.go 9000\ncopy a.go b.go\nsay 5", ""},
		{"a read that was cut already is consumed all the same", func(p *Policy) { p.ResultChars = 5000 },
			"ask 9\nread a.go 9000\nwrite a.go 10\nsay 5", "consumed_read result read-1-0"},
		{"a failed write consumes nothing", nil, "ask 9\nread a.go 9000\nwrite a.go 10 fail\nsay 5", ""},
		{"a write without a result consumes nothing", nil, "ask 9\nread a.go 9000\nwrite a.go 10 open", ""},
		{"a write consumes no other file", nil, "ask 9\nread a.go 9000\nwrite b.go 10\nsay 5", ""},
		{"a write consumes nothing that is read after it", nil, "ask 9\nwrite a.go 10\nread a.go 9000\nsay 5", ""},
		{"a read of a part outlives a patch", nil, "ask 9\nread a.go 9000 part\npatch a.go 10\nsay 5", ""},
		{"a read of a part is consumed by a whole write", nil, "ask 9\nread a.go 9000 part\nwrite a.go 10\nsay 5",
			"consumed_read result read-1-0"},
		{"within one message the order of calls counts", nil, "ask 9\nwrite a.go 10 & read a.go 9000\nsay 5", ""},
		{"a short read stays", nil, "ask 9\nread a.go 500\nwrite a.go 10\nsay 5", ""},

		{"the older of two writes is superseded", whole, "ask 9\nwrite a.go 400\nwrite a.go 400\nsay 5",
			"superseded_write arguments write-1-0"},
		{"a patch after the last write stays", whole, "ask 9\nwrite a.go 400\npatch a.go 400\nsay 5", ""},
		{"only a patch before a write is superseded", whole, "ask 9\npatch a.go 400\nwrite a.go 400\npatch a.go " +
			"400\nsay 5", "superseded_write arguments patch-1-0"},
		{"a failed write supersedes nothing", whole, "ask 9\nwrite a.go 400\nwrite a.go 400 fail\nsay 5", ""},

		{"the older of two same reads goes", whole, "ask 9\nread a.go 400\nread a.go 400\nsay 5\nread b.go 9\nsay 5",
			"repeated_call arguments read-1-0\nrepeated_call result read-1-0"},
		{"a call that failed supersedes nothing", whole, "ask 9\nread a.go 400\nread a.go 400 fail\nsay 5\nread " +
			"b.go 9\nsay 5", ""},
		{"tools that are declared to read only", func(p *Policy) { whole(p); p.ReadOnly = []string{"Foo"} },
			"ask 9\nfoo x 400\nfoo x 400\nbar x 400\nbar x 400\nsay 5", "repeated_call result foo-1-0"},
		{"other arguments are another call", whole, "ask 9\nread a.go 400\nread a.go 400 part\nsay 5", ""},
		{"a search is repeated as well", whole, "ask 9\ngrep foo 400\nread b.go 9\ngrep foo 400\nread c.go 9\nsay 5",
			"repeated_call arguments grep-1-0\nrepeated_call result grep-1-0"},

		{"the output of a command that ran again goes", whole, "ask 9\nshell go_test 900 fail\nread b.go " +
			"9\nshell go_test 900\nread c.go 9\nsay 5", "repeated_command result shell-1-0"},

		{"long words between calls are cut", whole, "ask 9\nread a.go 9 words 400\nread b.go 9 words 400\nsay 900",
			"old_words words 2"},

		{"a result over its cap is cut", func(p *Policy) { p.ResultChars = 1000 }, "ask 9\nread a.go 1000\nread " +
			"b.go 1001\nread c.go 2000\nsay 9", "result_cap result read-5-0"},
		{"a tool of its own cap", func(p *Policy) {
			p.ResultChars, p.ResultCharsOf = 1000, map[string]int{"read": 0, "grep": 100}
		},
			"ask 9\nread a.go 2000\ngrep x 500\nsay 9", "result_cap result grep-3-0"},
		{"a message over the user's cap", nil, "ask 200000\nask 200001\nsay 9", "user_cap words 2"},
		{"a cap of one's own", func(p *Policy) { p.UserChars = 100 }, "ask 100\nask 900\nsay 900",
			"user_cap words 2"},
		{"words over the replay cap are cut", func(p *Policy) { p.ReplayChars = 100 },
			"ask 9\nsay 90\nask 9\nsay 900\nask 9\nsay 900", "replay_cap words 4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, l, edits := Default(), script(t, c.log), []Edit(nil)
			if c.policy != nil {
				c.policy(&p)
			}
			d := l.decide(t, &edits, p, always)
			if got := listEdits(d.Edits); got != c.want {
				t.Fatalf("edits\n%s\nwant\n%s", got, c.want)
			}
			if again := l.decide(t, &edits, p, always); len(again.Edits) > 0 {
				t.Errorf("decided once more: %s", listEdits(again.Edits))
			}
		})
	}
}

func TestBatchesWaitUntilThereIsEnough(t *testing.T) {
	const beside = 30 // of the arguments' names and the path, and of the result
	for chars, want := range map[int]int{65_535: 0, 65_536: 2} {
		// A superseded write and the output of a command that ran again count together.
		log := fmt.Sprintf("ask 9\nwrite a.go %d\nwrite a.go 9\nshell go_test 20000\nshell go_test 9\nsay "+
			"5\nread b 9\nsay 5", chars-20_000-beside)
		l, edits := script(t, log), []Edit(nil)
		if total := l.entries[1].Calls[0].Chars + l.entries[2].Results[0].Chars +
			l.entries[6].Results[0].Chars; total != chars {
			t.Fatalf("%d characters were made, not %d", total, chars)
		}
		if got := l.decide(t, &edits, Default(), always).Edits; len(got) != want {
			t.Errorf("%d characters: %d edits", chars, len(got))
		}
	}
}

// Long texts in the arguments of old writes go when the view is nearly full, and nothing else does.
func TestArgumentsAreTruncated(t *testing.T) {
	p := Default()
	p.Clear.Trigger, p.BatchChars, p.Arguments.Tools = 0, 1<<30, []string{"Foo"}
	const log = "ask 9\nwrite a.go 1900\nwrite b.go 2001\nfoo x 10\ngrep x 9000\npatch c.go 3000\nwrite d.go " +
		"9000 & read e.go 9000\n"
	for _, c := range []struct {
		name   string
		window int
		more   string
		want   string
	}{
		{"window unknown: few messages", 0, "say 9", ""},
		{"window unknown: all but the newest twenty", 0, strings.Repeat("say 9\nask 9\n", 10),
			"arguments arguments write-3-0\narguments arguments patch-9-0\narguments arguments write-11-0"},
		{"the window is not full", 60_000, "say 9", ""},
		{"it nearly is", 42_000, "say 9\nask 3000\nsay 1500\nask 9", "arguments arguments write-3-0\narguments " +
			"arguments patch-9-0\narguments arguments write-11-0"},
		{"the newest tenth keeps theirs", 42_000, "say 9\nwrite f.go 3500\nask 9", "arguments arguments " +
			"write-3-0\narguments arguments patch-9-0\narguments arguments write-11-0"},
	} {
		l, edits := script(t, log+c.more), []Edit(nil)
		d := l.decide(t, &edits, p, State{Window: c.window, Rates: always.Rates, Ahead: 1})
		if got := listEdits(d.Edits); got != c.want {
			t.Errorf("%s: edits\n%s\nof %d tokens", c.name, got, d.Before)
		}
		if again := l.decide(t, &edits, p, State{Window: c.window, Rates: always.Rates,
			Ahead: 1}); len(again.Edits) > 0 {
			t.Errorf("%s: truncated once more: %s", c.name, listEdits(again.Edits))
		}
	}
	args, _ := Edit{Over: 2_000, Head: bulkHead, Text: markBulk}.arguments([]byte(`{"path":"a","content":"` +
		strings.Repeat("w", 2_001) + `","n":[1,true,"` + strings.Repeat("é", 2_000) + `"]}`))
	if want := `{"path":"a","content":"wwwwwwwwwwwwwwwwwwww...(argument truncated)","n":[1,true,"` +
		strings.Repeat("é", 2_000) + `"]}`; args != want {
		t.Errorf("arguments %.200s", args)
	}
}

func TestPairWindowVectors(t *testing.T) {
	for g, want := range map[int]int{10: 10, 12: 12, 13: 9, 14: 10, 16: 12, 17: 9, 20: 12, 200: 12} {
		if got := g - surplus(g, 12, 1, false); got != want {
			t.Errorf("%d units: %d kept, want %d", g, got, want)
		}
	}
}

// Of 40 rounds, the beginning of the request changes at most ten times, and the bound holds in each.
func TestPairWindowMovesInSteps(t *testing.T) {
	p := Default()
	p.ToolPairs, p.Clear.Trigger, p.BatchChars = 12, 0, 1<<30
	var edits []Edit
	var lines []string
	steps := 0
	for i := range 40 {
		lines = append(lines, "read f"+string(rune('a'+i%26))+" 20000")
		l := script(t, "ask 9\n"+strings.Join(lines, "\n"))
		if d := l.decide(t, &edits, p, always); len(d.Edits) > 0 {
			steps++
		}
		shown := 0
		for _, a := range newScene(Input{Entries: l.entries, Edits: edits}, p, always).acts {
			if !a.resultEdited {
				shown++
			}
		}
		if shown > 12 || shown < min(i+1, 9) {
			t.Errorf("round %d: %d results are in the view", i, shown)
		}
	}
	if steps == 0 || steps > 10 {
		t.Errorf("%d steps in 40 rounds", steps)
	}
	l := script(t, "ask 9\n"+strings.Join(lines, "\n"))
	l.entries[2].ID = "0123456789abcdef"
	edits, p.Exact = nil, true
	if d := l.decide(t, &edits, p, always); len(d.Edits) != 28 {
		t.Errorf("exactly twelve stay, but %d go", len(d.Edits))
	}
	view := l.render(t, Plan(Input{Entries: l.entries, Edits: edits}))
	if len(view) != len(l.entries) || !bytes.Contains(view[2],
		[]byte(`"tool_use_id":"read-1-0","is_error":false,"content":`+
			`"[result omitted — sliding window]\nArtifact: 0123456789ab`)) {
		t.Errorf("of %d messages the second result is %s", len(view), view[2])
	}
}

// A cap of a configuration that was written for another host means the tools of this one: by what they do.
func TestCapsMatchWhatToolsDo(t *testing.T) {
	for _, c := range []struct {
		name string
		caps map[string]int
		all  int
		want string // whose results are cut
	}{
		{"the tool's own name", map[string]int{"grep": 500}, 0, "grep-3-0"},
		{"another host's name for it", map[string]int{"grep_file": 500}, 0, "grep-3-0"},
		{"fuseraft's search", map[string]int{"search_content": 500}, 0, "grep-3-0"},
		{"in its own spelling", map[string]int{"read_file": 500}, 0, "read-1-0"},
		{"its own name goes first", map[string]int{"grep_file": 500, "grep": 0}, 0, ""},
		{"none for one of them", map[string]int{"grep_file": 0}, 500, "read-1-0 foo-5-0"},
		{"the widest of several", map[string]int{"grep_file": 500, "search_content": 20_000}, 0, ""},
		{"a name of none", map[string]int{"fetch": 500}, 0, ""},
	} {
		p := Default()
		p.ResultCharsOf, p.ResultChars, p.Clear.Trigger = c.caps, c.all, 0
		l, edits := script(t, "ask 9\nread a 3000\ngrep x 3000\nfoo x 3000\nsay 9"), []Edit(nil)
		l.decide(t, &edits, p, always)
		var cut []string
		for _, e := range edits {
			cut = append(cut, e.Call)
		}
		if got := strings.Join(cut, " "); got != c.want {
			t.Errorf("%s: cut %q", c.name, got)
		}
	}
	for _, exclude := range []string{"Grep", "grep_file", "search_content"} {
		p := Default()
		p.Clear = ClearPolicy{Trigger: 0.01, Keep: 1, AtLeast: 1, Exclude: []string{exclude}, Set: true}
		l, edits := script(t, "ask 9\nread a 3000\ngrep x 3000\nfoo x 3000\nsay 9"), []Edit(nil)
		if l.decide(t, &edits, p, State{Window: 1_000,
			Rates: always.Rates}); listEdits(edits) != "clear result read-1-0" {
			t.Errorf("without %s: %s", exclude, listEdits(edits))
		}
	}
}

func TestSummariesAreNeverCut(t *testing.T) {
	e := Edit{Part: PartWords, Head: 10, Text: markFilter}
	text := strings.Repeat("long words ", 50)
	for s, want := range map[string]bool{text: true, summaryHead + "]\n" + text: false} {
		if _, changed := e.Apply(transcript.Part{Kind: transcript.KindText, Text: s}); changed != want {
			t.Errorf("%.30q is cut: %t", s, changed)
		}
	}
}

func TestTokenWindowNeverTouchesTheNewestResultFirst(t *testing.T) {
	p := Default()
	p.InTurnTokens, p.Clear.Trigger = 10_000, 0
	for _, c := range []struct{ name, log, want string }{
		{"under the budget", "ask 9\nread a.go 5000\nread b.go 4000", ""},
		{"the oldest goes", "ask 9\nread a.go 5000\nread b.go 4000\nread c.go 5000",
			"in_turn_tokens result read-1-0"},
		{"one result alone is cut", "ask 9\nread a.go 500000", "in_turn_tokens result read-1-0"},
	} {
		l, edits := script(t, c.log), []Edit(nil)
		d := l.decide(t, &edits, p, always)
		if got := listEdits(d.Edits); got != c.want {
			t.Errorf("%s: edits %s", c.name, got)
		}
		if c.want == "" {
			continue
		}
		sum := 0
		for _, a := range newScene(Input{Entries: l.entries, Edits: edits}, p, always).acts {
			sum += a.resultTokens
		}
		if sum > p.InTurnTokens {
			t.Errorf("%s: %d tokens of results are left", c.name, sum)
		}
	}
}
