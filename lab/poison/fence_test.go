package poison_test

import (
	"testing"

	"ctxledger.dev/lab/poison"
	"ctxledger.dev/memory"
)

// In CommonMark a fence may be indented by three spaces: one that a body leaves open would swallow what follows.
func TestABodyOpensNoFence(t *testing.T) {
	entry := func(name, description, body string) memory.Entry {
		return memory.Entry{Name: name, Description: description, Body: body}
	}
	for _, body := range []string{"```\nx", "   ```\nx", "~~~\nx", "x\n````"} {
		out := memory.Block([]memory.Entry{entry("n", "d", body), entry("m", "d", "y")}, 1500, memory.Tokens)
		if _, open := poison.Lines(out); open {
			t.Errorf("%q leaves a fence open:\n%s", body, out)
		}
	}
}
