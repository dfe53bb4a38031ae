package tokens

import "sync"

// tokenizer is an encoding ready for use: its rules, its vocabulary and its idle workers.
type tokenizer struct {
	// scan returns the end of the piece that starts at start, which is before the end of text.
	scan       func(text []byte, start int) int
	vocabulary *vocabulary
	workers    sync.Pool // of *worker
}

// worker is what one goroutine needs to count: working memory and the counts it remembers.
type worker struct {
	*tokenizer
	short [1 << shortBits]shortSlot
	long  [1 << longBits]longSlot
	ids   [maxShort]uint32
	pairs [maxShort]uint32
	sweep *sweep // nil until a piece is long
	clean []byte // a piece with its invalid bytes replaced
}

// The tokenizers are built when they are first used, which takes some milliseconds.
var (
	o200kBase = sync.OnceValue(func() *tokenizer {
		t := classes()
		return newTokenizer(O200kBase, o200kPairs, func(text []byte, start int) int {
			if end := asciiO200k(text, start); end > 0 {
				return end
			}
			return t.runeO200k(text, start)
		})
	})
	cl100kBase = sync.OnceValue(func() *tokenizer {
		t := classes()
		return newTokenizer(CL100kBase, cl100kPairs, func(text []byte, start int) int {
			if end := asciiCL100k(text, start); end > 0 {
				return end
			}
			return t.runeCL100k(text, start)
		})
	})
)

func newTokenizer(e Encoding, pairs []byte, scan func([]byte, int) int) *tokenizer {
	v, err := parseVocabulary(e, pairs)
	if err != nil {
		panic("tokens: the embedded vocabulary is damaged: " + err.Error()) // not input: a broken build
	}
	return &tokenizer{scan: scan, vocabulary: v}
}

// next returns the end of the piece that starts at start, which is before the end of text.
func (t *tokenizer) next(text []byte, start int) int {
	return min(t.scan(text, start), start+maxPiece)
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
	if cap(w.clean) > maxKept {
		w.clean = nil
	}
	t.workers.Put(w)
}
