package graph

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// What a fix brings to life is checked then: an operation, a parameter, a reference or a heading that was text.
const (
	revives  = "CG106 CG201 CG202 CG203 CG204 CG206 CG207 CG208 CG211 CG305 CG404"
	revealed = "CG109 CG203 CG205 CG215 CG303 CG311 CG403 CG405 CG503 CG504 CG509 CG510 CG514"
)

// TestFixesRemoveTheirFindings applies each fix that is offered in a case, alone: its finding is gone, and there is no new one.
func TestFixesRemoveTheirFindings(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, "no cases")
	}
	for _, file := range files {
		all, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts := map[string]string{}
		for _, f := range all.Files {
			texts[f.Name] = string(f.Data)
		}
		source := texts["doc.md"]
		if strings.Contains(filepath.Base(file), "crlf") {
			source = strings.ReplaceAll(source, "\n", "\r\n")
		}
		found := func(source string) (list []Finding, n map[string]int) {
			d := Settings{}.Parse("doc.md", source)
			n = map[string]int{}
			list = Check(d, caseOptions(d, texts))
			for _, f := range list {
				n[f.Code]++
			}
			return list, n
		}
		list, before := found(source)
		for _, f := range list {
			if f.Fix == nil {
				continue
			}
			text := source[:f.Fix.At.From] + f.Fix.Text + source[f.Fix.At.To:]
			_, after := found(text)
			if after[f.Code] >= before[f.Code] {
				t.Errorf("%s: %s %q is still there after %q", filepath.Base(file), f.Code, f.At.In(source), f.Fix.Title)
			}
			for code, n := range after {
				known := strings.Contains(revives, f.Code) && strings.Contains(revealed, code)
				if n > before[code] && !known {
					t.Errorf("%s: %s %q: after %q there is %s", filepath.Base(file), f.Code, f.At.In(source),
						f.Fix.Title, code)
				}
			}
		}
	}
}
