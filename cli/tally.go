package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ctxledger.dev/internal/fault"
)

const (
	// maxCounted bounds one text that is counted, in bytes: it is held in memory.
	maxCounted = 256 << 20
	// sniffed is how many bytes are looked at to tell text from binary files.
	sniffed = 8 << 10
)

// errBinary marks a file that is not text.
var errBinary = errors.New("binary, not text")

// tally adds up what is counted.
type tally struct {
	counted
	app     *app
	counter counter
	ctx     context.Context
	binary  int // files of directories that are no text
	failed  int // paths that could not be counted
}

// path counts what a path names: a text, or all texts in a directory.
func (t *tally) path(name string) {
	if name == "-" {
		t.fail(t.text(name, t.app.In))
		return
	}
	abs := t.app.absolute(name)
	if st, err := os.Stat(abs); err != nil || !st.IsDir() {
		t.fail(t.file(name, abs))
		return
	}
	// The function never fails but for the end of ctx, which the caller sees.
	_ = filepath.WalkDir(abs, func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(abs, p) // p lies below abs
		shown := filepath.Join(name, rel)
		switch {
		case err != nil:
			t.fail(fileError(shown, err))
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.Type().IsRegular():
			if err := t.file(shown, p); errors.Is(err, errBinary) {
				t.binary++
			} else {
				t.fail(err)
			}
		}
		return t.ctx.Err()
	})
}

// fail names what could not be counted. nil is no failure.
func (t *tally) fail(err error) {
	if err != nil {
		t.failed++
		t.app.say("%s", err)
	}
}

// file counts one file.
func (t *tally) file(name, place string) error {
	f, err := openFile(name, place)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // opened for reading
	return t.text(name, f)
}

// text counts one text. Errors: invalid, wrapping errBinary, for what is none; too_large.
func (t *tally) text(name string, r io.Reader) error {
	const op = "cli.count"
	text, err := io.ReadAll(io.LimitReader(r, maxCounted+1))
	if err != nil {
		return fileError(name, err)
	}
	if len(text) > maxCounted {
		return fault.New(fault.TooLarge, op, "%s has more than %s, the most that is counted at once", name, size(maxCounted))
	}
	if bytes.IndexByte(text[:min(len(text), sniffed)], 0) >= 0 {
		return &fault.Error{Code: fault.Invalid, Op: op, Message: name, Err: errBinary}
	}
	n := t.counter.count(text)
	t.Files = append(t.Files, countedFile{name, n, int64(len(text))})
	t.Total += n
	return nil
}
