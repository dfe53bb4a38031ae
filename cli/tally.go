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

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/tokens"
)

const (
	// sniffed is how many bytes are looked at to tell text from binary files, as git does it: a file with a
	// NUL among them is binary.
	sniffed = 8 << 10
	// maxTexts bounds what one command counts: what is known of each text is held in memory.
	maxTexts = 1_000_000
)

// errBinary marks a file that is not text.
var errBinary = errors.New("binary")

// text is one file, or standard input, and what was found out about it.
type text struct {
	name, place string // as the user sees it, and where it is; "-" is standard input
	count       tokens.Count
	size        int64 // in bytes, as far as it is known in advance
	read        tokens.Reading
	err         error // why it was not counted: errBinary, or a failure
}

// tally counts texts on all cores: while one goroutine looks for files, the others count. What they find
// is kept in the order in which it was named and walked, so it does not depend on who was faster.
type tally struct {
	app     *app
	counter tokens.Counter
	ctx     context.Context
	ignored []string // directories in which git ignores all there is
	bar     *bar

	mu    sync.Mutex
	more  sync.Cond // that texts or ended changed; its lock is mu
	texts []*text   // guarded by mu
	next  int       // the first one that nobody has taken; guarded by mu
	ended bool      // there will be no more; guarded by mu
}

// tally counts the texts that the paths name. Errors: too_large for more than maxTexts; that of ctx.
func (a *app) tally(ctx context.Context, c tokens.Counter, paths []string) (*tally, error) {
	t := &tally{app: a, counter: c, ctx: ctx, bar: a.progress("counting")}
	t.more.L = &t.mu
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(t.work)
	}
	var err error
	for _, p := range paths {
		if err = t.path(p); err != nil {
			break
		}
	}
	t.end(err != nil)
	workers.Wait()
	t.bar.done()
	return t, cmp.Or(err, ctx.Err())
}

// add puts a text at the end of the line. One that has failed already is only kept.
func (t *tally) add(x *text) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.texts) == maxTexts {
		return fault.New(fault.TooLarge, "cli.count", "more than %s files: count a part of them", chars.Commas(maxTexts))
	}
	t.texts = append(t.texts, x)
	t.more.Signal()
	return t.ctx.Err()
}

// end tells the workers that no more texts come, and if the work is given up, that none is wanted.
func (t *tally) end(giveUp bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	if giveUp {
		t.next = len(t.texts)
	}
	t.more.Broadcast()
}

// take waits for the next text to count; nil when there are no more.
func (t *tally) take() *text {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		for ; t.next < len(t.texts); t.next++ {
			if x := t.texts[t.next]; x.err == nil {
				t.next++
				return x
			}
		}
		if t.ended {
			return nil
		}
		t.more.Wait()
	}
}

// work counts texts until there are no more.
func (t *tally) work() {
	head := bufio.NewReaderSize(nil, sniffed)
	for x := t.take(); x != nil; x = t.take() {
		x.err = t.count(x, head)
	}
}

// path finds what a path names: a text, or all texts in a directory.
func (t *tally) path(name string) error {
	switch name {
	case "":
		return t.add(&text{err: fault.New(fault.NotFound, "cli.count", "an empty name is no path")})
	case "-":
		if terminal(t.app.In) {
			t.app.say("reading the text from the terminal; end it with control-D")
		}
		return t.add(&text{name: name})
	}
	x := &text{name: name, place: t.app.absolute(name)}
	info, err := os.Stat(x.place)
	switch {
	case err != nil:
		x.err = fileError(oneLine(name), err)
		return t.add(x)
	case info.IsDir():
		return t.dir(x)
	}
	return t.expect(x, info)
}

// dir finds the texts in a directory.
func (t *tally) dir(x *text) error {
	before := len(t.texts) // no other goroutine appends
	w := walker{yield: t.found}
	err := w.named(x.name, x.place)
	if w.ignored > 0 && len(t.texts) == before {
		t.ignored = append(t.ignored, x.name)
	}
	return err
}

// found adds a text of a directory. Its size is asked for only if somebody watches.
func (t *tally) found(x *text, e fs.DirEntry) error {
	if t.bar.w == nil || x.err != nil {
		return t.add(x)
	}
	info, err := e.Info()
	if err != nil {
		x.err = fileError(oneLine(x.name), err)
		return t.add(x)
	}
	return t.expect(x, info)
}

// expect adds a text whose size is known.
func (t *tally) expect(x *text, info fs.FileInfo) error {
	x.size = info.Size()
	t.bar.expect(x.size)
	return t.add(x)
}

// count counts one text, read through head. Errors: errBinary; those of opening and reading.
func (t *tally) count(x *text, head *bufio.Reader) error {
	shown := oneLine(x.name)
	in := watched{Reader: t.app.In, tally: t}
	if x.name != "-" {
		f, err := openFile(shown, x.place)
		if err != nil {
			return err
		}
		defer f.Close() //nolint:errcheck // opened for reading
		in.Reader = f
	}
	defer func() { t.bar.advance(x.size - in.read) }() // what was not read is done as well
	head.Reset(&in)
	start, err := head.Peek(sniffed)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return fileError(shown, err)
	case bytes.IndexByte(start, 0) >= 0:
		return errBinary
	}
	if x.count, x.read, err = t.counter.CountReader(head); fault.Is(err, fault.TooLarge) {
		return &fault.Error{Code: fault.TooLarge, Op: "cli.count", Message: shown, Err: err}
	} else if err != nil {
		return fileError(shown, err)
	}
	return nil
}

// watched shows how far the reading of a text has come, and ends it with the command.
type watched struct {
	io.Reader
	*tally
	read int64 // bytes
}

func (w *watched) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := w.Reader.Read(p)
	w.read += int64(n)
	w.bar.advance(int64(n))
	return n, err
}
