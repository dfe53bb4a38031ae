package outline

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/lsp/text"
	"ctxledger.dev/tokens"
)

var (
	sequences = flag.Int("sequences", 300, "how many random `sequences` of edits are made")
	seed      = flag.Uint64("seed", 1, "the `seed` of the random edits")
)

// all returns the sections of an outline.
func (o *Outline) all() []Section {
	list := make([]Section, o.Len())
	for i := range list {
		list[i] = o.Section(i)
	}
	return list
}

func textOf(raw string) *text.Text { return text.New(tokens.O200kBase, []byte(raw)) }

// show writes sections one a line: depth by indentation, name, first and last line.
func show(raw string, sections []Section) string {
	var b strings.Builder
	for _, s := range sections {
		line := func(at int) int { return strings.Count(strings.ReplaceAll(raw[:at], "\r\n", "\n"), "\n") + 1 }
		fmt.Fprintf(&b, "%s%s %d-%d\n", strings.Repeat("  ", s.Depth), s.Name, line(s.From), line(s.To))
	}
	return b.String()
}

func TestSectionsAreWhatAReaderSees(t *testing.T) {
	for _, c := range []struct {
		name     string
		language Language
		raw      string
		want     string
	}{
		{"nothing", Markdown, "", ""},
		{"headings nest", Markdown, "intro\n# A\ntext\n## B\nb\n\n## C\n# D\nd\n\n\n",
			"A 2-7\n  B 4-5\n  C 7-7\nD 8-9\n"},
		{"signs at the end, indentation", Markdown, "   # A ##\n    # code\n#no\n####### seven\n", "A 1-4\n"},
		{"underlined", Markdown, "A\n===\na\n\nB\n---\nb\n\n---\n", "A 1-9\n  B 5-9\n"},
		{"fences", Markdown, "# A\n```go\n# no\n~~~\n```\n~~~~\n```\n# no\n~~~~\n# B\n", "A 1-9\nB 10-10\n"},
		{"a fence that never ends", Markdown, "# A\n```\n# no\n", "A 1-3\n"},
		{"front matter", Markdown, "---\ntitle: x\n# no\n---\n# A\n", "A 5-5\n"},
		{"carriage returns", Markdown, "# A\r\nx\r\n# B\r\n", "A 1-2\nB 3-3\n"},
		{"no name", Markdown, "#\nx\n", " 1-2\n"},
		{"go", Go,
			"package p\n\n// F does.\nfunc F() {\n}\n\ntype (\n\tA int\n\t// B is.\n\tB struct {\n\t\tx int\n\t}\n)\n\nfunc (t *T[K]) M() {}\n\nconst (\n\ta = 1\n\tb = 2\n)\n",
			"F 3-5\nA 8-8\nB 9-12\n(*T).M 15-15\na, … 17-20\n"},
		{"broken go", Go, "package p\nfunc F() {\n\tif {\n}\nfunc G() {}\n", "F 2-6\n"},
		{"no go at all", Go, "\x00\xff", ""},
		{"python", Indented,
			"import x\n\nclass A:\n    def f(self):\n        return 1\n\n    def g(self):\n        pass\nx = 1\n",
			"class A 3-8\n  def f(self) 4-5\n  def g(self) 7-8\n"},
		{"braces", Indented, "function f() {\n  if (x) {\n    y()\n  } else {\n    z()\n  }\n}\n",
			"function f() 1-7\n  if (x) 2-4\n"},
		{"tabs and spaces", Indented, "a:\n\tb\n        c\n", "a 1-3\n  b 2-3\n"},
		{"ruby", Indented, "def a\n  1\nend\n", "def a 1-3\n"},
	} {
		if got := show(c.raw, Of(c.language, textOf(c.raw)).all()); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
	}
}

// TestADeclarationBeginsBehindItsComment wants the lines that stay when sections are folded.
func TestADeclarationBeginsBehindItsComment(t *testing.T) {
	for _, c := range []struct {
		language Language
		raw      string
		want     []string
	}{
		{Go,
			"package p\n\n// F does.\n// Much.\nfunc F() {\n}\n\n// C are.\nconst (\n\ta = 1\n)\n\ntype (\n\t// A is.\n\tA struct{}\n)\nvar x int\n",
			[]string{"func F() {", "const (", "A struct{}", "var x int"}},
		{Markdown, "x\n# A\n\nB\n---\n", []string{"# A", "B"}},
		{Indented, "def f:\n  x\n", []string{"def f:"}},
	} {
		var got []string
		for _, s := range Of(c.language, textOf(c.raw)).all() {
			line, _, _ := strings.Cut(c.raw[s.Decl:], "\n")
			got = append(got, line)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d: sections are declared at %q, not %q", c.language, got, c.want)
		}
	}
}

// FuzzSectionsNest holds every outline against what the package promises.
func FuzzSectionsNest(f *testing.F) {
	for _, s := range []string{"# A\n## B\n", "package p\nfunc f() {\n}\n", "a:\n  b:\n   c\n", "A\n===\r\n```\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, l := range []Language{Markdown, Go, Indented} {
			check(t, l, raw)
		}
	})
}

