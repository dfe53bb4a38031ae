package shell

import "testing"

func TestQuoteWritesAWordThatAShellUnderstands(t *testing.T) {
	for in, want := range map[string]string{
		"10-40": "10-40", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$x`y`": "'$x`y`'", "a.go": "a.go",
		"/opt/ctx ledger/bin": "'/opt/ctx ledger/bin'", "~/x": "'~/x'",
	} {
		if got := Quote(in); got != want {
			t.Errorf("Quote(%q) = %s, want %s", in, got, want)
		}
	}
}
