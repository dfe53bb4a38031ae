package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheIndexHasEveryPage: docs/README.md lists every page of docs/, and links nothing that does not exist.
func TestTheIndexHasEveryPage(t *testing.T) {
	raw, err := os.ReadFile("../../docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{"README.md": true}
	for _, m := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(string(raw), -1) {
		linked[m[1]] = true
		if _, err := os.Stat("../../docs/" + m[1]); err != nil {
			t.Errorf("docs/README.md links %s: %v", m[1], err)
		}
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	tutorials, err := filepath.Glob("../../docs/tutorials/*.md")
	if err != nil || len(tutorials) < 6 {
		t.Fatalf("%d tutorials, %v", len(tutorials), err)
	}
	for _, page := range append(pages, tutorials...) {
		if name := strings.TrimPrefix(filepath.ToSlash(page), "../../docs/"); !linked[name] {
			t.Errorf("docs/README.md does not list %s", name)
		}
	}
}

// TestTheGuideHasEveryRowOfTheStatus: docs/guide.md explains each row that `ctxledger status` can print. A row is a word of
// at most ten columns at the beginning of a line that cli/pages prints.
func TestTheGuideHasEveryRowOfTheStatus(t *testing.T) {
	guide, err := os.ReadFile("../../docs/guide.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?:Fprint(?:f|ln)\([a-z.W]+|p\.say\(.*), (?:p\.Own\()?"([a-z][a-z ]{9}) `)
	found := 0
	for _, file := range []string{"status.go", "window.go"} {
		source, err := os.ReadFile("../../cli/pages/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range row.FindAllStringSubmatch(string(source), -1) {
			found++
			if name := strings.TrimSpace(m[1]); !strings.Contains(string(guide), "`"+name+"`") {
				t.Errorf("docs/guide.md does not explain the row %q", name)
			}
		}
	}
	if found < 25 {
		t.Errorf("only %d rows were found in cli/pages", found)
	}
}
