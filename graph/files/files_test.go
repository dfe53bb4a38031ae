package files

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ctxledger.dev/graph"
	"ctxledger.dev/internal/fault"
)

// TestNothingOutsideOfTheDirectoryIsRead names documents inside, and outside in each way that there is.
func TestNothingOutsideOfTheDirectoryIsRead(t *testing.T) {
	top := t.TempDir()
	root := filepath.Join(top, "root")
	for name, text := range map[string]string{"root/a.md": "# A\n", "root/sub/b.md": "# B\n", "out.md": "# Out\n"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(top, name)), 0o755),
			os.WriteFile(filepath.Join(top, name), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(top, "out.md"), filepath.Join(root, "link.md")); err != nil {
		t.Fatal(err)
	}
	r, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() // only read
	for _, c := range []struct {
		from, path, want string
		err              error
	}{
		{"", "a.md", "a.md", nil},
		{"a.md", "sub/b.md", "sub/b.md", nil},
		{"sub/b.md", "../a.md", "a.md", nil},
		{"sub/b.md", "../a.md/plan/*", "a.md", nil},
		{"a.md", "../out.md", "", graph.ErrOutside},
		{"sub/b.md", "../../out.md", "", graph.ErrOutside},
		{"a.md", filepath.Join(top, "out.md"), "", graph.ErrOutside},
		{"a.md", "link.md", "", graph.ErrOutside},
		{"a.md", "none.md", "", fault.New(fault.NotFound, "", "")},
		{"a.md", "sub", "", fault.New(fault.NotFound, "", "")},
	} {
		d, err := r.Read(c.from, c.path)
		switch {
		case c.want != "":
			if err != nil || d.Path != c.want {
				t.Errorf("%s in %s is %v, %v", c.path, c.from, d, err)
			}
		case errors.Is(c.err, graph.ErrOutside) != errors.Is(err, graph.ErrOutside), err == nil:
			t.Errorf("%s in %s: %v, want %v", c.path, c.from, err, c.err)
		}
	}
}
