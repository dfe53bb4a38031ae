package claudecode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/internal/env"
)

func TestProjectDir(t *testing.T) {
	vars := map[string]string{}
	e := env.Env{Home: "/home/dev", Lookup: func(name string) string { return vars[name] }}
	for _, c := range []struct{ config, workspace, want string }{
		{"", "/srv/app.v2/a_b", "/home/dev/.claude/projects/-srv-app-v2-a-b"},
		{"/cfg", "/srv/x", "/cfg/projects/-srv-x"},
		{"", "/srv/größe", "/home/dev/.claude/projects/-srv-gr--e"},
		{"", "/srv/😀", "/home/dev/.claude/projects/-srv---"}, // two UTF-16 units
		{"", "/" + strings.Repeat("a", 199), "/home/dev/.claude/projects/-" + strings.Repeat("a", 199)},
		{"", "/" + strings.Repeat("a", 200), "/home/dev/.claude/projects/-" + strings.Repeat("a", 199) + "-b6ymvl"},
	} {
		vars["CLAUDE_CONFIG_DIR"] = c.config
		if got := ProjectDir(e, c.workspace); got != filepath.FromSlash(c.want) {
			t.Errorf("ProjectDir(%q) = %s, want %s", c.workspace, got, c.want)
		}
	}
}

func TestProjectDirOfALinkedWorkspaceIsThatOfItsTarget(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip("no symbolic links here")
	}
	e := env.Env{Home: "/h", Lookup: func(string) string { return "" }}
	if a, b := ProjectDir(e, dir), ProjectDir(e, link); a != b {
		t.Errorf("%s and %s", a, b)
	}
}

func TestFilesAreListedNewestFirst(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "s1", "subagents"), 0o700); err != nil {
		t.Fatal(err)
	}
	at := func(minute int) time.Time { return noon.Add(time.Duration(minute) * time.Minute) }
	for name, minute := range map[string]int{"s1.jsonl": 1, "s2.jsonl": 3, "s1/subagents/agent-a.jsonl": 2, "s1/note.jsonl": 9, "x.txt": 9} {
		path := filepath.Join(dir, name)
		appendTo(t, path, "ab")
		if err := os.Chtimes(path, at(minute), at(minute)); err != nil {
			t.Fatal(err)
		}
	}
	_ = os.Symlink(filepath.Join(dir, "x.txt"), filepath.Join(dir, "linked.jsonl")) // is not followed
	got, err := Files(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range got {
		rel, _ := filepath.Rel(dir, f.Path)
		names = append(names, filepath.ToSlash(rel))
		if f.Size != 2 || f.Subagent != strings.Contains(rel, "agent-") {
			t.Errorf("%+v", f)
		}
	}
	if d := cmp.Diff([]string{"s2.jsonl", "s1/subagents/agent-a.jsonl", "s1.jsonl"}, names); d != "" {
		t.Error(d)
	}
	if none, err := Files(filepath.Join(dir, "none")); err != nil || none != nil {
		t.Errorf("a missing directory: %v, %v", none, err)
	}
}
