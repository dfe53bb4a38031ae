package compaction

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// A pathRank is a path with how often it was said, weighted, and the item of its newest mention.
type pathRank struct {
	path string
	said float64
	last int
}

// pathRanks ranks the paths that a session names, read or not, as names ranks identifiers.
type pathRanks struct {
	src    *source
	byPath map[string]*pathRank // by present path
	all    []*pathRank
}

func (s *source) rankPaths() *pathRanks {
	p := &pathRanks{src: s, byPath: make(map[string]*pathRank)}
	asSaid := make(map[string]*pathRank) // before it was made present
	items := s.in.Items
	looked := 0
	for i := len(items) - 1; i >= 0 && looked < namesLooked; i-- {
		weight := weightOf(&items[i])
		looked += len(items[i].Paths)
		for _, text := range items[i].Paths {
			e := asSaid[text]
			if e == nil {
				e = p.get(s.present(s.path(text)), i)
				asSaid[text] = e
			}
			e.said += weight
		}
	}
	return p
}

func (p *pathRanks) get(path string, item int) *pathRank {
	e := p.byPath[path]
	if e == nil {
		e = &pathRank{path: path, last: item}
		p.byPath[path] = e
		p.all = append(p.all, e)
	}
	return e
}

// value is what a path is good for in the text, for a token.
func (p *pathRanks) value(path string) float64 {
	const soon = 3
	e := p.byPath[path]
	if e == nil {
		return 0
	}
	v := e.said / math.Sqrt(float64(len(p.src.in.Items)-e.last+soon)) / (price(path) + 3)
	if p.src.focused(path) {
		v *= 4
	}
	return v
}

// others returns the paths that the work named and that the document does not print elsewhere, the worthiest
// first: neither as changed or read, nor as the end of such a path, nor as a directory that holds one.
func (p *pathRanks) others(changed map[string]bool, read map[string]*readState) []string {
	elsewhere := make(map[string]bool)
	for path := range changed {
		coverParts(elsewhere, path)
	}
	for path := range read {
		coverParts(elsewhere, path)
	}
	var out []string
	for _, e := range p.all {
		if e.said >= saidByAgent && strings.Contains(e.path, "/") && !strings.HasPrefix(e.path, "@") &&
			e.path != "/dev/null" && !elsewhere[e.path] {
			out = append(out, e.path)
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(p.value(b), p.value(a)), strings.Compare(a, b))
	})
	return out
}

// coverParts marks a path, the directories that it lies in, and what follows its slashes.
func coverParts(covered map[string]bool, path string) {
	covered[path] = true
	for i := range len(path) {
		if path[i] == '/' {
			covered[path[:i]], covered[path[i+1:]] = true, true
		}
	}
}
