package graph

import (
	"strings"

	"ctxledger.dev/internal/yamldoc"
)

// Compat says by whose rules a document is read where Fractalic's differ: see docs/graph.md.
type Compat string

// The rules there are. "" is Ours.
const (
	Ours      Compat = "ctxledger"
	Fractalic Compat = "fractalic"
)

// Settings say how documents are read and checked. The zero value has the defaults.
type Settings struct {
	Compat     Compat
	Severities map[string]Severity // by code, in the place of its own; Off: it is not said
	// Visible says that operations are part of the text before an operation: enableOperationsVisibility of Fractalic.
	Visible bool
}

// byteOrder is the mark of the byte order: it is no text.
const byteOrder = "\ufeff"

// Parse reads a document by the settings. Any text is one. path names its file.
func (s Settings) Parse(path, source string) *Document {
	rest := strings.TrimPrefix(source, byteOrder)
	_, body, _ := yamldoc.Front(rest)
	body += len(source) - len(rest)
	text := sourceOf(source)
	d := assembled(s, path, text, Span{0, body}, marksFrom(text, body, partsOf(text.size)), earlier{})
	d.silences = strings.Contains(source, silences)
	d.named(nil)
	return d
}

// Again reads another text as the document was read.
func (d *Document) Again(source string) *Document { return d.settings.Parse(d.Path, source) }

// fractalic reports whether a document is read by Fractalic's rules.
func (d *Document) fractalic() bool { return d.settings.Compat == Fractalic }

// opens reports whether a heading opens a block: for Fractalic only behind a blank line.
func (d *Document) opens(m *mark) bool {
	if !d.fractalic() {
		return true
	}
	before := strings.TrimRight(strings.TrimSuffix(d.Source()[d.Front.To:m.at.From], "\n"), " \t\r")
	return before == "" || strings.HasSuffix(before, "\n")
}

// inherits reports whether a block that is added is part of the system prompt as its parent is: for Fractalic, operations
// between them end that.
func (d *Document) inherits(parent *Block) bool {
	n := len(d.Operations)
	return parent.System && !(d.fractalic() && n > 0 && d.Operations[n-1].At.From > parent.Own.From)
}

// above returns what a block contributes to the text above an operation: all of it up to an offset.
func (d *Document) above(b *Block, end int) string {
	if !d.settings.Visible {
		return d.textUpTo(b, end)
	}
	return strings.Trim(d.In(Span{b.Own.From, max(b.Own.From, min(b.Own.To, end))}), " \t\r\n")
}
