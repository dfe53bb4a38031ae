package graph

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite what the cases want")

// TestCases reads the documents of testdata/cases. To add one, copy a file: doc.md is the document, want is made by -update, and
// other files are those that it names.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, "no cases")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
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
			got := described(Parse("doc.md", source), texts)
			if *update {
				for i, f := range all.Files {
					if f.Name == "want" {
						all.Files[i].Data = []byte(got)
					}
				}
				if err := os.WriteFile(file, txtar.Format(all), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != texts["want"] {
				t.Errorf("got\n%swant\n%s", got, texts["want"])
			}
		})
	}
}

// described writes down what a document is: its blocks, what its operations send, and what is found.
func described(d *Document, files map[string]string) string {
	var b strings.Builder
	line := func(at int) int { return strings.Count(d.Source[:at], "\n") + 1 }
	for _, x := range d.Blocks[1:] {
		fmt.Fprintf(&b, "%s %q %s", strings.Repeat("#", x.Level), x.Title, x.URI())
		if x.System {
			b.WriteString(" system")
		}
		b.WriteString("\n")
	}
	for _, o := range d.Operations {
		fmt.Fprintf(&b, "%d @%s", line(o.At.From), o.Name)
		for _, f := range o.Fields {
			fmt.Fprintf(&b, " %s=%q", f.Key, f.Value.In(d.Source))
		}
		b.WriteString("\n")
		for _, m := range d.Request(o)[min(1, len(d.Request(o))):] {
			fmt.Fprintf(&b, "   %s %s %q\n", m.From, m.URI, m.Text)
		}
	}
	known := map[string]int{"": 8_000, "small": 40}
	for _, f := range Check(d, Options{
		Window: func(name string) int { return known[name] },
		Count:  func(text string) int { return len(strings.Fields(text)) },
		Read: func(from, to string) (*Document, error) {
			to = path.Join(path.Dir(from), to)
			if strings.HasPrefix(to, "../") {
				return nil, ErrOutside
			}
			text, found := files[to]
			if !found {
				return nil, errors.New("there is no file " + to)
			}
			return Parse(to, text), nil
		},
	}) {
		fmt.Fprintf(&b, "%d %s %s %q: %s", line(f.At.From), f.Code, f.Severity, f.At.In(d.Source), f.Message)
		for _, r := range f.Related {
			fmt.Fprintf(&b, " [%d %s]", line(r.At.From), r.Message)
		}
		if f.Fix != nil {
			fmt.Fprintf(&b, "\n   %s: %q → %q", f.Fix.Title, f.Fix.At.In(d.Source), f.Fix.Text)
		}
		b.WriteString("\n")
	}
	return b.String()
}
