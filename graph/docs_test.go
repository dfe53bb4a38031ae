package graph

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestTheReferenceIsThatOfTheTables: docs/graph.md lists what operations take, written by -update.
func TestTheReferenceIsThatOfTheTables(t *testing.T) {
	const page = "../docs/graph.md"
	const from, to = "<!-- parameters, from the tables of package graph -->\n", "<!-- end of parameters -->"
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(raw), from)
	old, after, closed := strings.Cut(rest, to)
	if !found || !closed {
		t.Fatal("the page has no place for the parameters")
	}
	var b strings.Builder
	b.WriteString("\n| operation | does | needs |\n|---|---|---|\n")
	takers := map[string][]string{}
	for _, name := range sorted(operations) {
		spec := operations[name]
		fmt.Fprintf(&b, "| `@%s` | %s | `%s` |\n", name, spec.doc, strings.Join(spec.needs, "` or `"))
		for _, key := range sorted(spec.keys) {
			row := "`" + key + "` | " + spec.keys[key].doc
			takers[row] = append(takers[row], "`@"+name+"`")
		}
	}
	b.WriteString("\n| parameter | is | of |\n|---|---|---|\n")
	for _, row := range sorted(takers) {
		fmt.Fprintf(&b, "| %s | %s |\n", row, strings.Join(takers[row], " "))
	}
	b.WriteString("\n")
	switch now := b.String(); {
	case now == old:
	case *update:
		if err := os.WriteFile(page, []byte(before+from+now+to+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("docs/graph.md has other parameters than the tables: run go test ./graph -update")
	}
}
