package agents

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFilesAreListedNewestFirst(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "s1", "subagents"), 0o700); err != nil {
		t.Fatal(err)
	}
	at := func(minute int) time.Time { return noon.Add(time.Duration(minute) * time.Minute) }
	for name, minute := range map[string]int{
		"s1.jsonl": 1, "s2.jsonl": 3, "s1/subagents/agent-a.jsonl": 2, "s1/note.jsonl": 9, "x.txt": 9,
	} {
		path := filepath.Join(dir, name)
		appendTo(t, path, "ab")
		if err := os.Chtimes(path, at(minute), at(minute)); err != nil {
			t.Fatal(err)
		}
	}
	other := filepath.Join(t.TempDir(), "other.jsonl")
	appendTo(t, other, "ab")
	for name, to := range map[string]string{"linked": filepath.Join(dir, "x.txt"), "first": other, "second": other} {
		_ = os.Symlink(to, filepath.Join(dir, name+".jsonl")) // neither a text nor one file by two names is followed
	}
	f := newFollower(nil, Adapters()[0], FollowOptions{})
	got, err := f.files(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range got {
		rel, _ := filepath.Rel(dir, f.path)
		names = append(names, filepath.ToSlash(rel))
		if f.size != 2 {
			t.Errorf("%+v", f)
		}
	}
	if d := cmp.Diff([]string{"first.jsonl", "s2.jsonl", "s1/subagents/agent-a.jsonl", "s1.jsonl"}, names); d != "" {
		t.Error(d)
	}
	if none, err := f.files(filepath.Join(dir, "none"), ""); err != nil || none != nil {
		t.Errorf("a missing directory: %v, %v", none, err)
	}
}
