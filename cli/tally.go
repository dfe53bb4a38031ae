package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"sync"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/tokens"
)

const (
	// sniffed is how many bytes are looked at to tell text from binary files, as git does it: a file with a
	// NUL among them is binary.
	sniffed = 8 << 10
	// maxTexts bounds what one command counts: what is known of each text is held in memory.
	maxTexts = 1_000_000
	// waitingTexts is how far the search for files may be ahead of the counting.
	waitingTexts = 1024
)

// errBinary marks a file that is not text.
var errBinary = errors.New("binary, not text")

// text is one file, or standard input, and what was found out about it.
type text struct {
	name, place string // as the user sees it, and where it is; "-" is standard input
	count       tokens.Count
	read        tokens.Reading
	err         error // why it was not counted: errBinary, or a failure
}

// tally counts texts on all cores: the one who looks for files hands them to workers. What they find is
// kept in the order in which it was named and walked, so that it does not depend on who was faster.
type tally struct {
	app     *app
	gauge   gauge
	ctx     context.Context
	texts   []*text
	ignored []string // directories in which git ignores all there is
	work    chan *text
	bar     *bar
}

// tally counts the texts that the paths name. Errors: too_large for more than maxTexts; that of ctx.
func (a *app) tally(ctx context.Context, g gauge, paths []string) (*tally, error) {
	t := &tally{app: a, gauge: g, ctx: ctx, work: make(chan *text, waitingTexts), bar: a.progress("counting")}
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			head := bufio.NewReaderSize(nil, sniffed)
			for x := range t.work {
				x.err = t.count(x, head)
			}
		})
	}
	var err error
	for _, p := range paths {
		if err = t.path(p); err != nil {
			break
		}
	}
	close(t.work)
	workers.Wait()
	t.bar.done()
	return t, cmp.Or(err, ctx.Err())
}

// path finds what a path names: a text, or all texts in a directory.
func (t *tally) path(name string) error {
	place := t.app.absolute(name)
	if name == "-" {
		return t.add(&text{name: name})
	}
	info, err := os.Stat(place)
	if err != nil || !info.IsDir() {
		if err == nil {
			t.bar.expect(info.Size())
		}
		return t.add(&text{name: name, place: place})
	}
	before := len(t.texts)
	w := walker{
		failed: func(name string, err error) { t.texts = append(t.texts, &text{name: name, err: err}) },
		found: func(name, place string, e fs.DirEntry) error {
			if info, err := e.Info(); err == nil {
				t.bar.expect(info.Size())
			}
			return t.add(&text{name: name, place: place})
		},
	}
	err = w.named(name, place)
	if w.ignored > 0 && len(t.texts) == before {
		t.ignored = append(t.ignored, name)
	}
	return err
}

// add hands a text to the workers.
func (t *tally) add(x *text) error {
	if len(t.texts) == maxTexts {
		return fault.New(fault.TooLarge, "cli.count", "more than %s files: count a part of them", commas(maxTexts))
	}
	t.texts = append(t.texts, x)
	t.work <- x
	return t.ctx.Err()
}

// count counts one text, read through head. Errors: errBinary; those of opening and reading.
func (t *tally) count(x *text, head *bufio.Reader) error {
	shown := oneLine(x.name)
	in := t.app.In
	if x.name != "-" {
		f, err := openFile(shown, x.place)
		if err != nil {
			return err
		}
		defer f.Close() //nolint:errcheck // opened for reading
		in = f
	}
	head.Reset(watched{in, t})
	start, err := head.Peek(sniffed)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return fileError(shown, err)
	case bytes.IndexByte(start, 0) >= 0:
		return errBinary
	}
	if x.count, x.read, err = t.gauge.read(head); fault.Is(err, fault.TooLarge) {
		return &fault.Error{Code: fault.TooLarge, Op: "cli.count", Message: shown, Err: err}
	} else if err != nil {
		return fileError(shown, err)
	}
	return nil
}

// watched shows how far the reading has come, and ends it with the command.
type watched struct {
	io.Reader
	*tally
}

func (w watched) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := w.Reader.Read(p)
	w.bar.advance(int64(n))
	return n, err
}
