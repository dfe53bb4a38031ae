package graphfile

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"ctxledger.dev/graph"
	"ctxledger.dev/graph/files"
	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/tokens"
)

// world is a directory with documents, in which a text may be a document.
type world struct{ reader *files.Reader }

// worldOf writes documents into a directory.
func worldOf(t *testing.T, texts map[string]string) world {
	t.Helper()
	root := t.TempDir()
	for name, text := range texts {
		at := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reader, err := files.Open(root, graph.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reader.Close() })
	return world{reader}
}

// file returns the document doc.md of a text.
func (w world) file(text string) File {
	models := tokens.Builtin()
	d := w.reader.Parse("doc.md", text)
	f := File{Document: d, Meter: anyfile.Meter{Counter: models.For("gpt-5")}, Counter: models.For, Models: models,
		Around: w.reader.Options(d, models, "gpt-5", models.For)}
	f.Around.Costs = d.Costs(f.Around)
	return f
}

// numbers returns how many findings there are, by their codes with their severities, and with their messages.
func (f File) numbers() map[string]int {
	n := map[string]int{}
	for _, x := range Check(f) {
		n[x.Code+string(x.Severity)]++
		n[x.Code+x.Message]++
	}
	return n
}

// samples calls do with each document of the cases of this package and of graph.
func samples(t *testing.T, do func(name string, w world, source string)) {
	t.Helper()
	for _, pattern := range []string{"../../graph/testdata/cases/*.txtar", "../testdata/graph/*.txtar"} {
		all, err := filepath.Glob(pattern)
		if err != nil || len(all) == 0 {
			t.Fatal(err, "no cases")
		}
		for _, file := range all {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts := map[string]string{}
			for _, f := range archive.Files {
				texts[f.Name] = string(f.Data)
			}
			source := texts["doc.md"]
			if strings.Contains(filepath.Base(file), "crlf") {
				source = strings.ReplaceAll(source, "\n", "\r\n")
			}
			do(filepath.Base(file), worldOf(t, texts), source)
		}
	}
}

// generated calls do with documents that are made at random.
func generated(t *testing.T, do func(name string, w world, source string)) {
	t.Helper()
	n := uint64(400)
	if testing.Short() {
		n = 60
	}
	w := worldOf(t, map[string]string{"other.md": "# Facts {id=facts}\n\nOne.\n\n## Below\n\nTwo.\n"})
	for seed := range n {
		source := madeUp(rand.New(rand.NewPCG(seed, 45)))
		if seed%4 == 3 {
			source = strings.ReplaceAll(source, "\n", "\r\n")
		}
		do(fmt.Sprint("seed ", seed), w, source)
	}
}

// madeUp returns a document, with mistakes that people make.
func madeUp(r *rand.Rand) string {
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	ids := []string{"a", "b", "goal", "notes", "draft", "n2"}
	ref := func() string {
		return pick("a", "b", "goal", "notes", "draft", "n2", "a/*", "goal/*", "notes/*", "b/c", "gaol", "notse/*",
			"c", "source-notes", "first-title", "tool-1/*", `"a/*"`)
	}
	field := map[string]func() string{
		"block": func() string {
			return pick("block: "+ref(), fmt.Sprintf("block: [%s, %s]", ref(), ref()),
				fmt.Sprintf("block:\n  - %s\n  - %s", ref(), ref()), "block: {block_uri: "+ref()+"}",
				"blocks: "+ref(), "block:")
		},
		"prompt": func() string {
			return pick("prompt: Say it", "prompt: |\n  One\n\n  two", "promt: x", "prompt: see # this", "prompt:\t x")
		},
		"to":     func() string { return pick("to: ", "to: ") + ref() },
		"mode":   func() string { return "mode: " + pick("append", "prepend", "replace", "replase") },
		"header": func() string { return `use-header: "# New {id=` + pick(ids...) + `}"` },
		"other": func() string {
			return pick("context: none", "context: non", "tools: all", "tools: a, b", "tools: all\ntools-turns-max: 9",
				"run-once: yes", "run-once: true", "temperature: 3", "header-auto-align: true",
				"use-header: # X", "file: other.md", "file: othr.md")
		},
	}
	keys := slices.Sorted(maps.Keys(field))
	var b strings.Builder
	for range 4 + r.IntN(12) {
		switch r.IntN(9) {
		case 0, 1, 2, 3:
			b.WriteString(strings.Repeat("#", 1+r.IntN(3)) + " " +
				pick("First title", "A", "Second", "Ünder", "???", "C"))
			b.WriteString(pick("", "", " {id="+pick(ids...)+"}", " {id="+pick(ids...)+"}",
				" {#"+pick(ids...)+"}", " {id=1x}", "  {id=a b}"))
			b.WriteString(pick("\n\n", "\n\n", "\n") +
				pick("", "Text of it.\n\n", "Text\n\nmore text.\n\n", "- list\n\n"))
		case 4:
			fmt.Fprintf(&b, "## Tool %d {id=tool-%d}\n\n> TOOL RESPONSE, id: %d\nresponse:\n%s\n\n", r.IntN(3), r.IntN(9), r.IntN(9),
				strings.Repeat("found ", 1+r.IntN(5)))
		default:
			b.WriteString("@" +
				pick("llm", "llm", "llm", "llm", "return", "goto", "shell", "import", "run", "lm", "llm:") + "\n")
			var lines []string
			for _, k := range keys {
				if r.IntN(3) == 0 || k == "prompt" && r.IntN(2) == 0 || k == "block" && r.IntN(2) == 0 {
					lines = append(lines, field[k]())
				}
			}
			r.Shuffle(len(lines), func(i, k int) { lines[i], lines[k] = lines[k], lines[i] })
			b.WriteString(strings.Join(lines, "\n") + pick("\n\n", "\n\n", "\n\n", "\n"))
			b.WriteString(pick("", "", "", "behind it\n\n", "mode: append\n\n"))
		}
	}
	return b.String()
}

