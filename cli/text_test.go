package cli

import (
	"fmt"
	"testing"
)

func TestStoredBytesAreTextOrBase64(t *testing.T) {
	if got, want := fmt.Sprint(storedOf([]byte("ü")), storedOf([]byte{0xff})), "{ü []} { [255]}"; got != want {
		t.Errorf("stored bytes: %s, want %s", got, want)
	}
}
