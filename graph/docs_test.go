package graph

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestTheReferenceIsThatOfTheTables: docs/graph.md lists what operations take and what findings say, written by -update.
func TestTheReferenceIsThatOfTheTables(t *testing.T) {
	const page = "../docs/graph.md"
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	now := string(raw)
	for name, text := range map[string]string{"parameters": parameterTables(), "findings": findingTable()} {
		place := regexp.MustCompile("(?s)(<!-- " + name + ", [^\n]*-->\n).*?(<!-- end of " + name + " -->)")
		if !place.MatchString(now) {
			t.Fatalf("the page has no place for the %s", name)
		}
		now = place.ReplaceAllStringFunc(now, func(old string) string {
			m := place.FindStringSubmatch(old)
			return m[1] + text + m[2]
		})
	}
	switch {
	case now == string(raw):
	case *update:
		if err := os.WriteFile(page, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("docs/graph.md has other tables than the package: run go test ./graph -update")
	}
}

// parameterTables are what operations take.
func parameterTables() string {
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
	return b.String() + "\n"
}

// findingTable is what findings say.
func findingTable() string {
	var b strings.Builder
	b.WriteString("\n| code | severity | means | what to do |\n|---|---|---|---|\n")
	for _, c := range Codes() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", c.Code, c.Severity, c.Means, c.Remedy)
	}
	return b.String() + "\n"
}
