package graph

import (
	"slices"
	"strings"

	"ctxledger.dev/internal/yamldoc"
)

// Edit returns the document with a text in the place of another one. It equals the edited text parsed anew, and reads only the
// blocks around the edit. at is a part of the Source.
func (d *Document) Edit(at Span, text string) *Document {
	source := d.Source[:at.From] + text + d.Source[at.To:]
	if _, body, _ := yamldoc.Front(source); at.From <= d.Front.To || body != d.Front.To ||
		d.fractalic() { // whether a heading opens a block depends on the line before it
		return d.Again(source)
	}
	longer := len(text) - at.Len()
	line := strings.LastIndexByte(d.Source[:at.From], '\n') + 1
	first, from := 0, d.Front.To // the first mark that is read again, and where it begins
	for i, m := range d.marks {
		if m.at.From >= line {
			break
		}
		if d.safe(m) {
			first, from = i, m.at.From
		}
	}
	last := first
	for last < len(d.marks) && d.marks[last].at.From <= at.To {
		last++
	}
	for step := 1; ; step *= 2 {
		for last < len(d.marks) && !d.safe(d.marks[last]) {
			last++
		}
		end := len(source)
		if last < len(d.marks) {
			end = d.marks[last].at.From + longer
		}
		marks, open := marksOf([]byte(source[from:end]))
		if open && last < len(d.marks) {
			last = min(last+step, len(d.marks))
			continue
		}
		shift(marks, from)
		behind := slices.Clone(d.marks[last:])
		shift(behind, longer)
		return d.edited(source, first, last, marks, behind)
	}
}

// edited returns the document with other marks in the place of those from first to last, and behind them.
func (d *Document) edited(source string, first, last int, marks, behind []mark) *Document {
	next := slices.Concat(d.marks[:first], marks, behind)
	begun := false // a heading before, whose block may have another text
	for i := first - 1; i >= 0 && !begun; i-- {
		if begun = next[i].kind == atxHeading; begun {
			next[i].kept = new(kept)
		}
	}
	out := assembled(d.settings, d.Path, source, d.Front, next)
	out.system = d.system
	if begun {
		out.before = d.before
		out.Blocks[0].kept = d.before
	}
	var same *Document
	if slices.EqualFunc(headings(d.marks[first:last]), headings(next[first:first+len(marks)]), sameHeading) {
		same = d
	}
	out.named(same)
	return out
}

// headings returns the marks that open blocks.
func headings(marks []mark) (out []*mark) {
	for i := range marks {
		if marks[i].kind == atxHeading {
			out = append(out, &marks[i])
		}
	}
	return out
}

// sameHeading reports whether two headings give blocks the same names.
func sameHeading(a, b *mark) bool {
	return a.level == b.level && a.named.id == b.named.id && a.named.slug == b.named.slug &&
		a.named.legacy == b.named.legacy && isSystem(a.named.title) == isSystem(b.named.title)
}

// safe reports whether a mark begins anew whatever is before it, but for what is still open: a heading that is not indented.
func (d *Document) safe(m mark) bool { return m.kind == atxHeading && d.Source[m.at.From] == '#' }

// shift moves marks.
func shift(marks []mark, by int) {
	for i := range marks {
		m := &marks[i]
		if m.at = m.at.moved(by); m.kind == atxHeading || m.kind == setextHeading {
			m.title = m.title.moved(by)
		}
	}
}
