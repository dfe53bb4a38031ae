package redact

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func BenchmarkFindInASession(b *testing.B) {
	text, err := os.ReadFile("../../testdata/sessions/shop.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	find(b, text)
}

// BenchmarkFindInSource looks through code in which next to nothing is found: what every text costs.
func BenchmarkFindInSource(b *testing.B) {
	const size = 4 << 20
	var text []byte
	enough := errors.New("enough")
	err := eachSource(filepath.Join(goRoot(b), "src"), func(_ string, source []byte) error {
		if text = append(text, source...); len(text) > size {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) {
		b.Fatalf("only %d bytes: %v", len(text), err)
	}
	find(b, text)
}

// BenchmarkFindAmongInvisibles looks through texts of many scripts with a joiner in every line: what is invisible is
// looked for at each character.
func BenchmarkFindAmongInvisibles(b *testing.B) {
	find(b, []byte(strings.Repeat("第 12 行：编译器的输出 — “quoted” می\u200cخواهم, ភាសា, 한국어, é\n", 1<<14)))
}

func find(b *testing.B, text []byte) {
	r := New(nil)
	r.Find(nil)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Find(text)
	}
}
