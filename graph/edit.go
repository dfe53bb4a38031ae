package graph

import (
	"slices"
	"sort"
	"strings"
)

// Edit returns the document with a text in the place of another one. It equals the edited text parsed anew, and reads only the
// blocks around the edit. at is a part of the Source.
func (d *Document) Edit(at Span, text string) *Document {
	source := d.source.edit(at, text)
	begin := source.parts[0]
	if at.From <= d.Front.To || strings.HasPrefix(begin, byteOrder) ||
		d.Front.To == 0 && strings.HasPrefix(begin, "---") || // the front matter may have an end now
		d.fractalic() { // whether a heading opens a block depends on the line before it
		return d.Again(source.whole())
	}
	longer := len(text) - at.Len()
	line, _ := d.Line(at.From)
	first := d.markFrom(line.From) - 1 // the first mark that is read again
	for first >= 0 && !d.safe(first) {
		first--
	}
	from := d.Front.To // where it begins
	if first >= 0 {
		from = d.marks[first].at.From
	}
	first = max(first, 0)
	last := d.markFrom(at.To + 1)
	for step := 1; ; step *= 2 {
		for last < len(d.marks) && !d.safe(last) {
			last++
		}
		end := source.size
		if last < len(d.marks) {
			end = d.marks[last].at.From + longer
		}
		marks, open := marksOf([]byte(source.cut(from, end)))
		if open && last < len(d.marks) {
			last = min(last+step, len(d.marks))
			continue
		}
		shift(marks, from)
		out := d.edited(source, first, last, marks, longer)
		out.silences = d.silences || strings.Contains(source.cut(max(0, at.From-len(silences)),
			min(source.size, at.From+len(text)+len(silences))), silences)
		return out
	}
}

// markFrom returns the first mark that begins at an offset or behind it.
func (d *Document) markFrom(at int) int {
	return sort.Search(len(d.marks), func(i int) bool { return d.marks[i].at.From >= at })
}

// edited returns the document with other marks in the place of those from first to last, and those behind moved.
func (d *Document) edited(source source, first, last int, marks []mark, by int) *Document {
	next := slices.Concat(d.marks[:first], marks, d.marks[last:])
	shift(next[first+len(marks):], by)
	begun := false // a heading before, whose block may have another text
	for i := first - 1; i >= 0 && !begun; i-- {
		if begun = next[i].kind == atxHeading; begun {
			next[i].said = &said{headingNames: next[i].headingNames, Level: next[i].Level, kept: new(kept)}
		}
	}
	out := assembled(d.settings, d.Path, source, d.Front, next, earlier{d, first})
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
	return a.Level == b.Level && a.ID == b.ID && a.Slug == b.Slug && a.Legacy == b.Legacy && a.system == b.system
}

// safe reports whether a mark begins anew whatever is before it, but for what is still open: a heading that is not indented.
func (d *Document) safe(i int) bool {
	return d.marks[i].kind == atxHeading && d.source.cut(d.marks[i].at.From, d.marks[i].at.From+1) == "#"
}

// shift moves marks.
func shift(marks []mark, by int) {
	for i := range marks {
		marks[i].at = marks[i].at.moved(by)
	}
}
