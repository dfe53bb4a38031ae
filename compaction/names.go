package compaction

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

const (
	namesPerLine = 6
	// namesChanged and namesRead bound the names under a file that was changed, and under one that
	// was only read.
	namesChanged = 18
	namesRead    = 6
	// namesLooked bounds the occurrences that are looked at, newest first, so that a huge session
	// is planned in time.
	namesLooked = 300_000
)

// A name is an identifier with its worth and the file that it belongs to.
type name struct {
	text    string
	score   float64
	owner   int     // index of a path, -1 none
	balance float64 // by how much the owner leads, as in a majority vote
	spread  int     // how often its file changed: names of everywhere belong nowhere
	seenAt  int     // the file of the newest occurrence
}

// names ranks the identifiers of the compacted range by how likely later work needs them: how they
// were used (asked for, edited, run, read), how often, how recently.
type names struct {
	src    *source
	byText map[string]int
	all    []name
	paths  map[string]int
	lines  []*line // by path: the line that its names stand under
	order  []string
}

func (s *source) rankNames() *names {
	n := &names{src: s, byText: make(map[string]int), paths: make(map[string]int)}
	callPath := make(map[string]int)
	callWeight := make(map[string]float64)
	itemPaths := make([][]int, s.cut)
	itemWeight := make([]float64, s.cut)
	for i := range s.cut {
		it := &s.in.Items[i]
		itemPaths[i], itemWeight[i] = n.place(it, callPath, callWeight)
	}
	looked := 0
	for i := s.cut - 1; i >= 0 && looked < namesLooked; i-- {
		it := &s.in.Items[i]
		recency := 1 + 3*float64(i+1)/float64(s.cut)
		looked += len(it.Names)
		for _, text := range it.Names {
			n.count(text, itemWeight[i]*recency, itemPaths[i])
		}
	}
	return n
}

// place says which files a message is about and how much its names weigh.
func (n *names) place(it *Item, callPath map[string]int, callWeight map[string]float64) (paths []int, weight float64) {
	weight = 2
	if it.Prompt {
		weight = 8
	}
	for _, c := range it.Calls {
		w := 3.0
		changes := c.Op == opWrite || c.Op == opPatch
		if changes {
			w = 5
		}
		if c.Target != "" && (changes || c.Op == opRead) {
			p := n.path(n.src.present(n.src.path(c.Target)))
			callPath[c.ID] = p
			paths = append(paths, p)
		}
		callWeight[c.ID] = w
		weight = max(weight, w)
	}
	for _, r := range it.Results {
		weight = 1
		if r.Failed {
			weight = 2
		}
		if p, known := callPath[r.CallID]; known {
			paths = append(paths, p)
		}
	}
	return paths, weight
}

func (n *names) path(p string) int {
	i, known := n.paths[p]
	if !known {
		i = len(n.order)
		n.paths[p] = i
		n.order = append(n.order, p)
		n.lines = append(n.lines, nil)
	}
	return i
}

func (n *names) count(text string, weight float64, paths []int) {
	i, known := n.byText[text]
	if !known {
		i = len(n.all)
		n.byText[text] = i
		n.all = append(n.all, name{text: text, owner: -1, seenAt: -1})
	}
	e := &n.all[i]
	e.score += weight
	for _, p := range paths {
		if e.seenAt != p {
			e.seenAt = p
			e.spread++
		}
		switch {
		case e.owner == p:
			e.balance += weight
		case e.balance < weight:
			e.owner, e.balance = p, weight-max(0, e.balance)
		default:
			e.balance -= weight
		}
	}
}

// attach says under which line the names of a file stand.
func (n *names) attach(path string, l *line) {
	if i, known := n.paths[path]; known {
		n.lines[i] = l
	}
}

// A row is one line of names under its file.
type row struct {
	text  string
	score float64
	path  int
	at    int64
}

// add offers the lines of names, those with the worthiest names first.
func (n *names) add(d *document) {
	byPath := make([][]*name, len(n.lines))
	for i := range n.all {
		e := &n.all[i]
		if e.owner >= 0 && n.lines[e.owner] != nil && useful(e.text, n.order[e.owner]) {
			e.score *= shape(e.text) / float64(1+e.spread)
			if n.src.focused(e.text) {
				e.score *= 4
			}
			byPath[e.owner] = append(byPath[e.owner], e)
		}
	}
	var rows []row
	for p, list := range byPath {
		rows = append(rows, n.rows(p, list)...)
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.path, b.path), cmp.Compare(a.at, b.at))
	})
	for _, r := range rows {
		under := n.lines[r.path]
		d.add(under.block, &line{text: "      " + r.text, class: className, pos: under.pos + r.at, parent: under})
	}
}

// rows puts the worthiest names of one file into lines.
func (n *names) rows(p int, list []*name) []row {
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b *name) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.text, b.text))
	})
	most := namesChanged
	if n.lines[p].class == classRead {
		most = namesRead
	}
	var rows []row
	for part := range slices.Chunk(list[:min(len(list), most)], namesPerLine) {
		r := row{path: p, at: int64(len(rows) + 1)}
		var texts []string
		for _, e := range part {
			texts = append(texts, oneLine(e.text, 80))
			r.score += e.score
		}
		r.text = strings.Join(texts, ", ")
		if len(rows) == 0 {
			r.text = "names: " + r.text
		}
		rows = append(rows, r)
	}
	return rows
}

// useful leaves out what the path says already, and what no one would look for.
func useful(text, path string) bool {
	return len(text) >= 3 && len(text) <= 120 && !strings.Contains(text, "/") && !strings.HasPrefix(text, "0x") && text != "tool_use_error" && !strings.Contains(path, text)
}

// shape weighs plain lower-case words less than what is clearly an identifier.
func shape(text string) float64 {
	for i, r := range text {
		if unicode.IsDigit(r) || i > 0 && unicode.IsUpper(r) || r == '_' || r == '.' || r == '-' || r == ':' {
			return 1
		}
	}
	return 0.4
}
