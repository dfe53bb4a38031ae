package compaction

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"ctxledger.dev/compaction/effects"
	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/chars"
)

const (
	symbolsHead = "[SYMBOL DEPENDENCY GRAPH — %s node(s) across %s file(s)]"
	// symbolNodes is how many definitions and references are shown, symbolWords how many words of a file are looked at, and
	// symbolLetters how long a name is at least that is found in other files: shorter ones mean something else there.
	symbolNodes   = 200
	symbolWords   = 20_000
	symbolLetters = 4
)

// symbolFile is a file that the session wrote: what it declares, and the words that edits put there.
type symbolFile struct {
	path  string
	net   map[string]bool   // names that its edits added or changed, and that are there
	kinds map[string]string // of these, those of symbols
	words map[string]bool
}

// A symbolNode is a line of the graph. target is where a name is defined that the file refers to; "": the file defines it.
type symbolNode struct{ name, kind, target string }

func (n symbolNode) String() string {
	if n.target == "" {
		return "SymbolDefinition (" + n.kind + "): " + n.name
	}
	return "SymbolReference: " + n.name + " → " + n.target
}

// addSymbols adds what written files define, and what they use of each other, where that is asked for: by the recorded edits
// alone, so that a replay gives the same.
func addSymbols(s *source, d *layout.Document) error {
	if !s.o.Symbols {
		return nil
	}
	files, err := s.symbolFiles()
	if err != nil {
		return err
	}
	b := d.Block(&layout.Block{More: layout.CountOf("more node")})
	nodes, shown := 0, 0
	for _, f := range files {
		all := f.nodes(files)
		if all = all[:min(len(all), symbolNodes-nodes)]; len(all) == 0 {
			continue
		}
		add := d.Under(b, layout.Line{Text: barred("File: " + layout.OneLine(f.path, 300)), Class: layout.ClassLook,
			Pos: int64(shown) << 10})
		for i, n := range all {
			add(layout.Line{Text: "  " + layout.OneLine(n.String(), 300), Class: layout.ClassLook,
				Pos: int64(shown)<<10 + int64(i) + 1})
		}
		nodes, shown = nodes+len(all), shown+1
	}
	b.Head = fmt.Sprintf(symbolsHead, chars.Commas(nodes), chars.Commas(shown))
	return nil
}

// symbolFiles returns the files that the session wrote and that are there, by path.
func (s *source) symbolFiles() ([]*symbolFile, error) {
	of := map[string]*symbolFile{}
	for _, f := range s.work.files {
		if !f.affected() || f.gone() || f.undone() {
			continue
		}
		net := map[string]bool{}
		for _, name := range slices.Concat(f.Added, f.Changed) {
			net[name] = true
		}
		of[f.Path] = &symbolFile{f.Path, net, map[string]string{}, map[string]bool{}}
	}
	for i := range s.in.Operations {
		op := &s.in.Operations[i]
		writes := op.Op == intents.OpWrite || op.Op == intents.OpPatch
		if op.Status != intents.Applied || !writes || s.in.talk.never[op.CallID] {
			continue
		}
		edits, err := s.in.editsOf(op)
		if err != nil {
			return nil, err
		}
		for _, e := range edits {
			if f := of[s.work.present(s.in.path(cmp.Or(e.Path, op.Target)))]; f != nil {
				f.take(e)
			}
		}
	}
	byPath := func(a, b *symbolFile) int { return strings.Compare(a.path, b.path) }
	return slices.SortedFunc(maps.Values(of), byPath), nil
}

// take follows an edit.
func (f *symbolFile) take(e intents.Edit) {
	if e.Whole {
		clear(f.words)
	}
	for _, sym := range effects.Symbols(f.path, e.New) {
		if f.net[sym.Name] {
			f.kinds[sym.Name] = sym.Kind
		}
	}
	for w := range wordsOf(e.Old) {
		delete(f.words, w)
	}
	for w := range wordsOf(e.New) {
		if len(f.words) < symbolWords {
			f.words[w] = true
		}
	}
}

// wordsOf yields the identifiers in a text.
func wordsOf(text string) func(yield func(string) bool) {
	return strings.FieldsFuncSeq(text, func(r rune) bool {
		return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// nodes returns what the file defines, and then what it uses of other files, by name.
func (f *symbolFile) nodes(files []*symbolFile) (out []symbolNode) {
	for _, name := range slices.Sorted(maps.Keys(f.kinds)) {
		out = append(out, symbolNode{name: name, kind: f.kinds[name]})
	}
	own := len(out)
	at := map[string]string{} // where a name is defined; "": in several files, or in this one
	for _, other := range files {
		for name := range other.kinds {
			short := name[strings.LastIndexByte(name, '.')+1:]
			if _, again := at[short]; again || other == f {
				at[short] = ""
				continue
			}
			at[short] = other.path
		}
	}
	for name, target := range at {
		if target != "" && len(name) >= symbolLetters && f.words[name] {
			out = append(out, symbolNode{name: name, target: target})
		}
	}
	slices.SortFunc(out[own:], func(a, b symbolNode) int { return strings.Compare(a.name, b.name) })
	return out
}
