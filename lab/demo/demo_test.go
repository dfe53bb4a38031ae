package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"ctxledger.dev/lab/programtest"
)

// columns is how wide a terminal has to be for the text.
const columns = 100

// built builds the programs and returns their directory. The tests run in the module's root.
func built(t *testing.T) string {
	t.Helper()
	t.Chdir("../..")
	bin := t.TempDir()
	if err := programtest.Build(bin, programtest.Programs); err != nil {
		t.Fatal(err)
	}
	return bin
}

func TestDemoShowsTheMainJobAndLeavesNothing(t *testing.T) {
	bin := built(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	var out bytes.Buffer
	if err := run(t.Context(), &out, person(t.TempDir(), ""), bin); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{"1  Start", "2  Import", "3  Compact", "4  Restore", "5  Read", "6  Remember",
		"7  Changes", "Done in"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
	if n := strings.Count(out.String(), "✓ "); n != 4 { // the legend, and three comparisons
		t.Errorf("%d comparisons are marked", n)
	}
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > columns {
			t.Errorf("%d columns: %s", n, line)
		}
		if strings.ContainsAny(line, "\x1b\t\r") {
			t.Errorf("control characters in %q", line)
		}
	}
	left, err := os.ReadDir(temp)
	if err != nil || len(left) > 0 && !strings.HasPrefix(left[0].Name(), "ctxledger-") { // sockets of long paths
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestDemoFailsWhenTheBytesAreNotThoseOfTheFile(t *testing.T) {
	bin := built(t)
	for what, spoil := range map[string]func(*recorded){
		"artifact read": func(r *recorded) {
			r.raw = bytes.ReplaceAll(r.raw, []byte("never float"), []byte("never FLOAT"))
		},
		"artifact": func(r *recorded) {
			for call, text := range r.results {
				r.results[call] = strings.Replace(text, "LAMP", "LUMP", -1)
			}
		},
	} {
		rec, err := readRecording(recording)
		if err != nil {
			t.Fatal(err)
		}
		spoil(&rec)
		var out bytes.Buffer
		if err := show(t.Context(), &out, rec, bin); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: error %v", what, err)
		}
	}
}