// offer is an action that is offered in a document: the fix of a finding, or a refactoring, which has none.
type offer struct {
	Action
	of graph.Finding
}

// offers returns what can be done in a document.
func offers(f File) (out []offer) {
	found := Check(f)
	for _, x := range found {
		for _, a := range Fixes(f, found, x.Code, x.At) {
			out = append(out, offer{a, x})
		}
	}
	add := func(at int, wanted func(title string) bool) {
		for _, a := range Refactorings(f, at) {
			if wanted(a.Title) {
				out = append(out, offer{Action: a})
			}
		}
	}
	for _, b := range f.Blocks[1:] {
		add(b.Heading().From, func(string) bool { return true })
		for _, name := range []string{"renamed", "a"} {
			if edits, err := Rename(f, b.Heading().From, name); err == nil {
				out = append(out, offer{Action: Action{Title: "Rename to " + name, Edits: edits}})
			}
		}
	}
	for _, o := range f.Operations {
		add(o.At.From, func(string) bool { return true })
		for _, m := range f.Mentions(o) {
			add(m.At.From, func(title string) bool { return strings.HasPrefix(title, "Name ") })
		}
	}
	return out
}

// change is an action that was applied.
type change struct {
	was, is File
	edits   []Edit
}

// inverse returns what undoes edits; ok is false if they overlap, or are not in the document.
func (c change) inverse() (edits []Edit, ok bool) {
	sorted := slices.Clone(c.edits)
	slices.SortStableFunc(sorted, func(a, b Edit) int { return cmp.Compare(a.From, b.From) })
	at, longer := 0, 0
	for _, e := range sorted {
		if e.From < at || e.To < e.From || e.To > c.was.Len() {
			return nil, false
		}
		from := e.From + longer
		edits = append(edits, Edit{graph.Span{From: from, To: from + len(e.Text)}, c.was.In(e.Span)})
		at, longer = e.To, longer+len(e.Text)-e.Len()
	}
	return edits, true
}

// now returns where an operation is after the change; nil: it is another one, or none.
func (c change) now(o *graph.Operation) *graph.Operation {
	at := o.At.From
	for _, e := range c.edits {
		switch {
		case e.To <= o.At.From:
			at += len(e.Text) - e.Len()
		case e.From < o.NameAt.To:
			return nil
		}
	}
	_, now := c.is.At(at)
	if now == nil || now.At.From != at {
		return nil
	}
	return now
}

// touches reports whether the change edits an operation.
func (c change) touches(o *graph.Operation) bool {
	return slices.ContainsFunc(c.edits, func(e Edit) bool { return e.From <= o.At.To && o.At.From <= e.To })
}

var (
	someID   = regexp.MustCompile(`[ \t]*\{[^{}]*\}`)
	signs    = regexp.MustCompile(`(?m)^ *#+ `)
	headings = regexp.MustCompile(`(?m)^ *#+ .*$`)
)

