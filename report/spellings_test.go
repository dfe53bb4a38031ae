package report

import (
	"fmt"
	"testing"
	"time"

	"ctxledger.dev/tokens"
)

// TestSpellingsOfAPathAreOneFile: a file that is read by every spelling of its path is one line of an audit, within a session and over several.
func TestSpellingsOfAPathAreOneFile(t *testing.T) {
	for _, c := range []struct {
		project, shown string
		spellings      []string
	}{
		{`C:\proj`, `C:\proj\a\B.go`, []string{`C:\proj\a\B.go`, "c:/proj/a/B.go", `\\?\C:\proj\a\B.go`,
			"/mnt/c/proj/a/B.go",
			`a\B.go`, `C:\PROJ\a\b.go`}},
		{"/p", `\\server\share\x`, []string{`\\server\share\x`, `\\?\UNC\server\share\x`, `\\SERVER\share\x`}},
		{"/p", "/p/a/B.go", []string{"/p/a/B.go", "a/B.go", "./a/B.go"}},
	} {
		var all []*Measured
		for range 2 {
			m := NewMeter(tokens.Builtin(), Session{ID: fmt.Sprint(len(all)), Project: c.project})
			for i, p := range append(c.spellings, "/p/other/"+c.spellings[0][:1], `/p/a\B.go`) {
				id := fmt.Sprint(len(all), "-", i)
				m.Add(Entry{ID: id, Request: asked(id, "gpt-4o", tokens.Used{Input: 10}),
					Pieces: []Piece{{Class: Assistant, Call: id, Action: &Action{Tool: "Read", Read: p}},
						{Class: Result, Call: id}}})
			}
			all = append(all, m.End())
		}
		found, again := map[string]int{}, 0
		for _, f := range Merge(all, time.UTC).Read {
			found[f.Path] = f.Reads
			again += f.Again
		}
		if n := 2 * (len(c.spellings) - 1); again != n {
			t.Errorf("%s: read again %d times, want %d", c.project, again, n)
		}
		if len(found) != 3 || found[c.shown] != 2*len(c.spellings) {
			t.Errorf("%s: %v, want 3 files, and %q read %d times", c.project, found, c.shown, 2*len(c.spellings))
		}
	}
}
