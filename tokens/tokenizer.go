package tokens

import (
	"math/bits"
	"sync"
)

// tokenizer is an encoding ready for use: its rules, its vocabulary and its idle workers.
type tokenizer struct {
	// scan returns the end of the piece that starts at start, which is before the end of text.
	scan func(text []byte, start int) int
	// starts returns where pieces certainly start in a window that starts with one; nil: scan finds them.
	starts     func(*masks) uint64
	vocabulary *vocabulary
	nfc        bool      // texts are brought into Normalization Form C first
	workers    sync.Pool // of *worker
}

// worker is what one goroutine needs to count: working memory and the counts it remembers.
type worker struct {
	*tokenizer
	cutter
	short [1 << shortBits]shortSlot
	long  [1 << longBits]longSlot
	parts parts
	sweep *sweep // nil until a piece is long
	joined
	clean []byte // a piece with its invalid bytes replaced
	chunk []byte // a part of a text that is read; nil until one is
}

// bundled makes an encoding of an embedded vocabulary. ascii finds the end of a piece where
// nothing but ASCII decides, and else returns 0; runes finds it everywhere.
// starts finds many at once.
func bundled(name string, pairs []byte, starts func(*masks) uint64, ascii func([]byte, int) int, runes func(*classTable, []byte, int) int) *Encoding {
	return &Encoding{name: name, tokenizer: sync.OnceValue(func() *tokenizer {
		v, err := parseVocabulary(name, pairs)
		if err != nil {
			panic("tokens: the embedded vocabulary is damaged: " + err.Error()) // not input: a broken build
		}
		t := classes()
		return &tokenizer{vocabulary: v, starts: starts, scan: func(text []byte, start int) int {
			if end := ascii(text, start); end > 0 {
				return end
			}
			return runes(t, text, start)
		}}
	})}
}

// next returns the end of the piece that starts at start, which is before the end of text.
func (t *tokenizer) next(text []byte, start int) int {
	return min(t.scan(text, start), start+maxPiece)
}

// batch is how many pieces are cut before they are counted: enough that the processor overlaps
// looking them up.
const batch = 256

// cutter is the working memory of cut.
type cutter struct {
	ends  [batch]int
	masks masks
}

// cut returns the ends of the next pieces of text[start:], valid until the next call.
func (c *cutter) cut(t *tokenizer, text []byte, start int) []int {
	m, ends := &c.masks, &c.ends
	n := 0
	for start < len(text) && n <= batch-windowSize {
		if t.starts != nil && start+windowSize <= len(text) && (text[start]|text[start+1]) < 0x80 {
			m.classify((*[windowSize]byte)(text[start:]))
			base := start
			for s := t.starts(m) &^ 1; s != 0; s &= s - 1 {
				start = base + bits.TrailingZeros64(s)
				ends[n&(batch-1)] = start
				n++
			}
			if start > base {
				continue
			}
		}
		start = t.next(text, start)
		ends[n] = start
		n++
	}
	return ends[:n]
}

// worker returns an idle worker or a new one; give it back with release.
func (t *tokenizer) worker() *worker {
	if w, ok := t.workers.Get().(*worker); ok {
		return w
	}
	return &worker{tokenizer: t}
}

// release makes w available to others. The memory that a very long piece took is let go.
func (t *tokenizer) release(w *worker) {
	if w.sweep != nil && cap(w.sweep.ids) > maxKept {
		w.sweep = nil
	}
	if cap(w.joined.ids) > maxKept {
		w.joined = joined{}
	}
	if cap(w.clean) > maxKept {
		w.clean = nil
	}
	if len(w.chunk) > chunkLen {
		w.chunk = nil
	}
	t.workers.Put(w)
}
