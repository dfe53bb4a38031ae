package tokens

import (
	"errors"
	"io"
	"runtime"
	"slices"
	"unicode/utf8"

	"ctxledger.dev/internal/fault"
)

const (
	// chunkLen is how much of a text CountReader holds at once, in bytes, where the text lets itself be cut.
	chunkLen = 256 << 10
	// longChunkLen is that of a text that has proved to be long: there is enough in it for several goroutines.
	longChunkLen = 2 << 20
	// maxUncut is how much it holds, in bytes, to find a place where the text may be cut. Merging one piece of
	// that length takes about 200 MB of memory, and 1.5 GB where its blocks do not join (blocks.go).
	maxUncut = 16 << 20
)

// Reading is what CountReader found.
type Reading struct {
	N       int   // tokens
	Bytes   int64 // length of the text
	Invalid bool  // it is not valid UTF-8: each maximal invalid part counts as one U+FFFD
}

// CountReader counts the text that r yields without holding it in memory: it is cut where no piece
// can reach across, so the count is that of Count for the whole text. A long one is counted by as many
// goroutines as there are processors, which have ended when it returns.
//
// Errors: those of r; too_large for a text with more than 16 MiB in a row that cannot be cut, such as
// that many letters without anything between them. What was counted until then comes along.
func (e *Encoding) CountReader(r io.Reader) (Reading, error) {
	t := e.tokenizer()
	w := t.worker()
	defer t.release(w)
	var found Reading
	if w.chunk == nil {
		w.chunk = make([]byte, chunkLen)
	}
	held := 0 // bytes at the start of the chunk that are still to be counted
	for {
		n, err := io.ReadFull(r, w.chunk[held:])
		held += n
		if err != nil { // the end of the text, or of our luck
			found.add(e, w, w.chunk[:held])
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				err = nil
			}
			return found, err
		}
		cut := lastSafe(w.chunk)
		if cut == 0 {
			if held >= maxUncut {
				return found, fault.New(fault.TooLarge, "tokens.count",
					"more than %d MiB in a row without a place where text can be cut", maxUncut>>20)
			}
			w.chunk = slices.Grow(w.chunk, held)[:2*held]
			continue
		}
		found.add(e, w, w.chunk[:cut])
		held = copy(w.chunk, w.chunk[cut:])
		if len(w.chunk) < longChunkLen {
			w.chunk = slices.Grow(w.chunk, longChunkLen-len(w.chunk))[:longChunkLen]
		}
	}
}

// add counts a part of the text that begins and ends where pieces do.
func (f *Reading) add(e *Encoding, w *worker, part []byte) {
	if len(part) <= chunkLen {
		f.N += w.count(part)
	} else {
		f.N += e.CountParallel(part, runtime.GOMAXPROCS(0))
	}
	f.Bytes += int64(len(part))
	f.Invalid = f.Invalid || !utf8.Valid(part)
}

// lastSafe returns the last safe point in text, which goes on after its end; 0 if there is none.
func lastSafe(text []byte) int {
	for i := len(text) - utf8.UTFMax; i > 0; i-- {
		if safe(text, i) {
			return i
		}
	}
	return 0
}
