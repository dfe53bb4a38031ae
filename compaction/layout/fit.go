package layout

import (
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
)

// Fit returns text with at most limit tokens. Long fenced blocks give way first, and then its middle but for its headings,
// each to a mark that gives the size of the missing part and its handle.
func Fit(text string, limit int, handle string) string { return FitWhole(text, limit, handle, nil) }

// FitWhole is Fit for a text with sentences of which none is printed in part: those in the middle are kept instead of its
// headings, as far as they fit, and the mark has the handle if one is missing. At the least it is that mark.
func FitWhole(text string, limit int, handle string, sentences func(text string) []Span) string {
	limit = max(limit, leastFit)
	if fits(text, limit) {
		return text
	}
	s := withoutPastes(text, handle)
	if fits(s.text, limit) {
		return s.text
	}
	if sentences != nil {
		s.whole = sentences(s.text)
	}
	k := kept{headings(s.text), "headings", limit * titlesShare / 100}
	if len(s.whole) > 0 {
		k = kept{s.whole, "rules", limit - Mark}
	}
	return s.fit(limit, k, handle)
}

const (
	// leastFit is the shortest form of a text, in tokens, and Mark what a mark takes with its handle, at most.
	leastFit, Mark = 24, 32
	// titlesShare is the part of the limit, in percent, that the headings of the middle take at most.
	titlesShare = 25
)

// Span is a part of a text, in bytes.
type Span struct{ From, To int }

// kept is what stays of the middle of a text: the first of these parts that have at most limit tokens together.
type kept struct {
	parts []Span
	name  string
	limit int
}

// fit returns head and tail of a text and what is kept between them, in at most limit tokens.
func (s shortened) fit(limit int, k kept, handle string) string {
	all := utf8.RuneCountInString(s.text)
	head, tail := limit*3, limit*3/2 // a token has four and a half characters, at most
	for range 16 {
		if head+tail >= all {
			head, tail = all/2, all/4
		}
		h := wordBefore(s.text, len(chars.Head(s.text, head)))
		t := wordAfter(s.text, len(s.text)-len(chars.Tail(s.text, tail)))
		h, t = s.outside(h, t)
		short := s.text[:h] + s.middle(h, t, k, handle) + s.text[t:]
		if Count(short) <= limit {
			return short
		}
		head, tail = head*7/8, tail*7/8
	}
	if len(s.whole) > 0 {
		return strings.TrimSpace(s.middle(0, len(s.text), k, handle))
	}
	return Clip(s.text, limit)
}

// middle says what is left out of a range, and gives what is kept of it.
func (s shortened) middle(from, to int, k kept, handle string) string {
	var lines []string
	n, missing := s.hidden(from, to), false
	for _, p := range k.parts {
		part := s.text[p.From:p.To]
		if p.From < from || to < p.To {
			continue
		}
		if k.limit -= Count(part) + 1; k.limit < 0 {
			missing = true
			break
		}
		lines = append(lines, part)
		n -= utf8.RuneCountInString(part)
	}
	missing = missing && len(s.whole) > 0 // headings alone are worth no call
	if len(lines) == 0 {
		return leftOut(n, "", handle, missing)
	}
	return leftOut(n, " but for "+k.name, handle, missing) + "\n" + strings.Join(lines, "\n") + "\n… "
}

// headings returns the headings of a text in Markdown, outside of fenced blocks.
func headings(text string) (all []Span) {
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		if body, after, ok := cutBlock(text[at:], line); ok && body != "" {
			at = len(text) - len(after)
			continue
		}
		if name := strings.TrimLeft(line, "#"); len(name) < len(line) && strings.HasPrefix(name, " ") {
			all = append(all, Span{at, at + len(line)})
		}
		at += len(line) + 1
	}
	return all
}

// fits reports whether a text has at most limit tokens. It does not count texts that cannot.
func fits(text string, limit int) bool {
	const widest = 16 // bytes of one token, about, at most
	return len(text) <= limit || len(text) <= limit*widest && Count(text) <= limit
}

// shortened is a text with marks in the place of parts of it.
type shortened struct {
	text  string
	marks []mark // in order
	whole []Span // sentences that no cut parts, in order
}

