package window

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"ctxledger.dev/intents"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// script makes a log from lines, a message and its results each:
//
//	ask N                a request of N characters
//	say N                words of N characters
//	read a.go N          a call, and its result of N characters
//	read a.go N part     of a part of the file
//	write a.go N         arguments of N characters
//	patch a.go N         the same
//	move a.go b.go, copy a.go b.go
//	foo words N          an unknown tool, as is bar
//	delete a.go
//	shell go_test N      a command (_ for a space) and its output
//	grep words N
//
// Behind each: "fail", "open" (no result), "words N" (next to the call). "&" joins parallel calls.
// Tokens of originals are their bytes: what passes count themselves is in tokens of o200k_base.
func script(t testing.TB, text string) *testLog {
	t.Helper()
	l := &testLog{}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		words := strings.Fields(line)
		switch words[0] {
		case "ask":
			l.add(t, sessions.Entry{Prompt: true}, wire("user", []string{letters(t, words[1])}))
		case "say":
			l.add(t, sessions.Entry{}, wire("assistant", []string{letters(t, words[1])}))
		default:
			l.unit(t, strings.Split(line, "&"))
		}
	}
	return l
}

func letters(t testing.TB, n string) string {
	t.Helper()
	count, err := strconv.Atoi(n)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Repeat("w", count)
}

var scriptTools = map[string]string{
	"read": intents.OpRead, "write": intents.OpWrite, "patch": intents.OpPatch, "move": intents.OpMove,
	"delete": intents.OpDelete, "shell": intents.OpShell, "grep": intents.OpGrep, "copy": intents.OpCopy,
	"foo": "", "log_attempt": "",
	"bar": "",
}

// unit adds a message with calls, and one with their results.
func (l *testLog) unit(t testing.TB, calls []string) {
	t.Helper()
	var blocks, results []string
	var headers []sessions.Call
	var failed []bool
	for _, text := range calls {
		c := parseCall(t, text, len(l.entries), len(headers))
		headers = append(headers, c.Call)
		if c.words != "" {
			blocks = append(blocks, fmt.Sprintf(`{"type":"text","text":%q}`, c.words))
		}
		blocks = append(blocks, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":%s}`, c.ID, c.Name, c.args))
		if !c.open {
			results = append(results, fmt.Sprintf(`{"type":"tool_result","tool_use_id":%q,"is_error":%t,"content":%q}`,
				c.ID, c.failed, c.result))
			failed = append(failed, c.failed)
		}
	}
	l.add(t, sessions.Entry{}, fmt.Sprintf(`{"role":"assistant","content":[%s]}`, strings.Join(blocks, ",")))
	for i := range headers {
		headers[i].Tokens = l.entries[len(l.entries)-1].Calls[i].Tokens
	}
	l.entries[len(l.entries)-1].Calls = headers
	if len(results) > 0 {
		l.add(t, sessions.Entry{}, fmt.Sprintf(`{"role":"user","content":[%s]}`, strings.Join(results, ",")))
		for i := range failed {
			l.entries[len(l.entries)-1].Results[i].Failed = failed[i]
		}
	}
}

// scripted is a call of a script.
type scripted struct {
	sessions.Call
	args, result, words string
	failed, open        bool
}

func parseCall(t testing.TB, text string, message, n int) scripted {
	t.Helper()
	words := strings.Fields(text)
	c := scripted{result: "ok"}
	op, known := scriptTools[words[0]]
	if !known {
		t.Fatalf("unknown call %q", text)
	}
	c.Name, c.Op = words[0], op
	c.ID = fmt.Sprintf("%s-%d-%d", words[0], message, n)
	c.Target = strings.ReplaceAll(words[1], "_", " ")
	args := map[string]any{"path": c.Target}
	rest := words[2:]
	size := func() string {
		if len(rest) == 0 {
			t.Fatalf("%q lacks a size", text)
		}
		s := letters(t, rest[0])
		rest = rest[1:]
		return s
	}
	switch c.Op {
	case intents.OpWrite, intents.OpPatch:
		args["content"] = size()
	case intents.OpMove, intents.OpCopy:
		c.From, c.Target = c.Target, rest[0]
		rest = rest[1:]
	case intents.OpDelete:
	default:
		c.result = size()
	}
	for len(rest) > 0 {
		word := rest[0]
		rest = rest[1:]
		switch word {
		case "fail":
			c.failed = true
		case "open":
			c.open = true
		case "part":
			c.Partial, args["limit"] = true, 50
		case "words":
			c.words = size()
		default:
			t.Fatalf("unknown word %q in %q", word, text)
		}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	c.args, c.Chars = string(raw), len(raw)
	c.Same = fmt.Sprintf("%x", len(c.args)) + c.Target
	return c
}

// decide makes a decision about a log and records it, and holds what is shown then against the
// provider's rules and against what was counted.
func (l *testLog) decide(t testing.TB, edits *[]Edit, p Policy, st State) Decision {
	t.Helper()
	d := Decide(Input{Entries: l.entries, Edits: *edits}, p, st)
	*edits = append(*edits, d.Edits...)
	if err := transcript.Valid(transcript.Anthropic,
		l.render(t, Plan(Input{Entries: l.entries, Edits: *edits}))); err != nil {
		t.Errorf("%v", err)
	}
	return d
}

// listEdits writes edits in short: pass, part, call.
func listEdits(edits []Edit) string {
	var out []string
	for _, e := range edits {
		what := e.Call
		if what == "" {
			what = strconv.FormatInt(e.Seq, 10)
		}
		if e.To > 0 {
			what += "-" + strconv.FormatInt(e.To, 10)
		}
		out = append(out, fmt.Sprintf("%s %s %s", e.Pass, e.Part, what))
	}
	return strings.Join(out, "\n")
}
