package mcp

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestCachedAnswersAreFilledIn: a line is what the library would have written with the values themselves, and the
// cache is empty afterwards.
func TestCachedAnswersAreFilledIn(t *testing.T) {
	type answer struct {
		Text string `json:"text"`
		More any    `json:"more"`
	}
	big := strings.Repeat("a \"quoted\" line\n\u2028<b>\x01", 1000)
	for name, c := range map[string][]any{
		"nothing held":   {},
		"one value":      {big},
		"two values":     {map[string]any{"k": big, "n": 1}, big},
		"no such values": {make(chan int)},
	} {
		t.Run(name, func(t *testing.T) {
			s := newAnswerCache("secret")
			line, want := []any{answer{Text: "x"}}, []any{answer{Text: "x"}}
			for _, v := range c {
				put := s.put(v)
				if _, err := json.Marshal(v); err != nil {
					if put != v {
						t.Fatalf("what cannot be encoded became %v", put)
					}
					continue
				}
				line, want = append(line, put), append(want, v)
			}
			got, _ := json.Marshal(answer{"t", line})
			expected, _ := json.Marshal(answer{"t", want})
			if got = s.fill(got); string(got) != string(expected) {
				t.Errorf("got %.200s\nwant %.200s", got, expected)
			}
			if len(s.values) != 0 {
				t.Errorf("%d values stay", len(s.values))
			}
		})
	}
}

// TestTheAnswerCacheIsBounded: answers that are never written cost a bounded amount; later ones go the
// library's way.
func TestTheAnswerCacheIsBounded(t *testing.T) {
	s := newAnswerCache("secret")
	for i := range 2 * maxCached {
		if held := s.put("value") != "value"; held != (i < maxCached) {
			t.Fatalf("value %d: held %v", i, held)
		}
	}
	if line := string(s.fill([]byte(`"value"`))); line != `"value"` {
		t.Errorf("a line without names became %s", line)
	}
}
