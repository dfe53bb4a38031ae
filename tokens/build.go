package tokens

import (
	"runtime"
	"slices"
	"sync"
)

// The lengths in bytes that leaves have where safe points allow it: at first, and before an
// edit cuts one that has grown, or joins two that have shrunk. An edit copies a leaf and the nodes
// above it (list.go), so both should be short.
const (
	leafSize = 1 << 10
	maxLeaf  = 2 * leafSize
	minLeaf  = leafSize / 4
)

// minPart is the length in bytes of the shortest part of a text that is worth a goroutine.
const minPart = 128 << 10

// workersFor returns how many goroutines index a text.
func workersFor(text []byte) int {
	return max(1, min(runtime.GOMAXPROCS(0), len(text)/minPart))
}

// build returns the leaves of a text, made by up to n goroutines.
func (e *Encoding) build(text []byte, n int) []*leaf {
	parts := make([][]*leaf, n)
	var workers sync.WaitGroup
	for i, part := range cutSafe(text, (len(text)+n-1)/n) {
		workers.Go(func() { parts[i] = e.buildPart(part) })
	}
	workers.Wait()
	return slices.Concat(parts...)
}

func (e *Encoding) buildPart(text []byte) []*leaf {
	t := e.tokenizer()
	w := t.worker()
	defer t.release(w)
	var leaves []*leaf
	for _, part := range cutSafe(text, leafSize) {
		leaves = append(leaves, w.newLeaf(part))
	}
	return leaves
}

// newLeaf counts a text between safe points.
func (w *worker) newLeaf(text []byte) *leaf {
	ends := newBitset(len(text))
	long, ok := w.mark(text, ends, 0, len(text), nil)
	if !ok {
		return &leaf{text: text, tokens: w.count(text)}
	}
	return &leaf{text: text, tokens: ends.count(0, len(text)), ends: ends, long: long}
}

// cutSafe cuts text at the first safe point after each size bytes. The last part may be shorter.
func cutSafe(text []byte, size int) [][]byte {
	var parts [][]byte
	for len(text) > 0 {
		end := min(size, len(text))
		for end < len(text) && !safe(text, end) {
			end++
		}
		parts = append(parts, text[:end:end])
		text = text[end:]
	}
	return parts
}
