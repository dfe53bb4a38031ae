//go:build unix

package paging_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"ctxledger.dev/cli/paging"
	"ctxledger.dev/internal/env"
)

// TestThePagerIsThePersons: it gets what is written, one that ends early is no error, and one that is not there prints it.
func TestThePagerIsThePersons(t *testing.T) {
	long := strings.Repeat("line\n", 100_000)
	for pager, want := range map[string]string{
		"tr a-z A-Z": strings.ToUpper(long), "head -n 1": "line\n", "no-such-pager-here": long,
	} {
		e := env.System()
		e.Lookup = func(string) string { return pager }
		var out bytes.Buffer
		err := paging.Write(t.Context(), e, &out, func(w io.Writer) error {
			_, err := io.WriteString(w, long)
			return err
		})
		if err != nil || out.String() != want {
			t.Errorf("%s: %v, %d bytes", pager, err, out.Len())
		}
	}
}

// TestWhatCannotBeWrittenIsAnError, though the pager is content.
func TestWhatCannotBeWrittenIsAnError(t *testing.T) {
	e := env.System()
	e.Lookup = func(string) string { return "cat" }
	broken := errors.New("broken")
	err := paging.Write(t.Context(), e, io.Discard, func(io.Writer) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}
