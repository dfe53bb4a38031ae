package graph

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/pattern"
)

// The shapes of headings that are none, or have their id elsewhere.
var (
	manySigns = pattern.Lazy(`(?m)^ {0,3}#{7,}([ \t].*)?$`)
	oddID     = pattern.Lazy(`\{\s*(?:#|id\s*[=:])\s*([^{}=:#]*)\}$`)
	openID    = pattern.Lazy(`\{id=([^{}]*)$`)
	someID    = pattern.Lazy(`\{id=[^{}]*\}`)
)

// structure checks headings, ids, fences and text outside of blocks.
func (c *checker) structure() {
	d := c.d
	if !d.source.valid() {
		at := d.Len() - len(validEnd(d.Source()))
		c.add("CG002", Error, Span{at, at + 1}, fmt.Sprintf("byte %d is not UTF-8", at))
	}
	for _, m := range d.marks {
		switch {
		case m.kind == fenceMark && m.open:
			c.add("CG003", Warning, m.at, "this code is never closed: all below it is code")
		case m.kind == htmlMark:
			c.openComment(m)
		case m.kind == listMark:
			c.hidden(m)
		case m.kind == setextHeading:
			c.add("CG106", Information, m.at, "an underlined heading does not open a block: write it with #").Fix =
				c.withSigns(m)
			c.hidden(m)
		case m.kind == textMark:
			c.text(m)
		case m.kind == atxHeading && !d.opens(&m):
			c.unseparated(m.at, "no blank line before this heading: it is text, as in Fractalic")
		}
	}
	for s := range d.Blocks[0].body {
		if text := strings.TrimLeft(d.In(s), " \t\r\n"); text != "" {
			c.add("CG101", Information, c.line(s.To-len(text)),
				"operations without block send text before the first heading; "+c.drops())
			break
		}
	}
	first := d.names.index().first
	for i, b := range d.Blocks {
		if i > 0 {
			c.heading(b)
		}
		if first[i] != i {
			c.duplicate(b, d.Blocks[first[i]])
		}
	}
}

// drops says what Fractalic does to text that is kept here.
func (c *checker) drops() string {
	if c.d.fractalic() {
		return "the program Fractalic drops it, compat: fractalic does not"
	}
	return "Fractalic drops it"
}

// openComment checks a comment that does not end where it should: not at all, or with one in it.
func (c *checker) openComment(m mark) {
	text := c.d.In(m.at)
	line := c.line(m.at.From)
	switch {
	case !strings.Contains(text, "-->"):
		c.add("CG003", Warning, line, "this comment is never closed: all below it is part of it")
	case len(meant(text, false)) > 0:
		c.add("CG003", Warning, line, "this comment ends where the next one does: the text between them is part of it")
	}
}

// validEnd returns the text from the first byte on that is not UTF-8.
func validEnd(text string) string {
	for text != "" {
		r, n := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && n == 1 {
			return text
		}
		text = text[n:]
	}
	return ""
}

// text checks a paragraph for what looks like a heading.
func (c *checker) text(m mark) {
	if text := c.d.In(m.at); strings.Contains(text, "#######") {
		for _, at := range manySigns().FindAllStringIndex(text, -1) {
			c.add("CG104", Warning, Span{at[0], at[1]}.moved(m.at.From),
				"a heading has at most 6 number signs: this is text")
		}
	}
	c.looksLikeOperation(m)
}

