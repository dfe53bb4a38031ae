package tokens

import (
	"slices"
	"strings"
	"testing"
)

// Tokens that are remembered are those that merging gives, whether they fit into a slot or not.
func TestRememberedTokensAreThoseOfMerging(t *testing.T) {
	behind := strings.Repeat(" ", 16) // so that all that is before it is looked up
	for _, e := range Encodings() {
		for _, text := range []string{
			"a", " hello", "\n", "\xff", "\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\xe2\x82", "\u00e4\u00f6\u00fc",
			"\u5b57\u5b58", "qzx", "qzxwvkj",
			"zqxjkvwzqxjkvwz", "zqxjkvwzqxjkvwzq", " !@#$%^&*()_+~", "0", "12", "\U0001f469\u200d\U0001f469",
		} {
			want := naives()[e].encode(text + behind)
			for range 2 {
				if got := e.Encode(nil, []byte(text+behind)); !slices.Equal(got, want) {
					t.Errorf("%s: %q is %d, want %d", e, text, got, want)
				}
			}
		}
	}
}