// mark stands in a text for a part that was left out.
type mark struct {
	from, to int // bytes
	hidden   int // characters
}

// outside moves the ends of a range so that they part no mark and no whole sentence: the range gets all of it.
func (s shortened) outside(from, to int) (int, int) {
	for _, r := range s.whole {
		if r.From < from && from < r.To {
			from = r.From
		}
		if r.From < to && to < r.To {
			to = r.To
		}
	}
	for _, m := range s.marks {
		if m.from < from && from < m.to {
			from = m.from
		}
		if m.from < to && to < m.to {
			to = m.to
		}
	}
	return from, to
}

// hidden is how many characters of the whole text a range of the shortened one stands for.
func (s shortened) hidden(from, to int) int {
	n := utf8.RuneCountInString(s.text[from:to])
	for _, m := range s.marks {
		if from <= m.from && m.to <= to {
			n += m.hidden - utf8.RuneCountInString(s.text[m.from:m.to])
		}
	}
	return n
}

const (
	// pasteBytes is the size from which a fenced block in a text is a paste, pasteHead how much of it is kept.
	pasteBytes = 400
	pasteHead  = 120
)

// withoutPastes leaves out the greater part of long fenced blocks: a log or a drawing says less than the words around it.
func withoutPastes(text, handle string) shortened {
	var b strings.Builder
	s := shortened{}
	for rest := text; rest != ""; {
		line, _, _ := strings.Cut(rest, "\n")
		body, after, ok := cutBlock(rest, line)
		if !ok || len(body) < pasteBytes {
			n := min(len(line)+1, len(rest))
			if ok {
				n = len(rest) - len(after)
			}
			b.WriteString(rest[:n])
			rest = rest[n:]
			continue
		}
		head := chars.Head(body, pasteHead)
		head = head[:strings.LastIndexByte(head, '\n')+1]
		b.WriteString(line + "\n" + head)
		m := mark{from: b.Len(), hidden: utf8.RuneCountInString(body[len(head):])}
		b.WriteString(strings.TrimSpace(leftOut(m.hidden, "", handle, false)))
		m.to = b.Len()
		b.WriteString("\n" + rest[len(line)+1+len(body):len(rest)-len(after)])
		s.marks = append(s.marks, m)
		rest = after
	}
	s.text = b.String()
	return s
}

// cutBlock takes the fenced block that a text begins with apart: its body, and what follows its last line. ok is false
// if line, the first one, opens none that ends.
func cutBlock(text, line string) (body, after string, ok bool) {
	if !OpensFence(line) || len(line) == len(text) {
		return "", "", false
	}
	open := strings.TrimLeft(line, " \t")
	fence := open[:len(open)-len(strings.TrimLeft(open, open[:1]))]
	for rest := text[len(line)+1:]; rest != ""; {
		l, next, _ := strings.Cut(rest, "\n")
		if strings.TrimSpace(l) == fence {
			return text[len(line)+1 : len(text)-len(rest)], next, true
		}
		rest = next
	}
	return "", "", false
}

// fetchChars is how many characters are left out of a text at least where it says how to read it back
// alone: the whole history can be read anyway.
const fetchChars = 1_000

// leftOut marks n characters that are left out of a text, but for something, with the handle if they are many or wanted.
func leftOut(n int, but, handle string, wanted bool) string {
	mark := " […" + chars.Commas(n) + " characters left out" + but
	if wanted || n >= fetchChars {
		mark += `: read_artifact(id="` + handle + `")`
	}
	return mark + "…] "
}

// wordBefore moves a cut back to the end of a word, where there is one close by.
func wordBefore(s string, i int) int {
	if at := strings.LastIndexAny(s[max(0, i-longWord):i], " \n"); at >= 0 {
		return max(0, i-longWord) + at
	}
	return i
}

// wordAfter moves a cut forward to the start of a word, where there is one close by.
func wordAfter(s string, i int) int {
	if at := strings.IndexAny(s[i:min(len(s), i+longWord)], " \n"); at >= 0 {
		return i + at + 1
	}
	return i
}

// longWord is how far a word may reach that a cut does not part.
const longWord = 24