// sent returns what an operation sends as texts, without ids, levels of headings and space, and without some blocks.
func sent(f File, o *graph.Operation, but func(*graph.Block) bool) (texts []string) {
	for _, m := range f.Request(o) {
		if m.Block == nil || !but(m.Block) {
			text := signs.ReplaceAllString(someID.ReplaceAllString(m.Text, ""), "# ")
			texts = append(texts, string(m.Role)+": "+strings.Join(strings.Fields(text), " "))
		}
	}
	return texts
}

// nothing is no block.
func nothing(*graph.Block) bool { return false }

// bare returns the words that an operation sends, without headings.
func bare(f File, o *graph.Operation) (words []string) {
	for _, m := range f.Request(o) {
		words = append(words, strings.Fields(headings.ReplaceAllString(m.Text, ""))...)
	}
	return words
}

// revives are fixes that bring to life what was text: an operation, a parameter, a reference, a heading. That is checked then, and
// may be wrong.
const revives = "CG103 CG106 CG111 CG201 CG202 CG203 CG204 CG206 CG207 CG208 CG210 CG211 CG212 CG305 CG404"

// steps are fixes that are about what other operations send: text becomes a part of a block or none, a reference to an id that was
// none leads to it, and which steps run.
const steps = "CG103 CG106 CG202 CG204 CG206 CG207 CG208 CG211 CG404 CG506"

// changed returns how another operation sends something that the action says nothing of; "": none does.
func (c change) changed(a offer) string {
	leads := func(o *graph.Operation) bool { return o.Name == "goto" && c.touches(o) } // which steps run
	if strings.Contains(steps, cmp.Or(a.of.Code, "none")) || slices.ContainsFunc(c.was.Operations, leads) {
		return ""
	}
	replaced, moved := nothing, func(o *graph.Operation) func(*graph.Block) bool { return nothing }
	switch a.Title {
	case "Summarize and replace, same id":
		b, _ := c.was.At(a.Edits[len(a.Edits)-1].From - 1)
		replaced = func(x *graph.Block) bool { return x.Title == b.Title }
	case "Move to Source Notes":
		moved = c.moved
	}
	for _, o := range c.was.Operations {
		now := c.now(o)
		switch {
		case c.touches(o) && a.of.Code != "":
			continue
		case now == nil:
			return "@" + o.Name + " is gone"
		}
		was, is := sent(c.was, o, replaced), sent(c.is, now, replaced)
		switch {
		case strings.HasPrefix(a.Title, "Merge "):
			was, is = bare(c.was, o), bare(c.is, now)
		case a.Title == "Move to Source Notes":
			was = sent(c.was, o, moved(o))
		}
		if !slices.Equal(was, is) {
			return strings.Join(was, "\n") + "\n→\n" + strings.Join(is, "\n")
		}
	}
	return ""
}

// moved returns which blocks an operation sends no more when they are moved to Source Notes: those that it does not name.
func (c change) moved(o *graph.Operation) func(*graph.Block) bool {
	inside := func(b *graph.Block) bool { return c.edits[0].From <= b.Own.From && b.Own.To <= c.edits[0].To }
	return func(b *graph.Block) bool {
		return inside(b) && !slices.ContainsFunc(o.Selects(), func(r graph.Reference) bool {
			named := c.was.Find(r.Path).Block
			return named != nil && inside(named) && slices.Contains(c.was.Select(r), b)
		})
	}
}

// TestActionsKeepTheirPromises applies each fix, each refactoring and each renaming that is offered in a document, alone: a fix
// removes its finding; there is no error that was not there, unless a text comes to life; no other operation sends anything else,
// unless that is what the action is about; and undoing it restores each byte.
func TestActionsKeepTheirPromises(t *testing.T) {
	tried := map[string]bool{}
	check := func(name string, w world, source string) {
		f := w.file(source)
		before := f.numbers()
		for _, a := range offers(f) {
			title, _, _ := strings.Cut(a.Title, " ")
			tried[cmp.Or(a.of.Code, title)] = true
			c := change{f, w.file(applied(f.Document, a.Edits).Source()), a.Edits}
			for _, wrong := range c.wrong(a, before) {
				t.Errorf("%s: %s %q: %s\n%s\n→\n%s", name, a.of.Code, a.Title, wrong, source, c.is.Source())
			}
		}
	}
	samples(t, check)
	generated(t, check)
	for _, what := range []string{"Rename", "Name", "Summarize", "Let", "Move", "Merge"} {
		if !tried[what] {
			t.Errorf("%s was never offered", what)
		}
	}
	t.Log(slices.Sorted(maps.Keys(tried)))
}

