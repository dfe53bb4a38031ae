package window

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/sessions"
)

// sampleOf makes a marker of a form.
func sampleOf(form string) string {
	return strings.NewReplacer("{N}", "12,345", "{*}", "read_file(src/a.go) and so on").Replace(form)
}

func TestNoMarkerReachesTheDiskAtTheEnd(t *testing.T) {
	for _, form := range forms {
		marker := sampleOf(form)
		for _, content := range []string{
			marker, marker + "\n", "package a\n\nfunc A() {\n" + marker + "\n\n \t\r\n", "x := " + marker,
			strings.ReplaceAll(marker, "—", `\u2014`), "a\r\n" + marker + "\r\n",
		} {
			err := Write{Path: "a.go", Content: content}.Check()
			if !fault.Is(err, fault.Denied) {
				t.Errorf("%q is written: %v", content, err)
			}
			if want := regexp.MustCompile(`[\w ]{4,}`).FindString(marker); !strings.Contains(err.Error(), want) ||
				!strings.Contains(err.Error(), "a.go: ") {
				t.Errorf("the refusal does not name %q: %v", want, err)
			}
			if err := (Write{Path: "a.go", Content: content, Present: "cases:\n" + strings.TrimSpace(content) +
				"\nend\n"}).Check(); err != nil {
				t.Errorf("a file that has it already: %v", err)
			}
		}
	}
}

func TestMarkersInTheMiddle(t *testing.T) {
	eviction := `[tool result — evicted: read(a.go). Preview: "package a…". Re-read with targeted ranges if needed.]`
	for _, c := range []struct{ name, content, present, handle string }{
		{"shown", "a\n  " + markResult + "\nb\n", "", ""},
		{"shown, with another number", "a\n[...7 chars elided — file was written or patched later this session; " +
			"call read_file again if current content is needed]\nb\n", "other", ""},
		{"an eviction with its handle", "a\n" + eviction + "\nArtifact: 0123456789ab\nb", "", "0123456789ab"},
		{"a stub", "a\n[result offloaded — 52,000 chars stored to artifact store]\nTool: read | " +
			"path=a.go\nArtifact: a3f9c20b1d7e\nx", "", ""},
		{"an eviction at the end", eviction + "\nArtifact: 0123456789ab\n", "", "0123456789ab"},
		{"a cleared result at the end", `x [cleared: read(a.go) — 12 chars, ~4 tokens; re-read with ` +
			`read_artifact(id="a3f9c20b1d7e") or run the tool again]`, "", "a3f9c20b1d7e"},
	} {
		w := Write{Path: "a.go", Content: c.content, Present: c.present, Shown: true}
		marker, handle := w.Marker()
		if marker == "" || handle != c.handle {
			t.Errorf("%s: marker %q, handle %q", c.name, marker, handle)
		}
		if err := w.Check(); !strings.Contains(fault.HintOf(err), c.handle) {
			t.Errorf("%s: %v", c.name, err)
		}
		w.Present = c.content
		if marker, _ := w.Marker(); marker != "" {
			t.Errorf("%s: the file has %q already", c.name, marker)
		}
	}
	for name, content := range map[string]string{
		"not on a line of its own": "a\n// " + markResult + " is what a model sees\nb",
		"a source of markers": "const (\n\tmarkResult = \"" + markResult + "\"\n\tmarkWords = \"[text " +
			"omitted]\"\n)\n",
		"an index, and nothing else":   "return list[cleared[0]]",
		"nothing":                      "",
		"an ordinary end in a bracket": "[1, 2, 3]",
	} {
		if marker, _ := (Write{Path: "a.go", Content: content, Shown: true}).Marker(); marker != "" {
			t.Errorf("%s: %q is no marker", name, marker)
		}
	}
}

func TestMarkersInTheMiddleOfWhatNamesNothing(t *testing.T) {
	w := Write{Path: "a.go", Content: "a\n" + markResult + "\nb"}
	if marker, _ := w.Marker(); marker != "" {
		t.Errorf("%q was not shown to this agent", marker)
	}
}

// Whatever a pass shows is recognised when it is written.
func TestEveryMarkerOfOursIsRecognised(t *testing.T) {
	a := act{Call: &sessions.Call{ID: "c", Name: "read", Target: "a.go"},
		answer: &sessions.Entry{ID: "0123456789abcdef"}, result: &sessions.Result{Chars: 9000}}
	text := strings.Repeat("some words ", 900)
	for name, e := range map[string]Edit{
		"cap": bounded(100, markFilter), "consumed": {Head: 500, Text: markConsumed}, "in turn": {Text: markResult},
		"share":   {Head: 9, Text: markInTurn},
		"cleared": {Text: cleared(&a, 9)}, "evicted": {Text: evicted(&a), Quote: evictPreview},
		"words":    {Head: 120, Text: markWords},
		"argument": {Text: markArgument, Over: 500}, "bulk": {Text: markBulk, Over: 500, Head: 20},
		"written": {Text: markWritten}, "repeated": {Text: markRepeated},
		"again": {Text: fmt.Sprintf(markAgain, a.label())},
	} {
		shown, _ := e.cut(text, e.Head+e.Tail)
		if marker, _ := (Write{Content: shown}).Marker(); marker == "" {
			t.Errorf("%s: %q is written", name, shown)
		}
		if marker, _ := (Write{Content: "a\n" + shown[e.Head:] + "\nb",
			Shown: true}).Marker(); marker == "" && name != "bulk" {
			t.Errorf("%s, in the middle: %q is written", name, shown)
		}
	}
}

func FuzzGuard(f *testing.F) {
	for _, form := range forms {
		f.Add("a\n"+sampleOf(form)+"\n", "b")
	}
	f.Add("[cleared: [cleared: ]]\nArtifact: 0123456789ab", "")
	f.Fuzz(func(t *testing.T, content, present string) {
		w := Write{Path: "p", Content: content, Present: present, Shown: true}
		marker, _ := w.Marker()
		if marker != "" && (!strings.Contains(content, marker) || strings.Contains(marker, "\n") ||
			!endMarker().MatchString(marker)) {
			t.Errorf("marker %q in %q", marker, content)
		}
		if w.Present = content; marker != "" {
			if again, _ := w.Marker(); again != "" {
				t.Errorf("what the file has is refused: %q", again)
			}
		}
	})
}
