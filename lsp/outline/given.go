package outline

import (
	"cmp"
	"slices"

	"ctxledger.dev/lsp/text"
)

// given are the sections that an editor has found itself, sorted and nested: see Given.
type given []Section

// Given returns an outline of a text with sections that are not found here, such as those of a parser of the editor.
// Those that are empty, outside the text, or partly inside of another one are left out, and so is what is beyond Most.
// Edits move them, and drop those whose beginning or end they remove.
func Given(l Language, t *text.Text, sections []Section) *Outline {
	o := Of(l, t)
	sections = slices.DeleteFunc(slices.Clone(sections), func(s Section) bool { return !s.within(t.Len()) })
	slices.SortStableFunc(sections, func(a, b Section) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To))
	})
	var ends []int // of the enclosing sections
	for _, s := range sections[:min(len(sections), Most)] {
		for len(ends) > 0 && ends[len(ends)-1] <= s.From {
			ends = ends[:len(ends)-1]
		}
		if len(ends) > 0 && ends[len(ends)-1] < s.To {
			continue
		}
		ends = append(ends, s.To)
		s.Name, s.Decl = short([]byte(s.Name)), s.From
		o.given = append(o.given, s)
	}
	return o
}

// within reports whether the positions of a section are in their order and in a text of that size.
func (s Section) within(size int) bool {
	return 0 <= s.From && s.From < s.To && s.To <= size && s.From <= s.At && s.At <= s.End && s.End <= s.To
}

// Same reports whether two outlines were given the same sections.
func (o *Outline) Same(other *Outline) bool { return slices.Equal(o.given, other.given) }

// In returns the outline for the same text in another encoding.
func (o *Outline) In(t *text.Text) *Outline {
	same := Of(o.language, t)
	same.given = o.given
	return same
}

// moved returns the sections after an edit.
func (g given) moved(c text.Change) given {
	kept := make(given, 0, len(g))
	for _, s := range g {
		if s, ok := s.moved(c); ok {
			kept = append(kept, s)
		}
	}
	return kept
}

// moved returns a section after an edit, or false if the edit removes its beginning, its end or a part of its name.
func (s Section) moved(c text.Change) (Section, bool) {
	shift := len(c.With) - (c.To - c.From)
	switch {
	case s.To <= c.From:
	case s.From >= c.To:
		s.move(shift)
	case s.From <= c.From && c.To <= s.To:
		s.To += shift
		switch {
		case s.End <= c.From:
		case s.At >= c.To:
			s.At, s.End = s.At+shift, s.End+shift
		case s.At <= c.From && c.To <= s.End:
			s.End += shift
		default:
			return s, false
		}
	default:
		return s, false
	}
	return s, s.From < s.To
}

// edit implements parts. An outline with given sections moves them itself.
func (given) edit(_, _ *text.Text, _ text.Change) (parts, bool) { return nil, false }

// spans implements parts.
func (g given) spans() []span {
	spans := make([]span, len(g))
	for i, s := range g {
		spans[i] = span{first: int32(s.From), last: int32(s.To) - 1, number: int32(i)}
	}
	return spans
}

// section implements parts.
func (g given) section(_ *text.Text, s span) Section { return g[s.number] }

// place implements parts.
func (given) place(_ *text.Text, offset int) int32 { return int32(offset) }