// wrong returns what an action does that it should not; before are the findings before it.
func (c change) wrong(a offer, before map[string]int) (all []string) {
	back, ok := c.inverse()
	if !ok || applied(c.is.Document, back).Source() != c.was.Source() {
		all = append(all, fmt.Sprint("it cannot be undone: ", a.Edits))
	}
	lines := func(f File) int { return strings.Count(f.Source(), "\n") - strings.Count(f.Source(), "\r\n") }
	doubled := func(f File) int { return strings.Count(f.Source(), "\r\r") }
	if lines(c.was) == 0 && lines(c.is) > 0 || doubled(c.is) > doubled(c.was) {
		all = append(all, fmt.Sprintf("it mixes line ends: %+q", fmt.Sprint(a.Edits)))
	}
	after := c.is.numbers()
	if key := a.of.Code + a.of.Message; key != "" && after[key] >= before[key] {
		all = append(all, "its finding is still there")
	}
	for _, x := range Check(c.is) {
		more := x.Severity == graph.Error && after[x.Code+"error"] > before[x.Code+"error"]
		if more && !strings.Contains(revives, cmp.Or(a.of.Code, "none")) {
			all = append(all, "there is a new error: "+x.Code+" "+x.Message)
		}
	}
	if what := c.changed(a); what != "" {
		all = append(all, "another operation sends otherwise: "+what)
	}
	return all
}

// TestActionsThatWereWrong has actions that did something else once: what they make of a document, "" where they are not offered.
func TestActionsThatWereWrong(t *testing.T) {
	const summarize, both = "Summarize and replace, same id", "Select both"
	step := func(lines ...string) string { return "\n@llm\nprompt: x\n" + strings.Join(lines, "\n") + "\n" }
	for _, c := range []struct{ name, title, source, want string }{
		{"a summary ends before a heading without a blank line", summarize, "# A {id=a}\n\nText.\n# B {id=b}\n",
			"# A {id=a}\n\nText.\n\n@llm\nprompt: |\n" +
				"  Summarize this block. Keep each decision, name, number and open question.\n" +
				"block: a\nuse-header: \"# A {id=a}\"\nmode: replace\nto: a\n\n# B {id=b}\n"},
		{"a heading with a malformed id gets no second one", summarize, "# A {id=1x}\n\nText.\n", ""},
		{"a summary takes no id that another block has", summarize, "# A\n\nText.\n\n# B {id=a}\n", ""},
		{"both are a list outside of the quotes", both, "# A {id=a}\n\nText.\n\n## B\n" + step(`block: "a/*"`),
			"# A {id=a}\n\nText.\n\n## B\n" + step(`block: [a, "a/*"]`)},
		{"a list is outside of the quotes", "Write the list",
			"# A {id=a}\n\n# B {id=b}\n" + step(`block: "a, b"`),
			"# A {id=a}\n\n# B {id=b}\n" + step(`block: [a, b]`)},
		{"the name of a block is not looked for in a key", "Write goal",
			"# C {id=goal}\n" + step("block: {block_uri: c}"), "# C {id=goal}\n" + step("block: {block_uri: goal}")},
		{"a path leads through no other block of the name", "Write x",
			"# Dup\n\n# Dup\n\n## X {id=x}\n\n# C {id=c}\n" + step("block: c/x"),
			"# Dup\n\n# Dup\n\n## X {id=x}\n\n# C {id=c}\n" + step("block: x")},
		{"a jump leads to one block", "Name the blocks of a/*", "# A {id=a}\n\n## B\n\n@goto\nblock: a/*\n", ""},
		{"renaming reaches the header of what replaces the block", "Rename to renamed",
			"# A {id=a}\n" + step("block: a", `use-header: "# A {id=a}"`, "mode: replace", "to: a"),
			"# A {id=renamed}\n" +
				step("block: renamed", `use-header: "# A {id=renamed}"`, "mode: replace", "to: renamed")},
		{"what is moved is not taken for a block of the same title", "Move to Source Notes",
			"# A\n\n> TOOL RESPONSE, id: 1\n\n# A\n\nText.\n" + step("block: a"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, got := worldOf(t, nil).file(c.source), ""
			for _, a := range offers(f) {
				if a.Title == c.title {
					got = applied(f.Document, a.Edits).Source()
					break
				}
			}
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
