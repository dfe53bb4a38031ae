package graph

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"ctxledger.dev/internal/fault"
)

var update = flag.Bool("update", false, "rewrite what the cases want")

// TestCases reads the documents of testdata/cases. To add one, copy a file: doc.md is the document, want is made by -update, and
// other files are those that it names. A file "fractalic" is what -update makes by Fractalic's rules, and "visible" with operations
// visible.
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
			for name, settings := range map[string]Settings{"want": {}, "fractalic": {Compat: Fractalic},
				"visible": {Visible: true}} {
				at := slices.IndexFunc(all.Files, func(f txtar.File) bool { return f.Name == name })
				if at < 0 {
					continue
				}
				got := described(settings.Parse("doc.md", source), texts)
				if *update {
					all.Files[at].Data = []byte(got)
				} else if got != texts[name] {
					t.Errorf("%s: got\n%swant\n%s", name, got, texts[name])
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

// wordCount counts words.
func wordCount(string) Counting {
	return Counting{Of: func(text string) int { return len(strings.Fields(text)) }}
}

// described writes down what a document is: its blocks, what its operations send, and what is found.
func described(d *Document, files map[string]string) string {
	var b strings.Builder
	line := func(at int) int { return strings.Count(d.In(Span{0, at}), "\n") + 1 }
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
			fmt.Fprintf(&b, " %s=%q", f.Key, d.In(f.Value))
		}
		b.WriteString("\n")
		for _, m := range d.Request(o)[min(1, len(d.Request(o))):] {
			fmt.Fprintf(&b, "   %s %s %q\n", m.From, m.URI, m.Text)
		}
	}
	o := caseOptions(d, files)
	costs := d.Costs(o)
	for _, x := range d.Operations {
		if _, sends := costs.Of(x); !sends {
			fmt.Fprintf(&b, "%d sends nothing: %s\n", line(x.At.From), d.Silent(x))
		}
	}
	for _, c := range costs.Operations {
		for _, said := range Legend(c) {
			fmt.Fprintf(&b, "%d %s\n", line(c.Operation.At.From), said)
		}
	}
	for _, f := range Check(d, o) {
		fmt.Fprintf(&b, "%d %s %s %q: %s", line(f.At.From), f.Code, f.Severity, d.In(f.At), f.Message)
		for _, r := range f.Related {
			fmt.Fprintf(&b, " [%d %s]", line(r.At.From), r.Message)
		}
		if f.Fix != nil {
			fmt.Fprintf(&b, "\n   %s: %q → %q", f.Fix.Title, d.In(f.Fix.At), f.Fix.Text)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// caseOptions are what is known around the document of a case.
func caseOptions(d *Document, files map[string]string) Options {
	known := map[string]int{"": 8_000, "small": 40}
	o := Options{
		Window: func(name string) int { return known[name] },
		Known:  func(name string) bool { return name != "nobodys" },
		Count:  wordCount,
		Read: func(from, to string) (*Document, error) {
			to = path.Join(path.Dir(from), to)
			if strings.HasPrefix(to, "../") {
				return nil, ErrOutside
			}
			text, found := files[to]
			if to == "locked.md" {
				return nil, fault.New(fault.Denied, "test", "%s cannot be read", to)
			}
			if !found {
				return nil, fault.New(fault.NotFound, "test", "there is no file %s", to)
			}
			return d.settings.Parse(to, text), nil
		},
	}
	o.Exists = func(from, to string) error {
		_, err := o.Read(from, to)
		return err
	}
	return o
}
