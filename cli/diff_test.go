package cli

import (
	"strings"
	"testing"

	"ctxledger.dev/agents/install"
	"ctxledger.dev/cli/columns"
)

// TestADiffHasTheWhiteSpaceOfTheFile: what is shown is the file's own text, but for what would harm a terminal.
func TestADiffHasTheWhiteSpaceOfTheFile(t *testing.T) {
	const before = "{\r\n\t\"model\":   \"opus\",  // mine\r\n\t\"x\":\t1\x1b[2J\r\n}\r\n"
	c := install.Change{Path: "/home/me/my  file", Before: []byte(before),
		After: []byte(strings.Replace(before, "1\x1b", "2\x1b", 1))}
	const want = "--- /home/me/my  file\n+++ /home/me/my  file\n@@ -1,4 +1,4 @@\n {\n \t\"model\":   \"opus\",  // mine\n" +
		"-\t\"x\":\t1\\u001b[2J\n+\t\"x\":\t2\\u001b[2J\n }\n"
	if got := diffOf(c, columns.CutExact); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
