package cli

import (
	"bytes"
	"strings"
	"testing"

	"ctxledger.dev/agents/install"
	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// TestADiffHasTheWhiteSpaceOfTheFile: what is shown is the file's own text, but for what would harm a terminal.
func TestADiffHasTheWhiteSpaceOfTheFile(t *testing.T) {
	const before = "{\r\n\t\"model\":   \"opus\",  // mine\r\n\t\"x\":\t1\x1b[2J\r\n}\r\n"
	c := install.Change{Path: "/home/me/my  file", Before: []byte(before),
		After: []byte(strings.Replace(before, "1\x1b", "2\x1b", 1))}
	const want = "--- /home/me/my  file\n+++ /home/me/my  file\n@@ -1,4 +1,4 @@\n {\n \t\"model\":   \"opus\",  // mine\n" +
		"-\t\"x\":\t1\\u001b[2J\n+\t\"x\":\t2\\u001b[2J\n }\n"
	if got := diffOf(c, same); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestADiffOfALongLineHasAllThatChanges: of a file on one line the change was cut off.
func TestADiffOfALongLineHasAllThatChanges(t *testing.T) {
	before := "{" + strings.Repeat(`"a": "…", `, 60) + strings.Repeat(`"z": "…", `, 60) + "}\n"
	added := strings.Repeat(`"hooks": ["ctxhook"], `, 30)
	got := diffOf(install.Change{Path: "f", Before: []byte(before),
		After: []byte(strings.Replace(before, `"z"`, added+`"z"`, 1))}, same)
	var whole strings.Builder
	for line := range strings.Lines(got) {
		if len(line) > 2*maxShown {
			t.Errorf("a line of %d bytes", len(line))
		}
		if strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++") {
			whole.WriteString(strings.TrimRight(line[1:], "\n"))
		}
	}
	if text := whole.String(); !strings.Contains(text, added) || len(text) > len(added)+200 {
		t.Errorf("%s", got)
	}
}

// TestADiffOfAOneLineFileIsReadable: each value is on a line of its own.
func TestADiffOfAOneLineFileIsReadable(t *testing.T) {
	got := diffOf(install.Change{Path: "f", Before: []byte(`{"a":{"b":1}}`),
		After: []byte(`{"a":{"b":1},"c":[2]}`)}, same)
	const want = "--- f\n+++ f\n(the file is one line; this shows its values on lines of their own)\n@@ -1,5 +1,8 @@\n {\n" +
		"   \"a\": {\n     \"b\": 1\n-  }\n+  },\n+  \"c\": [\n+    2\n+  ]\n }\n\\ No newline at end of file\n"
	if got != want {
		t.Errorf("%s\n%q", got, got)
	}
}

func same(text string) string { return text }

// TestWhatLeftTheViewIsCountedAsTheViewWas: the list gave sizes in o200k_base below a total for the session's model.
func TestWhatLeftTheViewIsCountedAsTheViewWas(t *testing.T) {
	s := ledger.Summary{TokensBefore: tokens.Count{N: 156_000, Upper: 200_000}, TokensAfter: tokens.Count{N: 1_000}}
	s.Before = 200_000
	for range 14 {
		s.Cut = append(s.Cut, compaction.Cut{Tokens: 12_539})
	}
	var b bytes.Buffer
	printDiff(&action{masks: redact.New(nil)}, &b, s)
	if strings.Count(b.String(), "≈9,780") != 14 {
		t.Error(b.String())
	}
}
