package ctxledger

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/changes"
	"ctxledger.dev/internal/env"
)

// TestAnEditMakesStaleWhatWasReadInItsTree has a session in every tree read a file of the same name, and changes it
// outside the session: what the session of that tree read is stale, unless the tree says follow: false, and
// nothing else is.
func TestAnEditMakesStaleWhatWasReadInItsTree(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not on the path")
	}
	const nested = "shop/.claude/worktrees/try"
	all := []string{"shop", "fix", nested}
	for _, c := range []struct {
		name   string
		edited string
		silent string // the tree that says follow: false
		always bool   // without -worktrees, too
	}{
		{"in a worktree", "fix", "", true},
		{"in the main tree", "shop", "", false},
		{"in a worktree inside the main tree", nested, "", false},
		{"in a worktree, the main tree is not followed", "fix", "shop", false},
		{"in the worktree inside of a main tree that is not followed", nested, "shop", true},
		{"in the main tree, a worktree is not followed", "shop", "fix", true},
	} {
		if !c.always && !*allWorktrees {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			m := layOut(t)
			for _, tree := range all {
				m.file(tree+"/a.go", "package a\n")
			}
			ids := map[string]string{}
			for i, tree := range all {
				ids[tree] = id(100 + i)
				m.reads(tree, ids[tree])
			}
			if c.silent != "" {
				m.file(c.silent+"/ctxledger.yaml", "follow: false\n")
			}
			stale, enough := map[string][]string{}, time.Now().Add(time.Minute)
			for n := 0; len(stale[c.edited]) == 0 && time.Now().Before(enough); n++ { // until somebody looks
				m.file(c.edited+"/a.go", fmt.Sprintf("package a // %d\n", n))
				stale = m.stale("fix")
			}
			for _, tree := range all {
				rel := "a.go"
				if tree == nested {
					rel = ".claude/worktrees/try/a.go"
				}
				want := []string(nil)
				if tree == c.edited {
					want = []string{rel}
				}
				if got := stale[tree]; !slices.Equal(got, want) {
					t.Errorf("stale of %s: %q, want %q", tree, got, want)
				}
			}
			if _, recorded := stale[c.silent]; c.silent != "" && recorded {
				t.Errorf("a session of %s is recorded", c.silent)
			}
			other := "shop"
			if c.edited == other {
				other = "fix"
			}
			in := "shop" // the tree that the path is relative to
			if c.edited == "fix" {
				in = "fix"
			}
			rel, err := filepath.Rel(filepath.Join(m.home, in), filepath.Join(m.home, c.edited, "a.go"))
			if err != nil {
				t.Fatal(err)
			}
			for _, command := range []string{"changes", "why"} {
				out := string(m.run(other, "ctxledger", command, filepath.ToSlash(rel)))
				if shown := strings.Contains(out, " in "+m.home[:4]); shown != (in != other) { // cells are cut
					t.Errorf("%s in %s of a change in %s:\n%s", command, other, in, out)
				}
			}
		})
	}
}

// reads writes a session in a tree that has read a.go.
func (m *matrix) reads(tree, id string) {
	m.t.Helper()
	dir := filepath.Join(m.home, tree)
	var lines []byte
	for i, message := range []any{
		map[string]any{"role": "user", "content": "read a.go"},
		map[string]any{"role": "assistant", "content": []any{map[string]any{
			"type": "tool_use", "id": "r", "name": "Read",
			"input": map[string]string{"file_path": filepath.Join(dir, "a.go")},
		}}},
	} {
		line, err := json.Marshal(map[string]any{
			"type": []string{"user", "assistant"}[i], "uuid": fmt.Sprint(id, i), "sessionId": id, "cwd": dir,
			"timestamp": time.Now().UTC().Add(-time.Minute), "version": "2.1.330", "message": message,
		})
		if err != nil {
			m.t.Fatal(err)
		}
		lines = append(append(lines, line...), '\n')
	}
	e := env.Env{Home: m.home, Lookup: func(string) string { return "" }}
	rel, err := filepath.Rel(m.home, claudecode.ProjectDir(e, dir))
	if err != nil {
		m.t.Fatal(err)
	}
	m.file(filepath.Join(rel, id+".jsonl"), string(lines))
}

// stale returns what each recorded session has read and others have changed, by the tree that it ran in.
func (m *matrix) stale(dir string) map[string][]string {
	m.t.Helper()
	found := map[string][]string{}
	for _, s := range m.list(dir) {
		var resp struct {
			Stale []changes.Stale `json:"stale"`
		}
		if err := json.Unmarshal(m.run(dir, "ctxledger", "changes", "--json", "--session", s.ID), &resp); err != nil {
			m.t.Fatal(err)
		}
		tree, err := filepath.Rel(m.home, s.Tree)
		if err != nil {
			m.t.Fatal(err)
		}
		found[filepath.ToSlash(tree)] = nil
		for _, f := range resp.Stale {
			found[filepath.ToSlash(tree)] = append(found[filepath.ToSlash(tree)], f.Path)
		}
	}
	return found
}
