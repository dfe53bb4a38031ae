package outline

import (
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"ctxledger.dev/lsp/text"
)

// Kind is the kind of a section.
type Kind int

// The kinds of sections.
const (
	Heading Kind = iota // of Markdown
	Function
	Method
	Type
	Constant
	Variable
	Block // lines that are indented deeper than the line before
)

// Section is a part of a document with a name. Positions are bytes from the start of the document.
type Section struct {
	Name     string
	Kind     Kind
	Depth    int // 0: top level
	From, To int // from the start of the first line to the end of the last, without its line end
	Decl     int // after the comment of a Go declaration, else From
	At, End  int // the name
}

// Most is the maximum number of sections of a document.
const Most = 20_000

// Language selects how sections are found.
type Language int

// The languages.
const (
	Indented Language = iota // any
	Markdown
	Go
)

// LanguageOf returns the language of a document by the editor's language id or the file extension.
func LanguageOf(id, name string) Language {
	switch ext := strings.ToLower(path.Ext(name)); {
	case id == "markdown", ext == ".md", ext == ".markdown", ext == ".ctx":
		return Markdown
	case id == "go", ext == ".go":
		return Go
	}
	return Indented
}

// Outline is the sections of one text, found on demand. It is safe for concurrent use.
type Outline struct {
	language Language
	text     *text.Text
	given    given                    // sections that were not found here; nil: they are found
	sections atomic.Pointer[sections] // nil: not used yet, or released
	mu       sync.Mutex               // held while sections are found
	parts    parts                    // guarded by mu; after an edit, until the first use
}

// sections are the sections of an outline.
type sections struct {
	parts parts
	spans []span
}

// parts are the elements of an outline in one language. A value is immutable.
type parts interface {
	// edit returns the parts of the edited text, or false if they cannot be derived.
	edit(before, after *text.Text, c text.Change) (parts, bool)
	// spans returns the sections of the text, sorted by their starts, the outer ones first.
	spans() []span
	// section returns the section of a span.
	section(t *text.Text, s span) Section
	// place converts a byte offset to the unit of spans.
	place(t *text.Text, offset int) int32
}

// span is the extent of a section: its first and last line in languages with marks, its first and last byte in Go.
type span struct {
	first, last int32
	depth       int32
	number      int32 // in Go, of the declaration; else the line with the name
}

// Of returns the outline of a text.
func Of(l Language, t *text.Text) *Outline { return &Outline{language: l, text: t} }

// Edit returns the outline of the text after an edit. after is that text.
func (o *Outline) Edit(c text.Change, after *text.Text) *Outline {
	edited := Of(o.language, after)
	if o.given != nil {
		edited.given = o.given.moved(c)
		return edited
	}
	if found := o.sections.Load(); found != nil {
		if p, ok := found.parts.edit(o.text, after, c); ok {
			edited.parts = p
		}
	}
	return edited
}

// Release drops the sections that were found. They are found again on the next use.
func (o *Outline) Release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.parts = nil
	o.sections.Store(nil)
}

// found returns the sections and finds them on the first call.
func (o *Outline) found() *sections {
	if found := o.sections.Load(); found != nil {
		return found
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	found := o.sections.Load()
	if found == nil {
		p := o.parts
		switch {
		case o.given != nil:
			p = o.given
		case p == nil:
			p = partsOf(o.language, o.text)
		}
		found = &sections{p, nest(p.spans())}
		o.parts = nil
		o.sections.Store(found)
	}
	return found
}

func partsOf(l Language, t *text.Text) parts {
	switch l {
	case Markdown:
		return markdown(marked(t, markdownMark))
	case Go:
		return parseGo(t)
	}
	return indented(marked(t, indentedMark))
}

// Len returns the number of sections.
func (o *Outline) Len() int { return len(o.found().spans) }

// Section returns the section with a number from 0.
func (o *Outline) Section(i int) Section {
	found := o.found()
	s := found.spans[i]
	section := found.parts.section(o.text, s)
	section.Depth = int(s.depth)
	return section
}

// nest sets depths.
func nest(spans []span) []span {
	var open []int32 // ends of the enclosing sections
	for i := range spans {
		s := &spans[i]
		for len(open) > 0 && open[len(open)-1] < s.first {
			open = open[:len(open)-1]
		}
		s.depth = int32(len(open))
		open = append(open, s.last)
	}
	return spans
}

// Around returns the innermost section at a byte, or false.
func (o *Outline) Around(offset int) (Section, bool) {
	found := o.found()
	at, innermost := found.parts.place(o.text, offset), -1
	for i, s := range found.spans {
		if s.first > at {
			break
		}
		if at <= s.last {
			innermost = i
		}
	}
	if innermost < 0 {
		return Section{}, false
	}
	return o.Section(innermost), true
}

// maxName is the maximum length of a name in bytes.
const maxName = 120

// short cuts a name to maxName.
func short(name []byte) string {
	if len(name) <= maxName {
		return string(name)
	}
	end := maxName
	for end > 0 && name[end]&0xc0 == 0x80 {
		end--
	}
	return string(name[:end]) + "…"
}
