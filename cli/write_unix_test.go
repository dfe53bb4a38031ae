//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe at the name of a temporary file was once waited for, and a hard link there written through.
func TestAFileIsNeverWrittenIntoWhatIsThere(t *testing.T) {
	for what, plant := range map[string]func(other, temp string) error{
		"hard link": os.Link, "link": os.Symlink,
		"pipe": func(_, temp string) error { return syscall.Mkfifo(temp, 0o600) },
	} {
		dir := t.TempDir()
		other, file := filepath.Join(dir, "other"), filepath.Join(dir, "page.html")
		if err := os.WriteFile(other, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := plant(other, file+".tmp"); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := writeFile(root, "page.html", []byte("page")); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		root.Close() // nothing is written through it any more
		for path, want := range map[string]string{other: "mine", file: "page"} {
			if got, err := os.ReadFile(path); string(got) != want {
				t.Errorf("%s: %s holds %q, %v; want %q", what, path, got, err, want)
			}
		}
	}
}
