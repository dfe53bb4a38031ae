package config

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/yamldoc"
)

// wrongValues are values that a kind does not take, as they are written in one line.
var wrongValues = map[Kind][]string{
	Bool:   {"maybe", "[true]", "{a: 1}", "7"},
	Count:  {"-1", "many", "1.5", "[1]", "{a: 1}", "99999999999999999999", "true"},
	Share:  {"1.1", "-0.1", ".nan", "half", "[0.5]", ".inf"},
	Number: {"much", "[1]", "-1"},
	Texts:  {"text", "{a: 1}", "5"},
	Word:   {"nothing", "[intent]", "{a: 1}"},
	Counts: {"[1]", "5", "{a: -1}", "{a: x}"},
	Text:   {"[a]", "{a: 1}"},
}

// TestEveryWrongValueIsFoundWhereItStands writes each wrong value of each setting into a file.
func TestEveryWrongValueIsFoundWhereItStands(t *testing.T) {
	files := 0
	var try func(path []Rule)
	try = func(path []Rule) {
		last := path[len(path)-1]
		for _, r := range last.Rules {
			try(append(path[:len(path):len(path)], r))
		}
		for _, value := range wrongValues[last.Kind] {
			files++
			text, line, column := written(path, value)
			if strings.Count(text, "name: ") > 1 {
				continue // the name of the agent, which is written already
			}
			problems := Check(homeless(), File, []byte(text))
			if len(problems) == 0 || problems[0].Severity != Error {
				t.Errorf("%s: %v", text, problems)
				continue
			}
			if p := problems[0]; p.Line != line || p.Column < column || p.Column > column+len(value) {
				t.Errorf("%q: %s, want %d:%d", text, p, line, column)
			}
		}
	}
	for _, r := range topRules() {
		// Models and summarizers say more of their own: see their tests.
		if r.Key != "models" && r.Key != "summarizer" && r.Ignored == "" {
			try([]Rule{r})
		}
	}
	if files < 200 {
		t.Errorf("only %d files", files)
	}
	t.Logf("%d files", files)
}

// written writes a value at a path of keys in block style, and returns where it stands.
func written(path []Rule, value string) (text string, line, column int) {
	var b strings.Builder
	indent := ""
	for i, r := range path {
		b.WriteString(indent + r.Key + ":")
		line++
		if i == len(path)-1 {
			break
		}
		b.WriteString("\n")
		indent += "  "
		if r.Kind == List {
			b.WriteString(indent + "- name: x\n")
			line++
			indent += "  "
		}
	}
	column = len(indent) + len(path[len(path)-1].Key) + len(": ") + 1
	return b.String() + " " + value + "\n", line, column
}

// TestBrokenFiles have their first problem at a place; nothing takes much memory, or never ends.
func TestBrokenFiles(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct{ name, text, want string }{
		{"a key twice", "follow: true\nexports: true\nfollow: false\n", "3:1"},
		{"a key twice, in other cases", "context:\n  max_turn_age: 1\n  MaxTurnAge: 2\n", "3:3"},
		{"a section twice", "context: {}\nContext: {}\n", "2:1"},
		{"a tab before a key", "context:\n\tkeep: 1\n", "2:"},
		{"a byte order mark", "\ufefffollow: maybe\n", "1:9"},
		{"line ends of Windows", "exports: true\r\nfollow: maybe\r\n", "2:9"},
		{"characters of several bytes before it", "corrections: [äöü😀]\nfollow: maybe\n", "2:9"},
		{"the same in one line", "{corrections: [äöü], follow: maybe}\n", "1:30"},
		{"a bracket that is not closed", "context: {keep: {turns: 1}\n", ""},
		{"no mapping", "just words\n", "1"},
		{"a list", "- follow\n", "1"},
		{"two documents", "follow: true\n---\nfollow: false\n", "2"},
		{"an unknown anchor", "follow: *nothing\n", ""},
		{"an alias of a wrong value", "corrections: &a [x]\nfollow: *a\n", "2:9"},
		{"a cycle", "context: &a {clear: *a}\n", ""},
		{"a bomb", bomb(9), ""},
		{"a bomb of agents", "agents: [" + strings.Repeat("{name: a}, ", 50_000) + "]\n", ""},
		{"a key that is a list", "? [a, b]\n: 1\n", ""},
		{"control characters", "follow: \x00\n", ""},
		{"not UTF-8", "follow: \xff\xfe\n", ""},
		{"a value of a megabyte", "follow: " + strings.Repeat("x", mib-100) + "\n", "1:9"},
		{"more than a megabyte", "corrections: [" + strings.Repeat("x", mib) + "]\n", ""},
		{"thousands of unknown sections", unknownSections(5000), "1:1"},
		{"deep nesting", "context: " + strings.Repeat("{a: ", 5000) + strings.Repeat("}", 5000) + "\n", ""},
		{"a tag", "follow: !!binary aGk=\n", "1:"},
		{"an empty agent", "agents:\n  -\n", "2:"},
		{"agents of one name", "agents: [{name: a}, {name: A}]\n", "1:21"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			problems := validated(File, []byte(c.text))
			runtime.ReadMemStats(&after)
			if len(problems) == 0 {
				t.Fatal("nothing is wrong with it")
			}
			if got := fmt.Sprintf("%d:%d", problems[0].Line, problems[0].Column); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s, want %s", problems[0], c.want)
			}
			for _, p := range problems {
				if len(p.Message) > 2000 {
					t.Errorf("a message of %d bytes", len(p.Message))
				}
			}
			if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 500 {
				t.Errorf("%d MiB", used)
			}
		})
	}
	if n := len(validated(File, []byte(strings.Repeat("# x\n", yamldoc.Max/4)))); n != 0 {
		t.Errorf("comments have %d problems", n)
	}
}

// homeless is an environment that says nothing.
func homeless() env.Env { return env.Env{Lookup: func(string) string { return "" }} }

// validated is what Check finds, and the first of it.
func validated(name string, text []byte) []Problem {
	return few(Check(homeless(), name, text), maxProblems)
}

func unknownSections(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "section%d: {a: 1}\n", i)
	}
	return b.String()
}

// bomb is a document that unfolds to ten to the power of n values.
func bomb(n int) string {
	var b strings.Builder
	b.WriteString("x0: &x0 [a, a, a, a, a, a, a, a, a, a]\n")
	for i := range n {
		ten := strings.Repeat(fmt.Sprintf("*x%d, ", i), 10)
		fmt.Fprintf(&b, "x%d: &x%d [%s]\n", i+1, i+1, strings.TrimSuffix(ten, ", "))
	}
	fmt.Fprintf(&b, "corrections: *x%d\n", n)
	return b.String()
}
