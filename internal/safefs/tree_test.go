package safefs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func put(t testing.TB, path, content string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(content), 0o600))
}

func open(t testing.TB, dir string) *Tree {
	t.Helper()
	tree, err := Open(dir)
	must(t, err)
	t.Cleanup(func() { _ = tree.Close() })
	return tree
}

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// secret is the content of files outside the tree.
const secret = "must not be read"

// place makes a tree and a sibling directory outside of it.
func place(t testing.TB) (root, outside string) {
	base := t.TempDir()
	root, outside = filepath.Join(base, "tree"), filepath.Join(base, "tree-evil")
	put(t, filepath.Join(root, "a.txt"), "a")
	put(t, filepath.Join(root, "d", "b.txt"), "b")
	put(t, filepath.Join(outside, "s.txt"), secret)
	return root, outside
}

func TestWhatAPathLeadsTo(t *testing.T) {
	root, _ := place(t)
	must(t, os.Symlink("a.txt", filepath.Join(root, "link")))
	must(t, os.Symlink("d", filepath.Join(root, "dlink")))
	must(t, os.Symlink("nowhere", filepath.Join(root, "dangling")))
	must(t, os.Symlink("loop", filepath.Join(root, "loop")))
	tree := open(t, root)
	for name, want := range map[string]string{ // the kind's number, and whether it is a link
		"a.txt": "1 false", "d": "2 false", ".": "2 false", "none": "0 false", "a.txt/x": "0 false",
		"d/b.txt": "1 false", "link": "1 true",
		"dlink": "2 true", "dlink/b.txt": "1 false", "dangling": "3 true", "loop": "3 true",
		strings.Repeat("x", 300): "0 false",
	} {
		info, err := tree.Stat(name)
		if got := fmt.Sprintf("%d %v", info.Kind, info.Link); err != nil || got != want {
			t.Errorf("%.20q: %s, %v; want %s", name, got, err, want)
		}
	}
	entries, more, err := tree.List(".", 10)
	names := ""
	for _, e := range entries {
		names += e.Name + " "
	}
	if err != nil || more || names != "a.txt d dangling dlink link loop " {
		t.Errorf("entries %q, %v, %v", names, more, err)
	}
	if entries, more, err := tree.List(".", 5); len(entries) > 0 || !more || err != nil {
		t.Errorf("of more than the limit: %v, %v, %v", entries, more, err)
	}
	if entries, _, err := tree.List("none", 5); len(entries) > 0 || err != nil {
		t.Errorf("of what is not there: %v, %v", entries, err)
	}
}

func TestHashes(t *testing.T) {
	root, _ := place(t)
	tree := open(t, root)
	for _, test := range []struct {
		name string
		most int64
		want string
		kind Kind
	}{{"a.txt", 1, sum("a"), File}, {"a.txt", 0, "", File}, {"d", 10, "", Dir}, {"none", 10, "", Absent}} {
		got, info, err := tree.Hash(test.name, test.most)
		if err != nil || got != (Sums{test.want, test.want}) || info.Kind != test.kind {
			t.Errorf("%s, at most %d: %+v, %+v, %v", test.name, test.most, got, info, err)
		}
	}
	if got := tree.Read("a.txt", 1); string(got) != "a" {
		t.Errorf("read %q", got)
	}
	if tree.Read("a.txt", 0) != nil || tree.Read("none", 9) != nil || tree.Read("d", 9) != nil {
		t.Error("read what is too large, or no file")
	}
}

func TestAReplacedTreeIsNoticed(t *testing.T) {
	root, _ := place(t)
	tree := open(t, root)
	if tree.Replaced() {
		t.Error("at first")
	}
	must(t, os.Rename(root, root+".old"))
	if !tree.Replaced() {
		t.Error("moved away")
	}
	must(t, os.Mkdir(root, 0o700))
	if !tree.Replaced() {
		t.Error("another one in its place")
	}
	if _, err := Open(root + "/none"); !fault.Is(err, fault.NotFound) {
		t.Errorf("a tree that is not there: %v", err)
	}
}

// outsiders are paths that lead out of the tree, made from its root and a directory outside.
func outsiders(t testing.TB, root, outside string) []string {
	link := func(name, target string) string {
		must(t, os.Symlink(target, filepath.Join(root, name)))
		return name
	}
	must(t, os.MkdirAll(filepath.Join(root, "in/deep"), 0o700))
	return []string{
		"../tree-evil/s.txt", "d/../../tree-evil/s.txt", outside + "/s.txt", "/etc/hostname", "/proc/self/environ",
		"..", "../", "d/../..", "a.txt\x00", "\x00",
		link("l-abs", outside+"/s.txt"), link("l-rel", "../tree-evil/s.txt"),
		link("l-dir", outside) + "/s.txt", "l-dir",
		link("l-chain", "l-abs"), link("l-root", "/") + "/etc/hostname",
		link("l-proc", "/proc/self/fd") + "/0", link("l-zero", "/dev/zero"),
		link("l-self", root+"/a.txt"), link("in/l-up", "../../tree-evil") + "/s.txt",
		link("in/deep/l-up", "../..") + "/../tree-evil/s.txt",
		link("l-dotdot", "..") + "/tree-evil/s.txt", link("l-twin", root+"-evil/s.txt"),
	}
}

// spellings are other ways to write a path that lead to the same place, or to none.
func spellings(name string) []string {
	all := []string{name}
	for _, before := range []string{"./", ".//", "d/../", "d//../", "d/./../", "in/deep/../../", "none/../"} {
		all = append(all, before+name)
	}
	for _, behind := range []string{"/", "//", "/.", "/./", "/d/..", "/../" + name} {
		all = append(all, name+behind)
	}
	for _, r := range [][2]string{
		{"/", "//"}, {"/", "/./"}, {"/", `\`}, {"..", "%2e%2e"}, {"/", "%2f"}, {".", "．"}, {"..", ".. "},
	} {
		if other := strings.ReplaceAll(name, r[0], r[1]); other != name {
			all = append(all, other)
		}
	}
	return all
}

func TestInvariant10NoPathLeadsOutOfTheTree(t *testing.T) {
	root, outside := place(t)
	tree := open(t, root)
	var names []string
	for _, name := range outsiders(t, root, outside) {
		names = append(names, spellings(name)...)
	}
	t.Logf("%d paths", len(names))
	for _, name := range names {
		info, err := tree.Stat(name)
		if err == nil && (info.Kind == File || info.Kind == Dir) {
			t.Errorf("%q: leads to %+v", name, info)
		}
		if got, _, _ := tree.Hash(name, 1<<20); got != (Sums{}) {
			t.Errorf("%q: was read", name)
		}
		if got := tree.Read(name, 1<<20); got != nil {
			t.Errorf("%q: was read: %q", name, got)
		}
		if entries, more, _ := tree.List(name, 1000); len(entries) > 0 || more {
			t.Errorf("%q: was listed", name)
		}
	}
}
