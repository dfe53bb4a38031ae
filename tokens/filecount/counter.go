package filecount

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"sync"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/filetext"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/tokens"
)

const (
	// sniffed is how many bytes are looked at to tell text from binary files, as git does it: a file with a
	// NUL among them is binary, unless it is in UTF-16.
	sniffed = 8 << 10
	// maxTexts bounds what is counted at once: what is known of each text is held in memory.
	maxTexts = 1_000_000
)

// Options say how texts are counted.
type Options struct {
	Counter tokens.Counter
	// Open opens a text that was added alone. Its errors become those of the text. nil: there is none.
	Open func(*Text) (io.ReadCloser, error)
	// Found and Read are called with the sizes in bytes of what is found and of what has been read, from any
	// goroutine. nil: no one watches, and the sizes of what is found in directories are not asked for.
	Found, Read func(bytes int64)
}

// Counter counts texts on all cores.
type Counter struct {
	o       Options
	ctx     context.Context // of the whole work
	workers sync.WaitGroup

	mu    sync.Mutex
	more  sync.Cond // that texts or ended changed; its lock is mu
	texts []*Text   // guarded by mu
	next  int       // the first one not taken yet; guarded by mu
	ended bool      // there will be no more; guarded by mu

	trees []*safefs.Tree // of directories, open until all is counted; the caller's goroutine alone uses them
}

// New begins to count. The caller must call Done.
func New(ctx context.Context, o Options) *Counter {
	t := &Counter{o: o, ctx: ctx}
	t.more.L = &t.mu
	for range runtime.GOMAXPROCS(0) {
		t.workers.Go(t.work)
	}
	return t
}

// Done waits until all is counted, or with an error until counting has stopped, and returns what was
// found. Errors: err, else that of the context.
func (t *Counter) Done(err error) ([]*Text, error) {
	t.end(err != nil)
	t.workers.Wait()
	for _, tree := range t.trees {
		_ = tree.Close() // only read
	}
	return t.texts, cmp.Or(err, t.ctx.Err())
}

// Add puts a text at the end of the line. One that has failed already is only kept. Errors: too_large for
// more than a million; that of the context.
func (t *Counter) Add(x *Text) error {
	if t.o.Found != nil && x.Err == nil {
		t.o.Found(x.Size)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.texts) == maxTexts {
		return fault.New(fault.TooLarge, "filecount.add", "more than %s files: count only some of them",
			chars.Commas(maxTexts))
	}
	t.texts = append(t.texts, x)
	t.more.Signal()
	return t.ctx.Err()
}

// Dir adds all texts in a directory, name being what is shown of it. The rules of the repository around it
// say what git ignores. It reports whether there is something in it, and git ignores all of that. Errors:
// those of Add; a directory that cannot be read is a text that failed.
func (t *Counter) Dir(name, place string) (ignored bool, err error) {
	before := len(t.texts) // no other goroutine appends
	w := walker{yield: t.found}
	if w.root, err = filepath.EvalSymlinks(place); err == nil {
		w.tree, err = safefs.Open(w.root)
	}
	if err != nil {
		return false, w.failed(name, err)
	}
	t.trees = append(t.trees, w.tree)
	err = w.named(name)
	return w.ignored > 0 && len(t.texts) == before, err
}

// found adds a text of a directory. Its size is asked for only if somebody watches.
func (t *Counter) found(x *Text, e fs.DirEntry) error {
	if t.o.Found == nil || x.Err != nil {
		return t.Add(x)
	}
	info, err := e.Info()
	if err != nil {
		x.Err = err
	} else {
		x.Size = info.Size()
	}
	return t.Add(x)
}

// end stops the workers after the texts that were found, or at once if the work is given up.
func (t *Counter) end(giveUp bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	if giveUp {
		t.next = len(t.texts)
	}
	t.more.Broadcast()
}

// take waits for the next text to count; nil when there are no more.
func (t *Counter) take() *Text {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		for ; t.next < len(t.texts); t.next++ {
			if x := t.texts[t.next]; x.Err == nil {
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
func (t *Counter) work() {
	head := bufio.NewReaderSize(nil, sniffed)
	for x := t.take(); x != nil; x = t.take() {
		x.Err = t.count(x, head)
	}
}

// count counts one text, read through head. Errors: ErrBinary; those of opening and reading.
func (t *Counter) count(x *Text, head *bufio.Reader) error {
	f, err := t.open(x)
	if err != nil {
		return err
	}
	defer f.Close() // opened for reading
	in := watched{Reader: f, counter: t}
	defer func() { in.done(x.Size - in.read) }() // what was not read is done as well
	head.Reset(&in)
	start, err := head.Peek(sniffed)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case bytes.IndexByte(start, 0) >= 0 && !filetext.Wide(start):
		return ErrBinary
	}
	x.Count, x.Read, err = t.o.Counter.CountReader(filetext.Text(head)) // as editors and agents read it
	x.Read.Bytes = in.read                                              // as the file system says it
	return err
}

// open opens a text: one of a directory inside of that, whatever its path leads to by now.
func (t *Counter) open(x *Text) (io.ReadCloser, error) {
	if x.tree == nil {
		return t.o.Open(x)
	}
	f, _, err := x.tree.Open(x.at)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// watched shows how far the reading of a text has come, and ends it with the context.
type watched struct {
	io.Reader
	counter *Counter
	read    int64 // bytes
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	if err := w.counter.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := w.Reader.Read(p)
	w.read += int64(n)
	w.done(int64(n))
	return n, err
}

// done says that so many bytes are done.
func (w *watched) done(bytes int64) {
	if w.counter.o.Read != nil {
		w.counter.o.Read(bytes)
	}
}
