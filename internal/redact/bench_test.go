package redact

import (
	"os"
	"testing"
)

func BenchmarkFindInASession(b *testing.B) {
	text, err := os.ReadFile("../../testdata/sessions/shop.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	r := New(nil)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Find(text)
	}
}
