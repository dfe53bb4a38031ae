package compaction

import (
	"cmp"
	"slices"
	"strings"
)

const namesHead = "[NAMES BY TURN — identifiers of no file above]"

// A row is one line of names under its file or turn.
type row struct {
	text  string
	worth float64 // for a token
	under *line   // nil: a turn's first row
	turn  int
	at    int
}

// add offers the lines of names, those with the worthiest names first: each under the file that the name belongs
// to or, if that is not printed, under the turn that mentioned it last.
func (n *names) add(d *document) {
	byLine := make(map[*line][]*name)
	byTurn := make(map[int][]*name)
	order := make([]int, 0, len(n.all))
	for i := range n.all {
		if e := &n.all[i]; !e.used && (e.owner < 0 || !n.gone[e.owner]) {
			order = append(order, i)
		}
	}
	value := make([]float64, len(n.all))
	for _, i := range order {
		value[i] = n.worth(&n.all[i]) / price(n.all[i].text)
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(value[b], value[a]), strings.Compare(n.all[a].text, n.all[b].text))
	})
	var under []*line
	for _, i := range order {
		e := &n.all[i]
		if e.used {
			continue // in a longer one
		}
		n.cover(e.text)
		path, l := "", (*line)(nil)
		if e.owner >= 0 {
			path, l = n.order[e.owner], n.lines[e.owner]
		}
		if n.worth(e) < namesLeast || !useful(e.text, path) || passing(e) {
			continue
		}
		if l == nil {
			turn := n.src.in.Items[e.last].Turn
			byTurn[turn] = append(byTurn[turn], e)
			continue
		}
		if byLine[l] == nil {
			under = append(under, l)
		}
		byLine[l] = append(byLine[l], e)
	}
	var rows []row
	for _, l := range under {
		rows = append(rows, n.rows(byLine[l], namesFile, row{under: l})...)
	}
	for turn, list := range byTurn {
		rows = append(rows, n.rows(list, namesTurn, row{turn: turn})...)
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), strings.Compare(a.text, b.text))
	})
	n.offer(d, rows)
}

// cover marks the parts of a dotted name, which need no entry of their own.
func (n *names) cover(text string) {
	for part := range strings.SplitSeq(text, ".") {
		if i, known := n.byText[part]; known && part != text {
			n.all[i].used = true
		}
	}
}

// offer offers the rows.
func (n *names) offer(d *document, rows []row) {
	b := d.insertBeforeBody(&block{head: namesHead})
	first := make(map[int]*line)
	for _, r := range rows {
		if r.under != nil {
			d.add(r.under.block, &line{text: "      " + r.text, class: className, pos: r.under.pos + int64(r.at),
				parent: r.under})
			continue
		}
		l := &line{text: "      " + r.text, class: className, pos: int64(r.turn)<<8 + int64(r.at),
			parent: first[r.turn]}
		if l.parent == nil {
			l.text = "  " + turnRange(r.turn, r.turn) + ": " + r.text
			l.pos = int64(r.turn) << 8
			first[r.turn] = l
		}
		d.add(b, l)
	}
}

// rows puts the names of one file or turn, the worthiest first, into lines.
func (n *names) rows(list []*name, most int, as row) []row {
	const frame = 4 // tokens of a line without its names
	var rows []row
	for part := range slices.Chunk(list[:min(len(list), most)], namesPerLine) {
		r := as
		r.at = len(rows) + 1
		cost := float64(frame)
		var texts []string
		for _, e := range part {
			texts = append(texts, oneLine(e.text, 80))
			r.worth += n.worth(e)
			cost += price(e.text)
		}
		r.worth /= cost
		r.text = strings.Join(texts, " ")
		if len(rows) == 0 && as.under != nil {
			r.text = "names: " + r.text
		}
		rows = append(rows, r)
	}
	return rows
}
