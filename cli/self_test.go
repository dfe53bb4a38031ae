package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestSelfIsWhatTheShellFinds: a command that is told starts this program, whatever else PATH has.
func TestSelfIsWhatTheShellFinds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the files have another name and the path other quotes")
	}
	top := t.TempDir()
	own := filepath.Join(top, "its own", "ctxledger")
	for _, path := range []string{own, filepath.Join(top, "other", "ctxledger")} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	linked := filepath.Join(top, "linked")
	if err := os.Mkdir(linked, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(own, filepath.Join(linked, "ctxledger")); err != nil {
		t.Fatal(err)
	}
	quoted := self("'" + own + "'")
	for _, c := range []struct {
		what string
		path []string
		want self
	}{
		{"nothing", nil, quoted},
		{"its directory", []string{"/usr/bin", filepath.Dir(own)}, named},
		{"a link", []string{linked}, named},
		{"another first", []string{filepath.Join(top, "other"), filepath.Dir(own)}, quoted},
		{"it first", []string{linked, filepath.Join(top, "other")}, named},
	} {
		var path string
		for i, dir := range c.path {
			if i > 0 {
				path += string(filepath.ListSeparator)
			}
			path += dir
		}
		if got := selfAt(own, path); got != c.want {
			t.Errorf("PATH has %s: %s, want %s", c.what, got, c.want)
		}
	}
	if got, want := quoted.in("`ctxledger x` deletes"), "`'"+own+"' x` deletes"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
