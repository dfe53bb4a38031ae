package tokens

import (
	"runtime"
	"testing"
)

// maxTables is how many bytes an encoding may take with one worker, as the package says.
const maxTables = 15 << 20

// heapOf returns how many bytes on the heap build leaves there.
func heapOf(build func() any) int {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	kept := build()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(kept)
	return int(after.HeapAlloc) - int(before.HeapAlloc)
}

func TestTablesOfAnEncodingAreSmall(t *testing.T) {
	for _, e := range Encodings() {
		shared := e.tokenizer()
		size := heapOf(func() any {
			v, err := parseVocabulary(e.String(), published[e].pairs)
			if err != nil {
				t.Fatal(err)
			}
			table, err := parseClasses(classFile)
			if err != nil {
				t.Fatal(err)
			}
			own := &tokenizer{vocabulary: v, scan: shared.scan, starts: shared.starts}
			w := own.worker()
			w.count([]byte("func count() int { return 12345 } // don't 数一数这段文字里有多少个词 é😀\n"))
			return []any{w, table}
		})
		t.Logf("%s: %.1f MB", e, float64(size)/1e6)
		if size > maxTables {
			t.Errorf("%s: the tables take %d bytes, want at most %d", e, size, maxTables)
		}
	}
}
