package engine_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/paths"
	"ctxledger.dev/ledger"
)

// TestSpellingsOfAPathAreOneFile lets a session read, change and list a file by every spelling of its path, inside its
// directory and outside, and asks for its history, what became stale, and the document.
func TestSpellingsOfAPathAreOneFile(t *testing.T) {
	for _, c := range []struct {
		dir, stored string
		spellings   []string
	}{
		{`C:\Users\dev\shop`, "a/B.go", []string{`C:\Users\dev\shop\a\B.go`, "c:/Users/dev/shop/a/B.go", `a\B.go`,
			`\\?\C:\Users\dev\shop\a\B.go`, "/mnt/c/Users/dev/shop/a/B.go", `c:\users\DEV\shop\a\B.go`}},
		{`C:\Users\dev\shop`, "C:/lib/a/B.go", []string{`C:\lib\a\B.go`, "c:/lib/a/B.go", `\\?\C:\lib\a\B.go`,
			"/mnt/c/lib/a/B.go", `..\..\..\lib\a\B.go`}},
		{"/mnt/c/shop", "a/B.go", []string{"/mnt/c/shop/a/B.go", `C:\shop\a\B.go`, "a/B.go", "c:/shop/a/B.go"}},
		{`\\server\share\shop`, "a/B.go", []string{`\\server\share\shop\a\B.go`, `\\?\UNC\server\share\shop\a\B.go`,
			`\\Server\Share\shop/a/B.go`, `a\B.go`, "//server/share/shop/a/B.go"}},
		{"/home/dev/shop", `\\server\share/a/B.go`, []string{`\\server\share\a\B.go`, `\\?\UNC\server\share\a\B.go`}},
		{"/home/dev/shop", `a\B.go`, []string{`a\B.go`, `./a\B.go`, `/home/dev/shop/a\B.go`}},
	} {
		t.Run(c.dir+" "+c.stored, func(t *testing.T) {
			l, _ := openIn(t, t.TempDir(), t.TempDir())
			s, other := hookedSession(c.dir), hookedSession(c.dir)
			other.HostID = "ffffffff-1111-4222-8333-444455556666"
			log, n := []string{`{"role":"user","content":"Read them all, and rewrite them."}`}, len(c.spellings)
			for i, p := range c.spellings {
				log = append(log, done(t, fmt.Sprint("r", i), "Read", map[string]any{"file_path": p})...)
			}
			id := recorded(t, l, s, 0, log...)
			var edits []string
			for i, p := range c.spellings {
				edits = append(edits, done(t, fmt.Sprint("w", i), "Write", map[string]any{"file_path": p,
					"content": fmt.Sprint("package a // ", i)})...)
			}
			recorded(t, l, other, 0, `{"role":"user","content":"Write."}`)
			writer := recorded(t, l, other, 1, edits...)

			for _, p := range append([]string{c.stored}, c.spellings...) {
				if p != c.stored && !paths.IsAbs(p) {
					continue // it is below a directory that is not here
				}
				h, err := l.FileHistory(t.Context(), ledger.FileHistoryRequest{Path: p})
				if err != nil || len(h.Reads) != n || len(h.Intents) != n || len(h.Changes) != n {
					t.Errorf("%q: %d reads, %d intents, %d changes, %v", p, len(h.Reads), len(h.Intents),
						len(h.Changes), err)
				}
			}
			page, err := l.Changes(t.Context(), ledger.ChangesRequest{Session: id})
			if err != nil || len(page.Stale) != 1 || page.Stale[0].Path != c.stored {
				t.Errorf("stale: %+v, %v", page.Stale, err)
			}
			p, err := l.PlanCompaction(t.Context(), ledger.PlanCompactionRequest{Session: writer,
				Options: compaction.Options{Mode: compaction.Intent, Whole: true}})
			if err != nil {
				t.Fatal(err)
			}
			lines := slices.DeleteFunc(strings.Split(p.Summary.Text, "\n"), func(line string) bool {
				return !strings.HasPrefix(line, "  - ") || !strings.Contains(line, "B.go")
			})
			if len(lines) != 1 {
				t.Errorf("the document lists the file %d times: %q", len(lines), lines)
			}
		})
	}
}

// done returns a call and its result.
func done(t *testing.T, id, tool string, args map[string]any) []string {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return []string{
		`{"role":"assistant","content":[{"type":"tool_use","id":"` + id + `","name":"` + tool + `","input":` +
			string(raw) + `}]}`,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + id + `","content":"done"}]}`}
}
