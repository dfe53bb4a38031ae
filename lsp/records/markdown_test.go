package records

import "testing"

// TestATitleIsNoLink: editors make links of bare addresses, too.
func TestATitleIsNoLink(t *testing.T) {
	for line, want := range map[string]string{
		"see https://evil.example/x": `see https:/\/evil.example/x`,
		"WWW.evil.example":           `WWW\.evil.example`,
		"mail a@b.example":           `mail a\@b.example`,
		"a/b.go: fix":                "a/b.go: fix",
		"[x](y) <b>":                 `\[x\](y) \<b\>`,
	} {
		if got := literal(line); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
