package graph

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestMerge inserts the result of the first operation of each document of testdata/merge that inserts something. "want" and
// "fractalic" are made by -update: the document then, what its references lead to, and what is wrong with them.
func TestMerge(t *testing.T) {
	files, err := filepath.Glob("testdata/merge/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, "no cases")
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			all, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts := map[string]string{}
			for _, f := range all.Files {
				texts[f.Name] = string(f.Data)
			}
			source := texts["doc.md"]
			if name == "crlf" {
				source = strings.ReplaceAll(source, "\n", "\r\n")
			}
			for which, settings := range map[string]Settings{"want": {}, "fractalic": {Compat: Fractalic}} {
				at := slices.IndexFunc(all.Files, func(f txtar.File) bool { return f.Name == which })
				if at < 0 {
					continue
				}
				got := merged(t, settings.Parse("doc.md", source), texts["result"])
				if *update {
					all.Files[at].Data = []byte(got)
				} else if got != texts[which] {
					t.Errorf("%s: got\n%swant\n%s", which, got, texts[which])
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(all), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// merged writes down a document after a merge.
func merged(t *testing.T, d *Document, result string) string {
	t.Helper()
	i := slices.IndexFunc(d.Operations, func(o *Operation) bool {
		return operations[o.Name].merges && (o.field("to") != nil || o.field("mode") != nil || len(d.Operations) == 1)
	})
	before := d.Source()
	out, at, err := d.Merge(d.Operations[i], result)
	if d.Source() != before {
		t.Error("the document is not what it was")
	}
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	if diff := cmp.Diff(outlined(out.Again(out.Source())), outlined(out)); diff != "" {
		t.Errorf("it is not its text parsed: -parsed +merged\n%s", diff)
	}
	if last := result[strings.LastIndexByte(strings.TrimSpace(result), '\n')+1:]; !strings.Contains(out.In(at),
		strings.TrimSpace(last)) {
		t.Errorf("the result is not in %q", out.In(at))
	}
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(out.Source(), "\r\n", "␍\n"))
	b.WriteString("=== blocks and references\n")
	for _, x := range out.Blocks[1:] {
		b.WriteString(x.URI() + "\n")
	}
	for _, o := range out.Operations {
		for _, r := range o.references("block") {
			if m := out.Find(r.Path); m.Block != nil {
				b.WriteString(r.Path + " is " + m.Block.Title + "\n")
			}
		}
	}
	for _, f := range Check(out, Options{}) {
		if f.Code == "CG305" {
			b.WriteString("CG305: " + f.Message + "\n")
		}
	}
	return b.String()
}
