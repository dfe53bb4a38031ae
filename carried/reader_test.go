package carried

import (
	"io/fs"
	"testing"

	"ctxledger.dev/internal/safefs"
)

// TestWhyAFileIsNotReadIsTrue: a directory and a file without permission do not lead anywhere else.
func TestWhyAFileIsNotReadIsTrue(t *testing.T) {
	at := made(t, map[string]string{"work/docs/a.md": "a", "link work/out.md": "../home/x"})
	tr, err := safefs.Open(at.root)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"docs", fs.ErrInvalid, "not read: it is a directory"},
		{"docs/a.md", &fs.PathError{Op: "open", Err: fs.ErrPermission}, "not read: permission denied"},
		{"out.md", fs.ErrInvalid, outside},
	} {
		if got := whyNot(tree{at.root, tr}, c.name, c.err); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
