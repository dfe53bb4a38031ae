package cli

import (
	"fmt"
	"testing"
)

func TestReadCommandIsOneThatAShellUnderstands(t *testing.T) {
	for in, want := range map[string]string{
		"10-40": "10-40", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$x`y`": "'$x`y`'", "a.go": "a.go",
	} {
		if got := quoted(in); got != want {
			t.Errorf("quoted(%q) = %s, want %s", in, got, want)
		}
	}
	if got, want := fmt.Sprint(storedOf([]byte("ü")), storedOf([]byte{0xff})), "{ü []} { [255]}"; got != want {
		t.Errorf("stored bytes: %s, want %s", got, want)
	}
}
