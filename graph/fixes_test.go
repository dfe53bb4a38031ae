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

// changedOther returns an operation that sends another request once a text is edited, besides the one that is edited; "": none.
// Ids are left out of the comparison.
func changedOther(source, text string, at Span) string {
	was, is := Settings{}.Parse("doc.md", source), Settings{}.Parse("doc.md", text)
	sent := func(d *Document, i int) string {
		var all strings.Builder
		for _, m := range d.Request(d.Operations[i]) {
			all.WriteString(strings.TrimSpace(someID().ReplaceAllString(m.Text, "")) + "\n\n")
		}
		return strings.Join(strings.Fields(all.String()), " ")
	}
	for i, o := range was.Operations {
		if o.At.From <= at.To && at.From <= o.At.To || len(is.Operations) != len(was.Operations) {
			continue // or there is a new operation, which was text
		}
		if before, after := sent(was, i), sent(is, i); before != after {
			return before + "\n→\n" + after
		}
	}
	return ""
}

// What these fixes are about is what others send: text that becomes a part of a block, or is replaced, and which steps run.
const changes = "CG106 CG204 CG208 CG404 CG506"

// TestFixesRemoveTheirFindings applies each fix that is offered in a case, alone: its finding is gone, there is no new one, and no
// other operation sends anything else.
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
			if other := changedOther(source, text, f.Fix.At); other != "" && !strings.Contains(changes, f.Code) {
				t.Errorf("%s: %s %q: after %q another operation sends otherwise: %s", filepath.Base(file), f.Code,
					f.At.In(source), f.Fix.Title, other)
			}
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