// heading checks the heading of a block.
func (c *checker) heading(b *Block) {
	switch {
	case b.Malformed():
		id := c.d.In(b.IDAt())
		f := c.add("CG103", Error, b.IDAt(), fmt.Sprintf("%q is no id: it has to begin with a letter, and has letters, "+
			"digits, - and _, at most %d", chars.Short(id, 40), maxID))
		if fixed := c.freeID(id, b); fixed != "" {
			f.Fix = &Fix{Title: "Write " + fixed, At: b.IDAt(), Text: fixed}
		}
	case !b.marked && strings.HasSuffix(b.Title, "}") && oddID().MatchString(b.Title):
		at := oddID().FindStringSubmatchIndex(b.Title)
		f := c.add("CG103", Error, Span{at[0], at[1]}.moved(b.Heading().From+b.at.From),
			"this is no id: an id is written {id=name}")
		if id := c.freeID(b.Title[at[2]:at[3]], b); id != "" {
			f.Fix = &Fix{Title: "Write {id=" + id + "}", At: f.At, Text: "{id=" + id + "}"}
		}
	case !b.marked && openID().MatchString(b.Title):
		at := openID().FindStringSubmatchIndex(b.Title)
		f := c.add("CG103", Error, Span{at[0], at[1]}.moved(b.Heading().From+b.at.From), "this id is never closed")
		if id := c.freeID(b.Title[at[2]:at[3]], b); id != "" {
			f.Fix = &Fix{Title: "Write {id=" + id + "}", At: f.At, Text: "{id=" + id + "}"}
		}
	case !b.marked && strings.Contains(b.Title, "{id="):
		if at := someID().FindStringIndex(c.d.In(b.Heading())); at != nil {
			f := c.add("CG111", Warning, Span{at[0], at[1]}.moved(b.Heading().From),
				"an id belongs at the end of the heading: this is text")
			id := c.d.In(f.At)
			if name := id[len("{id=") : len(id)-1]; c.freeID(name, b) == name {
				rest := strings.TrimLeft(strings.TrimRight(c.d.In(Span{f.At.To, b.Heading().To}), " \t#"), " \t")
				f.Fix = &Fix{Title: "Move it to the end", At: Span{f.At.From, b.Heading().To}, Text: rest + " " + id}
			}
		}
	}
	if strings.IndexByte(b.Title, '@') >= 0 {
		c.hiddenStep(b.Heading(), c.after(b.Heading()), false)
	}
	before, ok := c.before(b.Heading())
	if ok && strings.TrimSpace(c.d.In(before)) != "" && before.From >= c.d.Front.To {
		c.unseparated(b.Heading(), "no blank line before this heading: Fractalic takes it for text")
	}
	if b.Level > b.Parent.Level+1 && b.Parent.Level > 0 {
		c.add("CG109", Hint, b.Heading(),
			fmt.Sprintf("level %d below level %d: a level is skipped", b.Level, b.Parent.Level))
	}
	switch {
	case b.System:
	case b.ID == "" && b.Slug == "" && !b.marked:
		c.add("CG107", Warning, b.Heading(),
			"this block cannot be referred to by name: its heading has no letter or digit").Fix =
			&Fix{Title: "Add an id", At: Span{b.Heading().To, b.Heading().To}, Text: " {id=block-" + b.Key() + "}"}
	case b.foreign:
		c.add("CG108", Information, b.Heading(), fmt.Sprintf("Fractalic does not know the name %s", b.Name()))
	}
}

// unseparated says that a heading has no blank line before it.
func (c *checker) unseparated(at Span, message string) {
	c.add("CG105", Hint, at, message).Fix = &Fix{Title: "Insert a blank line", At: Span{at.From, at.From}, Text: "\n"}
}

// withSigns returns the fix that writes an underlined heading with number signs.
func (c *checker) withSigns(m mark) *Fix {
	first := c.line(m.at.From)
	for line := first; c.after(line) < c.d.Len(); {
		text := Span{first.From, line.To}
		line = c.line(c.after(line))
		if under := strings.TrimSpace(c.d.In(line)); under == "" || strings.Trim(under, "=-") != "" {
			continue
		}
		heading := strings.Repeat("#", m.Level) + " " + strings.Join(strings.Fields(c.d.In(text)), " ")
		return &Fix{Title: "Write " + chars.Short(heading, 60), At: Span{first.From, line.To}, Text: heading}
	}
	return nil
}

// freeID returns the id that was probably meant for a block; "" if none is evident, or it leads to another block.
func (c *checker) freeID(id string, b *Block) string {
	slug := Slug(id)
	if slug != "" && !isID(slug) {
		slug = "n" + slug
	}
	found := c.d.Find(slug).Block
	if !isID(slug) || found != nil && found != b || found == nil && len(c.made.by()[folded(slug)]) > 0 {
		return ""
	}
	return slug
}

// ascii reports whether a text has only ASCII.
func ascii(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// duplicate says that another block has the name of a block.
func (c *checker) duplicate(b, first *Block) {
	severity, kind := Warning, "name"
	if b.ID != "" {
		severity, kind = Error, "id"
	}
	c.add("CG102", severity, b.Heading(),
		fmt.Sprintf("the %s %s is taken: a reference leads to the first block with it", kind, b.Name())).Related =
		[]Related{{first.Heading(), "the first one"}}
}
