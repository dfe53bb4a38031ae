package ignore

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// odd are names of which a careless line would say something else, and neighbours that it would hit.
var odd = []string{"a", "ab", "a*", "a?", "a[b]", "[!a]", "!a", "#a", `a\b`, "a b", "a ", " a", "a  ", "**", "é", "漢",
	"{a,b}", "-a", "a.min.js"}

// TestGitIgnoresWhatALineNames asks git itself, of each name at two depths.
func TestGitIgnoresWhatALineNames(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not on the path")
	}
	root := t.TempDir()
	git(t, root, "init", "-q")
	var files []string
	for _, dir := range []string{"", "d/", "a*d/"} {
		for _, name := range odd {
			files = append(files, dir+name)
			if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(root, dir+name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range append(slices.Clone(files), "d/", "a*d/") {
		bare, dir := strings.CutSuffix(name, "/")
		line, ok := Line(bare, dir)
		if !ok {
			t.Errorf("there is no line for %q", name)
			continue
		}
		if err := os.WriteFile(filepath.Join(root, ".gitignore"), []byte(line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, f := range files {
			if f == name || dir && strings.HasPrefix(f, name) {
				want = append(want, f)
			}
		}
		got := strings.Split(strings.TrimSuffix(git(t, root, "ls-files", "-o", "-i", "--exclude-standard", "-z"),
			"\x00"), "\x00")
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("with %q for %q, git ignores %q, not %q", line, name, got, want)
		}
	}
}

// FuzzALineIsAboutOnePath: what a line names is ignored, and nothing else but its contents.
func FuzzALineIsAboutOnePath(f *testing.F) {
	for i, name := range odd {
		f.Add(name, odd[(i+1)%len(odd)], i%2 == 0)
	}
	f.Add("a/../b", "a", true)
	f.Add("a\nb", "a", false)
	f.Fuzz(func(t *testing.T, name, other string, dir bool) {
		line, ok := Line(name, dir)
		if !ok {
			return
		}
		if strings.ContainsAny(line, "\r\n") {
			t.Fatalf("%q takes more than a line: %q", name, line)
		}
		r := rules(map[string]string{".gitignore": line + "\n"})
		if !r.Ignored(name, dir) {
			t.Fatalf("%q does not name %q", line, name)
		}
		_, ok = Line(other, false)
		if ok && r.Ignored(other, false) && !strings.HasPrefix(other, name+"/") && (dir || other != name) {
			t.Fatalf("%q names %q too", line, other)
		}
	})
}
