package escapetest

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestMain refuses to be anything but the tests: a command that started a daemon would start this program, and
// that the tests again.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		fmt.Fprintln(os.Stderr, "escapetest: a daemon was to be started")
		os.Exit(1)
	}
	os.Exit(m.Run())
}
