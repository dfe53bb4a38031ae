package tokens

import (
	"sync"
	"sync/atomic"
)

// tokenizer is an encoding ready for use: its rules, its vocabulary and its idle workers.
type tokenizer struct {
	// scan returns the end of the piece that starts at start, which is before the end of text.
	scan func(text []byte, start int) int
	// starts returns where pieces certainly start in a window that starts with one.
	starts     func(*masks) uint64
	vocabulary *vocabulary
	// the idle workers that stay, so that what they remember outlives a garbage collection: a worker is large
	resident [2]atomic.Pointer[worker]
	workers  sync.Pool // of *worker, the other idle ones
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

// bundled makes an encoding of an embedded vocabulary from the three levels of its scanner: starts
// finds many pieces at once; ascii finds the end of one where nothing but ASCII decides, and else
// returns 0; runes finds it everywhere.
func bundled(name string, pairs []byte, starts func(*masks) uint64, ascii func([]byte, int) int,
	runes func(*classTable, []byte, int) int) *Encoding {
	return &Encoding{name: name, tables: &tables{build: func() *tokenizer {
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
	}}}
}

// tables has the tokenizer of an encoding while it is needed.
type tables struct {
	build func() *tokenizer
	mu    sync.Mutex // held while it is built
	built atomic.Pointer[tokenizer]
}

// tokenizer returns the tokenizer, which is built for the first count, and for the first one after a rest.
func (e *Encoding) tokenizer() *tokenizer {
	if t := e.tables.built.Load(); t != nil {
		return t
	}
	e.tables.mu.Lock()
	defer e.tables.mu.Unlock()
	t := e.tables.built.Load()
	if t == nil {
		t = e.tables.build()
		e.tables.built.Store(t)
	}
	return t
}

// Rest lets go of the tables of the encodings that come with the program, for one that will not count for a
// while. A count in progress keeps them until it is done; the next count builds them again.
func Rest() {
	for _, e := range Encodings() {
		e.tables.built.Store(nil)
	}
}

// worker returns an idle worker or a new one; give it back with release.
func (t *tokenizer) worker() *worker {
	for i := range t.resident {
		if w := t.resident[i].Swap(nil); w != nil {
			return w
		}
	}
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
	for i := range t.resident {
		if t.resident[i].CompareAndSwap(nil, w) {
			return
		}
	}
	t.workers.Put(w)
}
