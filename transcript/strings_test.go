package transcript

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestMapStrings(t *testing.T) {
	upper := func(s string) (string, bool) { return strings.ToUpper(s), s != "stay" }
	for src, want := range map[string]string{
		`"a"`:                                    `"A"`,
		`{"a":"b", "c" : ["d",{"e":"f"}]}`:       `{"a":"B", "c" : ["D",{"e":"F"}]}`,
		`{"a":"stay","n":1.50,"b":true}`:         `{"a":"stay","n":1.50,"b":true}`,
		`{"a\"":"quote \" and : colon","b":"x"}`: `{"a\"":"QUOTE \" AND : COLON","b":"X"}`,
		` [ "é" , null ] `:                       ` [ "É" , null ] `,
		`1`:                                      `1`,
	} {
		got, err := MapStrings([]byte(src), upper)
		if err != nil || string(got) != want {
			t.Errorf("%s becomes %s, %v, want %s", src, got, err, want)
		}
	}
	for _, src := range []string{"", `"a`, `{"a":"b"} x`, `{a:"b"}`} {
		if got, err := MapStrings([]byte(src), upper); err == nil {
			t.Errorf("%q becomes %s", src, got)
		}
	}
}

// Strings that stay leave every byte as it was; strings that change are all that changes.
func FuzzMapStrings(f *testing.F) {
	f.Add(`{"a":["b",{"c":"d\u00e9"}],"e":1}`)
	f.Fuzz(func(t *testing.T, src string) {
		same, err := MapStrings([]byte(src), func(string) (string, bool) { return "", false })
		if (err == nil) != json.Valid([]byte(src)) && len(src) < maxDepth {
			t.Fatalf("%q: %v", src, err)
		}
		if err != nil {
			return
		}
		if string(same) != src {
			t.Fatalf("%q becomes %q", src, same)
		}
		n := 0
		marked, err := MapStrings([]byte(src), func(string) (string, bool) { n++; return "x", true })
		if err != nil || !json.Valid(marked) {
			t.Fatalf("%q becomes %q, %v", src, marked, err)
		}
		again, left := 0, 0
		if _, err := MapStrings(marked, func(s string) (string, bool) {
			again++
			if s != "x" {
				left++
			}
			return "", false
		}); err != nil || again != n || left != 0 {
			t.Fatalf("%q: %d strings, then %d, %d of them not replaced, %v", src, n, again, left, err)
		}
	})
}
