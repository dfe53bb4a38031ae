package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
)

// bar shows how far a long work has come, on a terminal only and only if it takes its time.
type bar struct {
	w     io.Writer // nil: show nothing
	label string
	now   func() time.Time
	start time.Time
	last  time.Time
	shown bool

	shares        bool // what is done is no bytes
	mu            sync.Mutex
	read, planned int64 // bytes; guarded by mu
}

// How a bar behaves.
const (
	barDelay = 300 * time.Millisecond // work that ends sooner shows nothing
	barEvery = 50 * time.Millisecond
	barCells = 24
)

// progress returns a bar for the work on a file.
func (a *action) progress(file string) *bar {
	b := &bar{label: a.line(filepath.Base(file), 30), now: a.Env.Now, start: a.Env.Now()}
	if terminal(a.Err) && !a.json {
		b.w = a.Err
	}
	return b
}

// show redraws the bar.
func (b *bar) show(done, total int64) {
	now := b.now()
	if b.w == nil || total <= 0 || now.Sub(b.start) < barDelay || now.Sub(b.last) < barEvery {
		return
	}
	b.last, b.shown = now, true
	width, _ := screen(b.w)
	fmt.Fprintf(b.w, "\r%s\x1b[K", b.line(done, total, now.Sub(b.start), width))
}

// line returns as much of the bar as fits into the columns of the terminal; 0: they are not known.
func (b *bar) line(done, total int64, since time.Duration, width int) string {
	share := min(float64(done)/float64(total), 1)
	full, empty := columns.Bars(share, barCells)
	percent := fmt.Sprintf("%3.0f%%", share*100)
	rate := float64(done) / max(since.Seconds(), 0.001)
	text := percent
	longest := []string{b.label + " " + percent, b.label + " " + full + empty + " " + percent}
	if !b.shares {
		longest = append(longest, longest[1]+"  "+chars.Size(done)+" of "+chars.Size(total),
			longest[1]+"  "+chars.Size(done)+" of "+chars.Size(total)+"  "+chars.Size(int64(rate))+"/s")
	}
	for _, longer := range longest {
		if width == 0 || columns.Width(longer) < width {
			text = longer
		}
	}
	return text
}

// expect adds to what there is to do, in bytes. Like advance it may be called by several at once.
func (b *bar) expect(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.planned += n
}

// advance adds to what has been done, in bytes, and shows it.
func (b *bar) advance(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read += n
	b.show(b.read, b.planned)
}

// share shows how far a work has come that is not measured in bytes.
func (b *bar) share(share float64) {
	const whole = 1_000
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shares = true
	b.show(int64(share*whole), whole)
}

// done takes the bar away.
func (b *bar) done() {
	if b.shown {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}
