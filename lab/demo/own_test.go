package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/internal/env"
)

// person returns the environment of somebody with a home directory.
func person(home, config string) env.Env {
	return env.Env{Home: home, Lookup: func(name string) string {
		if name == "CLAUDE_CONFIG_DIR" {
			return config
		}
		return ""
	}}
}

// put writes a file that was written some hours after another one.
func put(t *testing.T, path string, bytes, hours int) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, make([]byte, bytes), 0o000); err != nil { // 0: it cannot even be opened
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 1, hours, 0, 0, 0, time.UTC)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestOwnSessionsAreFoundByNameAndSizeAlone(t *testing.T) {
	for _, elsewhere := range []bool{false, true} {
		home := t.TempDir()
		config, e := filepath.Join(home, ".claude"), person(home, "")
		if elsewhere {
			config = filepath.Join(home, "con[fi]g")
			e = person(home, config)
		}
		projects := filepath.Join(config, "projects")
		put(t, filepath.Join(projects, "-a", "old.jsonl"), 2_000, 1)
		put(t, filepath.Join(projects, "-b", "new.jsonl"), 3_000, 2)
		put(t, filepath.Join(projects, "-b", "agent-sub.jsonl"), 100, 3)
		put(t, filepath.Join(projects, "-b", "empty.jsonl"), 0, 4)
		put(t, filepath.Join(projects, "-b", "notes.txt"), 10, 5)
		put(t, filepath.Join(projects, "-b", "deep", "other.jsonl"), 10, 6)
		if err := os.Symlink(filepath.Join(projects, "-a", "old.jsonl"),
			filepath.Join(projects, "-b", "link.jsonl")); err != nil {
			t.Log(err) // not every system lets everybody
		}
		got, err := findOwn(e)
		want := own{files: 2, bytes: 5_000, newest: filepath.Join(projects, "-b", "new.jsonl"), size: 3_000}
		if err != nil || got != want {
			t.Errorf("found %+v, %v; want %+v", got, err, want)
		}
		var out bytes.Buffer
		got.print(&out, "bin")
		if !strings.Contains(out.String(), quote(want.newest)) || !strings.Contains(out.String(), "2 sessions") {
			t.Errorf("printed %q", out.String())
		}
	}
}

func TestNobodysSessionsAreNotMentioned(t *testing.T) {
	for _, e := range []env.Env{person(t.TempDir(), ""), person("", ""), person("", t.TempDir())} {
		got, err := findOwn(e)
		var out bytes.Buffer
		got.print(&out, "bin")
		if err != nil || out.Len() > 0 {
			t.Errorf("%+v, %v; printed %q", got, err, out.String())
		}
	}
}

// FuzzQuotedPathsAreOneWord lets a shell read what quote wrote.
func FuzzQuotedPathsAreOneWord(f *testing.F) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		f.Skip("there is no shell here")
	}
	for _, s := range []string{"/home/me/a.jsonl", "/with space/it's", "$HOME/`x`", "~me",
		"a\"b\\c;d&e|f", "grüße/你好"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if path == "" || strings.ContainsRune(path, 0) {
			t.Skip("no path")
		}
		if os.PathSeparator == '\\' && strings.Contains(path, `\`) {
			t.Skip("a path of Windows, for a shell of Windows")
		}
		out, err := exec.Command(sh, "-c", "printf %s "+quote(path)).Output()
		if err != nil || string(out) != path {
			t.Errorf("%q became %q: %v", path, out, err)
		}
	})
}
