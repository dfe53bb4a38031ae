package bolt

import (
	"fmt"
	"io/fs"
	"testing"
)

// Errors once said state/./ledger.db.
func TestErrorsSpellPathsAsPeopleDo(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "state/./ledger.db", Err: fs.ErrInvalid}
	for _, c := range []struct {
		err  error
		want string
	}{
		{full, "write state/ledger.db: invalid argument"},
		{&fs.PathError{Op: "openat", Path: "blobs/.", Err: fs.ErrInvalid}, "openat blobs: invalid argument"},
		{fmt.Errorf("a commit: %w", fs.ErrInvalid), "a commit: invalid argument"},
	} {
		if got := tidy(c.err).Error(); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
	if full.Path != "state/./ledger.db" {
		t.Errorf("the error itself was changed: %v", full)
	}
}
