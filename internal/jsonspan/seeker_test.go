package jsonspan

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzSeekerFindsWhatTheWalkerFinds: in a valid object, however it is cut, the seeker finds the first scalar of the name.
func FuzzSeekerFindsWhatTheWalkerFinds(f *testing.F) {
	f.Add([]byte(`{"a":[{"id":1}],"id":"x\"}","id":2}`), 3)
	f.Add([]byte(` {"b":"\"id\":3","id": -1.5e3 } `), 7)
	f.Add([]byte(`{"a":"id","c":{},"id":null}`), 1)
	f.Fuzz(func(t *testing.T, src []byte, cut int) {
		if !json.Valid(src) || cut < 1 {
			return
		}
		var want []byte
		w := New(src, MaxDepth)
		for name, value := range w.Members {
			if string(name.In(src)) == `"id"` {
				want = value.In(src)
				break
			}
		}
		s := Seeker{Name: "id", Max: len(src)}
		for rest := src; len(rest) > 0; rest = rest[min(cut, len(rest)):] {
			if n, err := s.Write(rest[:min(cut, len(rest))]); err != nil || n == 0 {
				t.Fatal(n, err)
			}
		}
		if len(want) > 0 && want[0] != '{' && want[0] != '[' && !bytes.Equal(s.Value(), want) {
			t.Errorf("%q: found %q, want %q", src, s.Value(), want)
		}
	})
}
