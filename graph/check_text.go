package graph

import (
	"fmt"
	"regexp"
	"strings"

	"ctxledger.dev/internal/pattern"
)

// Lines that look like the beginning of a known operation, however they are decorated; and the parameter below one.
var (
	likeStep = pattern.Lazy(`(?i)^[\s\x{a0}\x{feff}>*_+#-]*(?:\d+[.)][\s\x{a0}]+)?(?:\*\*|__)?@[ \t\x{a0}]?([a-z]+)(?:\*\*|__)?` +
		`(?:[\s\x{a0}:#*_]*|\(.*\)|:[ \t].*)$`)
	// With these a fix would leave something out, or leave what is below in a list.
	inside  = pattern.Lazy(`^\s*(?:[>*+-]|\d+[.)])\s|[(:].*\w`)
	likeKey = pattern.Lazy(`^[\s\x{a0}>]*([a-z][a-z-]*)[ \t]*:(?:\s|$)`)
)

// seemsStep reports whether a text has a line that looks like the beginning of an operation.
func seemsStep(text string) bool {
	for line := range strings.Lines(text) {
		if strings.IndexByte(line, '@') >= 0 && step(line) != "" {
			return true
		}
	}
	return false
}

// Like returns the first line, from 1, that begins with the name of an operation, whatever is around it; 0: none does.
func (d *Document) Like() int {
	for _, m := range d.marks {
		at := m.at.From
		for line := range strings.Lines(d.In(m.at)) {
			name, named := strings.CutPrefix(strings.TrimLeft(line, " \t>*_+-0123456789.)"), "@")
			name = name[:len(name)-len(strings.TrimLeft(name, letters))]
			if _, known := operations[strings.ToLower(name)]; named && known && m.kind != fenceMark {
				number, _ := d.Place(at)
				return number
			}
			at += len(line)
		}
	}
	return 0
}

// step returns the known operation that a line seems to begin; "": none.
func step(line string) string {
	m := matched(likeStep(), line)
	if _, known := operations[strings.ToLower(m)]; !known {
		return ""
	}
	return strings.ToLower(m)
}

// matched returns what the group of a pattern matches at the beginning of a line of reasonable length.
func matched(p *regexp.Regexp, line string) string {
	const longest = 200
	if m := p.FindStringSubmatch(strings.TrimRight(line[:min(len(line), longest)], "\r\n")); m != nil {
		return m[1]
	}
	return ""
}

// hidden checks text for lines that look like operations, where none begins: with a parameter below, but in a list, a quote or
// HTML, or written another way.
func (c *checker) hidden(m mark) {
	if len(c.d.Operations) == 0 || m.kind == htmlMark && m.open {
		return
	}
	fence := ""
	html := m.kind == listMark && strings.HasPrefix(strings.TrimLeft(c.d.In(m.at), " "), "<")
	for at := m.at.From; at < m.at.To; {
		line := c.line(at)
		text := c.d.In(line)
		at = c.after(line)
		bare := strings.TrimLeft(text, " \t>-*+0123456789.)")
		switch {
		case fence != "" && strings.HasPrefix(bare, fence):
			fence = ""
		case fence == "" && (strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~")):
			fence = bare[:3]
		case fence == "" && strings.IndexByte(text, '@') >= 0:
			c.hiddenStep(line, at, html)
		}
	}
}

// hiddenStep checks a line that has the sign of operations; below is where the next one begins.
func (c *checker) hiddenStep(line Span, below int, html bool) {
	text := c.d.In(line)
	name := step(text)
	if name == "" || strings.HasPrefix(text, "    ") || strings.HasPrefix(text, "\t") {
		return
	}
	next := c.line(below)
	end := line.To
	if heading := strings.HasPrefix(text, "#"); heading && strings.TrimSpace(c.d.In(next)) == "" {
		end = c.after(next)
		next = c.line(end)
	}
	if _, known := operations[name].keys[matched(likeKey(), c.d.In(next))]; !known {
		return
	}
	if strings.EqualFold(strings.TrimRight(text, " \t"), "@"+name) {
		f := c.add("CG206", Error, line, fmt.Sprintf("no blank line before @%s: this is text, and does nothing", name))
		if !html {
			f.Fix = &Fix{Title: "Insert a blank line", At: Span{line.From, line.From}, Text: "\n"}
		}
		return
	}
	f := c.add("CG206", Warning, line, fmt.Sprintf("this is text, and does nothing: an operation is @%s alone, at the "+
		"beginning of a line", name))
	if c.blankAbove(line.From) && !html && !inside().MatchString(text) {
		f.Fix = &Fix{Title: "Write @" + name, At: Span{line.From, end}, Text: "@" + name}
		if end > line.To {
			f.Fix.Text += "\n"
		}
	}
}
