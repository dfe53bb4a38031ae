package safefs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
)

func TestLinksOfTheUserToTheUsersOwnAreFollowed(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	at := func(name string) string { return filepath.Join(home, filepath.FromSlash(name)) }
	put(t, at("store/p/s.jsonl"), "x")
	put(t, at("dir/s.jsonl"), "x")
	for name, to := range map[string]string{"file": "../store/p/s.jsonl", "twice": "file", "project": "../store/p",
		"above": "..", "itself": ".", "root": "/", "gone": "nowhere", "circle": "circle"} {
		if err := os.Symlink(to, at("dir/"+name)); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	for name, want := range map[string]string{"s.jsonl": "dir/s.jsonl", "file": "store/p/s.jsonl",
		"twice": "store/p/s.jsonl", "project": "store/p",
		"above": "", "itself": "", "root": "", "gone": "", "circle": ""} {
		real, info, err := Target(at("dir/" + name))
		switch {
		case want == "" && err == nil:
			t.Errorf("%s is followed to %s", name, real)
		case want != "" && (err != nil || real != at(want) || info.Name() != filepath.Base(want)):
			t.Errorf("%s leads to %s, %v", name, real, err)
		}
		file, _, err := OpenTarget(at("dir/" + name))
		if (err == nil) != (want == "store/p/s.jsonl") {
			t.Errorf("opening %s: %v", name, err)
		}
		if err == nil {
			_ = file.Close() // only read
		}
		if tree, err := OpenTargetTree(at("dir/" + name)); err == nil {
			_ = tree.Close() // only read
		} else if want == "store/p" {
			t.Errorf("opening %s: %v", name, err)
		}
	}
	for name, change := range map[string]string{"file": "store/p/s.jsonl", "project": "dir/project"} {
		if err := os.Lchown(at(change), os.Getuid()+1, -1); err != nil {
			t.Skip(err) // only root can give files away
		}
		_, _, err := Target(at("dir/" + name))
		if !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "another user") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
