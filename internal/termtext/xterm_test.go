package termtext

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// TestXterm holds rendering against what xterm.js 6.0.0 (@xterm/headless, 300 columns, 120 rows) shows
// of 250 random outputs, made of the sequences that we know. Emoji are not among them: that terminal
// gives them one column unless set otherwise.
func TestXterm(t *testing.T) {
	file, err := os.ReadFile("testdata/xterm.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(file) {
		var c struct{ In, Shows string }
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if got := inPieces(c.In, len(c.In)); got != c.Shows {
			t.Errorf("%q\n shows %q\n xterm %q", c.In, got, c.Shows)
		}
	}
}
