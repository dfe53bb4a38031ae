package agentmatrix

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/lab/sandbox"
)

var update = flag.Bool("update", false, "rewrite testdata/answers and the table in docs/maintainers/answers.md")

// shown is how many lines of an answer the golden file has.
const shown = 12

// varying is what differs from run to run.
var varying = []struct {
	form *regexp.Regexp
	text string
}{
	{regexp.MustCompile(`\b[0-9a-f]{8}([0-9a-f]{4})?\b`), "ID"},
	{regexp.MustCompile(`Wall time: [0-9.]+`), "Wall time: N"},
	{regexp.MustCompile(`≈[0-9,]+`), "≈N"}, // estimates get better while an agent works, if it takes long enough
	{regexp.MustCompile(`compact it above [0-9,]+`), "compact it above ≈N"},
	// What a client is told at the start has the path of the workspace, whose tokens are as many as its name has.
	{regexp.MustCompile(`cost [0-9,]+ tokens \(o200k_base\), [0-9]+ of them`), "cost N tokens (o200k_base), N of them"},
	{regexp.MustCompile(`20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\dZ)?`), "TIME"},
}

// stable returns an answer as it is in every run.
func stable(s *sandbox.Sandbox, answer string) string {
	answer = strings.ReplaceAll(answer, s.Top, "TOP")
	for _, v := range varying {
		answer = v.form.ReplaceAllString(answer, v.text)
	}
	lines := strings.Split(strings.TrimRight(answer, "\n"), "\n")
	if n := len(lines) - shown; n > 1 {
		lines = append(lines[:shown], "… "+chars.Plural(n, "more line"))
	}
	return strings.Join(lines, "\n")
}

// compare compares with a golden file, or writes it.
func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("%s (-update rewrites it): %v\n%s\nis not\n%s", file, err, got, want)
	}
}
