package graph

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryCodeIsInTheTable and has a case, with its severity where that is always the same.
func TestEveryCodeIsInTheTable(t *testing.T) {
	source, cases := read(t, "*.go"), read(t, "testdata/cases/*.txtar")
	var known []string
	for _, c := range Codes() {
		known = append(known, c.Code)
		if !strings.Contains(cases, c.Code+" "+c.Severity+" ") {
			t.Errorf("%s has no case in which it is of severity %s", c.Code, c.Severity)
		}
		if c.Means == "" || c.Remedy == "" {
			t.Errorf("%s has no cause or no remedy", c.Code)
		}
	}
	if !slices.IsSorted(known) {
		t.Error("the codes are not in order")
	}
	for _, code := range regexp.MustCompile(`"(CG\d+)"`).FindAllStringSubmatch(source, -1) {
		if !slices.Contains(known, code[1]) {
			t.Errorf("%s is not in the table", code[1])
		}
	}
}

// read returns the texts of the files of a pattern, without tests.
func read(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal(err, pattern)
	}
	var b strings.Builder
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file, "_test.go") {
			b.Write(raw)
		}
	}
	return b.String()
}

// TestSeveritiesAreThoseOfTheSettings: a code is said with another severity, or not at all.
func TestSeveritiesAreThoseOfTheSettings(t *testing.T) {
	s := Settings{Severities: map[string]Severity{"CG405": Off, "CG205": Error, "CG001": Hint}}
	var said []string
	for _, f := range Check(s.Parse("doc.md", "# A\n\n@shell\nprompt: ls\n\nAfter.\n"), Options{}) {
		said = append(said, f.Code+" "+string(f.Severity))
	}
	if got := strings.Join(said, ", "); got != "CG205 error" {
		t.Error(got)
	}
	if f := s.Unread(os.ErrNotExist); len(f) != 1 || f[0].Severity != Hint {
		t.Errorf("%+v", f)
	}
}
