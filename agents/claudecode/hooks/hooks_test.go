package hooks

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestEveryEventHasItsAnswers reads testdata/*.txtar: the input of an event as Claude Code 2.1.328 writes it (with other
// paths and shorter texts), and everything that can be answered to it.
func TestEveryEventHasItsAnswers(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatal(err, files)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			event, input, want, head := sections(t, name)
			got := described(event, input)
			if *update {
				if err := os.WriteFile(name, []byte(head+got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want != got {
				t.Errorf("got:\n%s", got)
			}
		})
	}
}

// sections reads a golden file: the event, its input, the answers, and the comment before them.
func sections(t testing.TB, name string) (event string, input []byte, want, head string) {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const in, out = "-- input --\n", "-- answers --\n"
	head, want, _ = strings.Cut(string(raw), out)
	comment, text, found := strings.Cut(head, in)
	if !found {
		t.Fatalf("%s has no input", name)
	}
	event, _, _ = strings.Cut(comment, " ")
	return event, []byte(text), want, head + out
}

// described tells what an input is decoded to, and everything that can be answered.
func described(event string, raw []byte) string {
	e, ok := Decode(event, raw)
	if !ok {
		return "no event\n"
	}
	var b strings.Builder
	id, parent := e.HostID()
	fmt.Fprintf(&b, "session %s of %q, saved results in %q\n", id, parent, filepath.ToSlash(e.Saved()))
	if r, ok := e.Result(); ok {
		fmt.Fprintf(&b, "result %q, file %q of %d bytes, paged %t\n", r.Text, r.File, r.Size, e.Paged())
		fmt.Fprintf(&b, "replace: %s", e.Replace(r, "STUB <of> it\nsecond line"))
	}
	for _, a := range []struct {
		name string
		out  []byte
	}{{"context", e.Context("TEXT")}, {"note", e.Note("TEXT")}, {"deny", e.Deny("REASON")}, {"allow", e.Allow()},
		{"instructions", e.Instructions("{TEXT")}} {
		if a.out != nil {
			fmt.Fprintf(&b, "%s: %s", a.name, a.out)
		}
	}
	return b.String()
}

// FuzzWhateverIsDecodedIsAnsweredInItsShape: an answer is one JSON object that says which event it is for, and what
// replaces a result can be read as a result of the same shape, with the new text.
func FuzzWhateverIsDecodedIsAnsweredInItsShape(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		event, input, _, _ := sections(f, name)
		f.Add(event, input)
	}
	f.Fuzz(func(t *testing.T, event string, raw []byte) {
		e, ok := Decode(event, raw)
		if !ok {
			return
		}
		for _, out := range [][]byte{e.Context("a\nb"), e.Note("a\nb"), e.Deny("a\nb"), e.Allow()} {
			var back struct {
				Specific specific `json:"hookSpecificOutput"`
			}
			if out != nil && (json.Unmarshal(out, &back) != nil || back.Specific.Event != event) {
				t.Fatalf("%s: %s", event, out)
			}
		}
		out := e.Instructions("{" + string(raw))
		if len(out) > 0 && bytes.HasPrefix(bytes.TrimSpace(out), []byte("{")) {
			t.Fatalf("an instruction that is taken for JSON: %.100q", out)
		}
		r, ok := e.Result()
		if !ok {
			return
		}
		var back struct {
			Specific struct {
				Output json.RawMessage `json:"updatedToolOutput"`
			} `json:"hookSpecificOutput"`
		}
		const stub = "a stub\nof two lines"
		if err := json.Unmarshal(e.Replace(r, stub), &back); err != nil {
			t.Fatal(err)
		}
		e.Response = back.Specific.Output
		again, ok := e.Result()
		if !ok || again.Text != stub || again.shape != r.shape || again.File != "" {
			t.Fatalf("%s is replaced by %s", raw, back.Specific.Output)
		}
	})
}
