package programtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Main builds one of the programs, stores its path in binary, runs the tests and returns the exit status of their process.
func Main(m *testing.M, program string, binary *string) int {
	dir, err := os.MkdirTemp("", "programtest")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	*binary = filepath.Join(dir, program)
	if err := exec.Command("go", "build", "-o", *binary, "ctxledger.dev/cmd/"+program).Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// LastWords keeps the end of what a program says on its standard error. It is read when that has ended.
type LastWords struct{ kept []byte }

// Write implements io.Writer.
func (l *LastWords) Write(p []byte) (int, error) {
	const most = 1 << 20
	l.kept = append(l.kept, p...)
	l.kept = l.kept[max(0, len(l.kept)-most):]
	return len(p), nil
}

// String returns what was said last.
func (l *LastWords) String() string { return string(l.kept) }

// Build builds programs by the paths of their packages into a directory that goes with the test, and returns that.
func Build(t *testing.T, packages ...string) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("go", append([]string{"build", "-ldflags=-s -w", "-o", dir + string(filepath.Separator)}, packages...)...).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return dir
}
