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

// TestPathsOfAKeysWidthAreNoKey: two paths below one another, both as wide as lines of a key, were masked as lines of one in
// summaries, with another mask each time (issue 46).
func TestPathsOfAKeysWidthAreNoKey(t *testing.T) {
	for _, text := range []string{
		"- /Users/soph/Work/entire/devenv/cli/cmd/entire/cli/checkpoint/committed.go — edited ×5\n" +
			"- /Users/soph/Work/entire/devenv/cli/cmd/entire/cli/checkpoint/temporary.go — edited ×4\n",
		"/Users/anne/Projects/shop/backend/services/payment/adapters/stripe\n" +
			"/Users/anne/Projects/shop/backend/services/payment/adapters/paypal\n",
		"/home/Dev/code/MyProject/src/main/java/com/example/shop/orders/api\n" +
			"/home/Dev/code/MyProject/src/main/java/com/example/shop/refund/api\n",
	} {
		if got := New(nil).String(text); got != text {
			t.Errorf("%s", got)
		}
	}
}
