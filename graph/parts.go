package graph

import (
	"runtime"
	"strings"
	"sync"
)

// leastPart is the smallest part, in bytes, for which parsing in parallel pays.
const leastPart = 128 << 10

// partsOf returns how many parts of a text of so many bytes are parsed at once.
func partsOf(size int) int { return min(size/leastPart, runtime.GOMAXPROCS(0)) }

// inParts calls do for each of so many numbers, in parallel for a large document.
func (d *Document) inParts(n int, do func(i int)) {
	parts := max(1, partsOf(d.Len()))
	var wg sync.WaitGroup
	for p := range parts {
		wg.Go(func() {
			for i := n * p / parts; i < n*(p+1)/parts; i++ {
				do(i)
			}
		})
	}
	wg.Wait()
}

// part is a part of a text, its marks, and whether the last one would go on if more followed.
type part struct {
	at    Span
	marks []mark
	open  bool
}

// parse reads the marks of a part.
func (p *part) parse(source source) {
	p.marks, p.open = marksOf([]byte(source.cut(p.at.From, p.at.To)))
	shift(p.marks, p.at.From)
	for i := range p.marks {
		p.marks[i].read(source)
	}
}

// marksFrom returns the marks after an offset; it parses that many parts in parallel. Parts begin at headings. A heading closes
// every construct except an open fence or HTML block: where one is still open, the part is parsed together with the next.
func marksFrom(source source, from, parts int) (marks []mark) {
	all := cut(source.whole(), from, parts)
	var wg sync.WaitGroup
	for i := range all[1:] {
		wg.Go(func() { all[i+1].parse(source) })
	}
	all[0].parse(source)
	wg.Wait()
	for i := 0; i < len(all); i++ {
		p := all[i]
		for ; p.open && i+1 < len(all); i++ {
			p.at.To = all[i+1].at.To
			p.parse(source)
		}
		marks = append(marks, p.marks...)
	}
	return marks
}

// cut cuts a text at headings into parts of about the same size.
func cut(source string, from, parts int) (out []part) {
	begin := from
	for i := 1; i < parts; i++ {
		at := max(begin, from+(len(source)-from)*i/parts)
		next := strings.Index(source[at:min(len(source), at+leastPart)], "\n# ")
		if next < 0 {
			next = strings.Index(source[at:min(len(source), at+leastPart)], "\n## ")
		}
		if next < 0 {
			continue
		}
		out = append(out, part{at: Span{begin, at + next + 1}})
		begin = at + next + 1
	}
	return append(out, part{at: Span{begin, len(source)}})
}
