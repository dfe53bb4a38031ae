package kv

import (
	"bytes"
	"testing"
)

// FuzzBoundsSelectWhatTheRangeSays: a key is in [low, high) exactly when the definition of
// Range selects it.
func FuzzBoundsSelectWhatTheRangeSays(f *testing.F) {
	f.Add([]byte("a"), []byte("ab"), []byte("b"), []byte("abc"), false)
	f.Add([]byte{0xff, 0xff}, []byte{}, []byte{}, []byte{0xff, 0xff, 0}, true)
	f.Add([]byte("a\xff"), []byte(nil), []byte("b"), []byte("a\xff\xff"), false)
	f.Fuzz(func(t *testing.T, prefix, from, to, key []byte, open bool) {
		if open {
			to = nil
		} else if to == nil {
			to = []byte{}
		}
		low, high := Range{Prefix: prefix, From: from, To: to}.Bounds()
		got := bytes.Compare(key, low) >= 0 && (high == nil || bytes.Compare(key, high) < 0)
		want := bytes.HasPrefix(key, prefix) && bytes.Compare(key, from) >= 0 &&
			(to == nil || bytes.Compare(key, to) < 0)
		if got != want {
			t.Errorf("prefix %q from %q to %q: [%q, %q) holds %q: %v, want %v", prefix, from, to, low, high,
				key, got, want)
		}
	})
}
