package claudecode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
