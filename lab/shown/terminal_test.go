package shown

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestATerminalShowsEveryCharacter: the picture is XML, and its text is the transcript's, broken at the edge.
func TestATerminalShowsEveryCharacter(t *testing.T) {
	long := strings.Repeat("äb", terminalColumns)
	transcript := "$ echo '<&>'\n<&>\n…\n" + long + "\n"
	var lines []string
	d := xml.NewDecoder(strings.NewReader(string(Terminal(transcript))))
	for inText := false; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			inText = x.Name.Local == "text"
		case xml.EndElement:
			inText = false
		case xml.CharData:
			if inText {
				lines = append(lines, string(x))
			}
		}
	}
	if len(lines) != 5 || strings.Join(lines[:3], "\n") != "$ echo '<&>'\n<&>\n…" || lines[3]+lines[4] != long {
		t.Errorf("%q", lines)
	}
}
