package graph

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestEditedSourceEqualsTheText compares random edits of a large text in parts with the same edits of a string. An edit used to
// copy the whole text (issue 45).
func TestEditedSourceEqualsTheText(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 45))
		random := func(longest int) string {
			var b strings.Builder
			for n := r.IntN(longest); b.Len() < n; {
				long := strings.Repeat("long ", r.IntN(2*longest))
				b.WriteString([]string{"a", "word ", "é", "\n", "\r\n", "\n\n", long}[r.IntN(7)])
			}
			return b.String()
		}
		text := random(10 * sourcePart)
		s := sourceOf(text)
		for step := range 100 {
			from := r.IntN(len(text) + 1)
			at := Span{from, min(len(text), from+r.IntN(20))}
			if step%10 == 0 {
				at.To = from + r.IntN(len(text)-from+1)
			}
			with := random([]int{2, 20, 4 * sourcePart}[step%3])
			text = text[:at.From] + with + text[at.To:]
			s = s.edit(at, with)
			for i, p := range s.parts[:len(s.parts)-1] {
				if !strings.HasSuffix(p, "\n") {
					t.Fatalf("seed %d, step %d: part %d ends within a line", seed, step, i)
				}
			}
			from = r.IntN(len(text) + 1)
			to := from + r.IntN(len(text)-from+1)
			begin := strings.LastIndexByte(text[:from], '\n') + 1
			line, _, ended := strings.Cut(text[begin:], "\n")
			next := begin + len(line)
			if ended {
				next++
			}
			is, behind := s.line(from)
			switch {
			case s.whole() != text || s.size != len(text):
				t.Fatalf("seed %d, step %d: another text", seed, step)
			case s.cut(from, to) != text[from:to]:
				t.Fatalf("seed %d, step %d: another part from %d to %d", seed, step, from, to)
			case is != Span{begin, begin + len(strings.TrimRight(line, "\r"))} || behind != next:
				t.Fatalf("seed %d, step %d: the line of %d is %v, the next at %d", seed, step, from, is, behind)
			case s.linesBefore(from) != strings.Count(text[:from], "\n"):
				t.Fatalf("seed %d, step %d: %d lines before %d", seed, step, s.linesBefore(from), from)
			case s.has("\r\n") != strings.Contains(text, "\r\n"):
				t.Fatalf("seed %d, step %d: a carriage return is not seen", seed, step)
			}
		}
	}
}
