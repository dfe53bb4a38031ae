package redact

import (
	"strings"
	"testing"
)

// TestAPathInTwoFieldsIsNoKey: a directory whose path was 64 characters of base64, printed as "dir" and "tree" one below
// the other, was masked as two lines of a private key.
func TestAPathInTwoFieldsIsNoKey(t *testing.T) {
	for _, width := range []int{pemWidth, sshWidth} {
		path := "/tmp/fresh/tmp/TestADaemonHasOneInotifyInstance4201417318/001/ada/shop/fix"[:width]
		text := "{\n  \"dir\": \"" + path + "\",\n  \"tree\": \"" + path + "\",\n}\n"
		if got := New(nil).String(text); got != text {
			t.Errorf("%d: %s", width, got)
		}
		other := strings.ToUpper(path[:width/2]) + path[width/2:]
		key := strings.Replace(text, path, other, 1)
		if got := New(nil).String(key); strings.Contains(got, other) {
			t.Errorf("%d, two different lines: %s", width, got)
		}
	}
}
