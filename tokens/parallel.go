package tokens

import (
	"sync"
	"sync/atomic"
)

// partsPerWorker is how many parts of a text there are for each goroutine that counts it, so
// that one that is held up leaves its share to the others.
const partsPerWorker = 4

// CountParallel is Count by up to the given number of goroutines, which have ended when it
// returns. The text is cut at safe points; what has none, such as a single long word, and what
// is too short to be worth the trouble is counted by one.
func (e *Encoding) CountParallel(text []byte, workers int) int {
	workers = min(workers, len(text)/minPart)
	if workers < 2 {
		return e.Count(text)
	}
	parts := cutSafe(text, max(minPart, len(text)/(partsPerWorker*workers)))
	var taken, total atomic.Int64
	var running sync.WaitGroup
	for range min(workers, len(parts)) {
		running.Go(func() {
			for i := taken.Add(1) - 1; i < int64(len(parts)); i = taken.Add(1) - 1 {
				total.Add(int64(e.Count(parts[i])))
			}
		})
	}
	running.Wait()
	return int(total.Load())
}
