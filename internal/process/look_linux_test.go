package process

import (
	"strings"
	"testing"
)

func TestFilesOfProcessesAreRead(t *testing.T) {
	const rest = " 12145 12371 12145 34816 12371 4194304 46377 5072 12 8 258 80 14 18 20 0 10 0 1571658 5846671360"
	for _, c := range []struct {
		raw    string
		parent int
		start  string
		ok     bool
	}{
		{"12371 (claude) S" + rest, 12145, "1571658", true},
		{"12371 (a) R 1 (b) S" + rest + "\n", 12145, "1571658", true},
		{"12371 (claude) S 12145 1", 0, "", false},
		{"12371 (claude) S x" + strings.TrimPrefix(rest, " 12145"), 0, "1571658", false},
		{"no process", 0, "", false},
		{"", 0, "", false},
		{")", 0, "", false},
	} {
		if got, ok := parse([]byte(c.raw)); ok != c.ok || got != (facts{c.parent, c.start}) {
			t.Errorf("%q: %+v, %v", c.raw, got, ok)
		}
	}
}
