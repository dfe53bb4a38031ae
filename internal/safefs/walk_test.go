package safefs

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
)

// linked makes a tree with links of all kinds, and returns where it is.
func linked(t *testing.T) (at func(name string) string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	at = func(name string) string { return filepath.Join(home, filepath.FromSlash(name)) }
	put(t, at("root/a/one"), "1")
	put(t, at("root/b/c/two"), "2")
	put(t, at("store/x/three"), "3")
	put(t, at("store/y/z/four"), "4")
	for name, to := range map[string]string{
		"root/b/x": "../../store/x", "root/b/again": "x", "root/b/c/y": at("store/y"), "store/y/z/loop": at("root"),
		"root/b/above": "..", "root/gone": "nowhere", "root/file": "a/one", "store/y/five": "../x/three",
	} {
		if err := os.Symlink(filepath.FromSlash(to), at(name)); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	return at
}

// walked returns the directories that a walk yields, with what is in them.
func walked(t *testing.T, root string, levels int, enter func(string) bool) string {
	t.Helper()
	var all []string
	for d := range Walk(root, levels, enter) {
		entries, err := d.Entries()
		if rel, err := filepath.Rel(root, d.Path); err != nil || filepath.ToSlash(rel) != d.At {
			t.Errorf("%s is at %s, %v", d.Path, d.At, err)
		}
		if err != nil {
			all = append(all, d.At+": not")
			continue
		}
		n := 0
		for _, e := range entries {
			if e.Type().IsRegular() {
				n++
			}
		}
		all = append(all, d.At+strings.Repeat("+", n))
	}
	return strings.Join(all, " ")
}

func TestAWalkEntersEachDirectoryOnce(t *testing.T) {
	at := linked(t)
	for _, c := range []struct {
		levels int
		enter  func(at string) bool
		want   string
	}{
		{9, nil, ". a+ b b/above: not b/again+ b/c+ b/c/y b/c/y/z+ gone: not"},
		{1, nil, ". a+ b gone: not"},
		{9, func(at string) bool { return strings.HasPrefix(at, "b") && !strings.HasSuffix(at, "again") },
			". b b/above: not b/c+ b/c/y b/c/y/z+ b/x+"},
	} {
		if got := walked(t, at("root"), c.levels, c.enter); got != c.want {
			t.Errorf("%d levels:\n%s\nwant\n%s", c.levels, got, c.want)
		}
	}
	if got := walked(t, at("nowhere"), 9, nil); got != ".: not" {
		t.Errorf("nothing is walked as %s", got)
	}
	for range Walk(at("root"), 9, nil) {
		break // which ends it
	}
	if err := os.Lchown(at("store/y"), 12345, -1); err != nil {
		t.Skip(err) // only root can give files away
	}
	if got := walked(t, at("root"), 9, nil); !strings.Contains(got, "b/c/y: not") || strings.Contains(got, "y/z") {
		t.Errorf("what is another user's is walked: %s", got)
	}
}

func TestWhatAWalkFindsIsOpened(t *testing.T) {
	at := linked(t)
	put(t, at("outside"), "secret")
	for name, want := range map[string]string{
		"root/a/one": "1", "root/b/c/two": "2", "root/b/x/three": "3", "root/b/c/y/z/four": "4", "root/b/c/y/five": "3",
		"root/file": "1", "root/b/c/y/z/loop/a/one": "1", "root/b/above/a/one": "", "root/gone/x": "", "root/a": "",
		"outside": "",
	} {
		f, info, err := OpenFound(at("root"), at(name))
		if err != nil {
			if want != "" {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		text, err := io.ReadAll(f)
		if _ = f.Close(); err != nil || string(text) != want || info.Size() != int64(len(text)) {
			t.Errorf("%s has %q, want %q, %v", name, text, want, err)
		}
	}
	if err := os.Lchown(at("store/x"), 12345, -1); err != nil {
		t.Skip(err) // only root can give files away
	}
	if _, _, err := OpenFound(at("root"), at("root/b/x/three")); !fault.Is(err, fault.Denied) {
		t.Errorf("what is another user's is opened: %v", err)
	}
}