func check(t *testing.T, l Language, raw []byte) {
	t.Helper()
	var open []Section
	last := 0
	for _, s := range Of(l, textOf(string(raw))).all() {
		if s.From < last || s.To > len(raw) || s.From > s.Decl || s.Decl > s.At || s.At > s.End || s.End > s.To {
			t.Fatalf("%d: section %+v of %d bytes behind %d", l, s, len(raw), last)
		}
		last = s.From
		if s.Depth > len(open) {
			t.Fatalf("%d: %+v is deeper than what is open: %+v", l, s, open)
		}
		open = append(open[:s.Depth], s)
		if s.Depth > 0 && open[s.Depth-1].To < s.To {
			t.Fatalf("%d: %+v ends behind %+v", l, s, open[s.Depth-1])
		}
	}
}

func TestSectionsOfRealFilesNest(t *testing.T) {
	for _, name := range []string{
		"../../README.md", "../../docs/architecture.md", "outline.go", "../../engine/engine.go",
	} {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range []Language{Markdown, Go, Indented} {
			check(t, l, raw)
		}
	}
}

// What edits are made of: everything that a language looks at.
var scraps = []string{"", "x", "\n", "\r", "\r\n", "# A\n", "## B\n", "===\n", "---\n", "```\n", "~~~go\n", "\n\n",
	"text\n", "    deep\n", "\t", "  ", "{\n", "}\n",
	"func f() {\n\tx()\n}\n\n", "// c\n", "type (\n\tA int\n)\n", "`",
	"/*", "*/", "\"", "var a = 1\n", "package p\n", "end\n", "a:\n", "...\n"}

// TestAnOutlineFollowsEdits compares outlines after random edits with new ones.
func TestAnOutlineFollowsEdits(t *testing.T) {
	for n := range *sequences {
		rng := rand.New(rand.NewPCG(*seed, uint64(n)))
		l := Language(n % 3)
		raw := "package p\n\n"
		for range rng.IntN(30) {
			raw += scraps[rng.IntN(len(scraps))]
		}
		if l == Go && n%2 == 0 { // one that parses, at first
			raw = "package p\n\n" +
				strings.Repeat("// F does.\nfunc F() {\n\tx()\n}\n\ntype (\n\tA int\n\tB int\n)\n\n", 3)
		}
		x := textOf(raw)
		o := Of(l, x)
		o.Len()
		for range 40 {
			from := rng.IntN(x.Len() + 1)
			to := min(x.Len(), from+rng.IntN(3)*rng.IntN(4))
			c := text.Change{From: from, To: to, With: scraps[rng.IntN(len(scraps))]}
			before := string(x.Bytes(0, x.Len()))
			if rng.IntN(8) == 0 {
				x.Release()
				o.Release()
			}
			x = x.Replace(c.From, c.To, c.With)
			o = o.Edit(c, x)
			got, want := fmt.Sprint(o.all()), fmt.Sprint(Of(l, textOf(string(x.Bytes(0, x.Len())))).all())
			if got != want {
				t.Fatalf("seed %d, sequence %d: %+v in %q gives\n%s, not\n%s", *seed, n, c, before, got, want)
			}
		}
	}
}

// TestBrokenGoIsReadAnew edits source that does not parse: what follows the edits is what is found again, though the
// edited part alone parses.
func TestBrokenGoIsReadAnew(t *testing.T) {
	for _, c := range []struct {
		name  string
		raw   string
		edits []text.Change
	}{
		{"the end of a declaration that ran on", "package p\nvar func F(\n",
			[]text.Change{{From: 15, To: 18, With: "="}}},
		{"the middle of one", "package p\ntype T struct {\ngo ", []text.Change{{From: 23, To: 26}}},
		{"what was skipped behind the last one", "package p\n\nvar a = 1\n*if {\n;*/",
			[]text.Change{{From: 20, To: 22}, {From: 18, To: 20}}},
		{"what was skipped further behind it",
			"package p\nconst c*onst c\n[func (r R( M() {\n}\ninterface{func F() {\n\tx()\n}\n",
			[]text.Change{{From: 16, To: 20}}},
		{"what was skipped before the next one", "package p\nfunc (r R) M() {\n}\n\n{",
			[]text.Change{{From: 24, To: 27, With: "interface{"}}},
		{"a place that an edit before has moved", "package p\nfunc A() {\n\tx()\n}\n\nvar func F(\n",
			[]text.Change{{From: 24, To: 24, With: strings.Repeat("y", 50)}, {From: 84, To: 87, With: "="}}},
		{"a place that an edit before has kept",
			"package p\nimport \"x\"\nvar a = 1\ntype T struct {\ntype (\n\tA int\n)\n(",
			[]text.Change{{From: 18, To: 18}, {From: 44, To: 47}}},
	} {
		x := textOf(c.raw)
		o := Of(Go, x)
		o.Len()
		for _, e := range c.edits {
			x = x.Replace(e.From, e.To, e.With)
			o = o.Edit(e, x)
			got, want := fmt.Sprint(o.all()), fmt.Sprint(Of(Go, textOf(string(x.Bytes(0, x.Len())))).all())
			if got != want {
				t.Errorf("%s: %+v gives\n%s, not\n%s", c.name, e, got, want)
			}
		}
	}
}
