package compaction

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/tokens"
)

// A class is the worth of a line. Lines are taken in class by class while the budget lasts.
type class int

// The classes, dearest first.
const (
	classPin      class = iota // pinned by the caller
	classTask                  // the first request and the newest one
	classRule                  // what the user refused
	classNote                  // the agent's notes
	classLast                  // the agent's last words
	classNow                   // the state of the work: tasks, the newest calls
	classOpen                  // failures that nothing resolved
	classUser                  // the user's other words
	classAnchor                // of an earlier summary, and did not fit above
	classFile                  // a file with what was done to it
	classCheck                 // a check with its last outcome, a commit
	classSaid                  // a statement of the agent
	classBefore                // why a check failed before it passed
	classLook                  // a handle, a file that was read
	classMaterial              // outlines of documents, beginnings of results
	classOld                   // the list of operations
	classes
)

// A share is what a class may take of the budget, in percent.
type share struct {
	first int // before all others had their turn; what is left then goes to the classes in their order
	most  int // in all
}

var shareOf = [classes]share{
	classPin: {100, 100}, classTask: {60, 90}, classRule: {6, 20}, classLast: {13, 40}, classNow: {8, 20},
	classOpen: {5, 10},
	classUser: {60, 90}, classFile: {11, 30}, classCheck: {11, 20}, classSaid: {38, 100}, classAnchor: {25, 100},
	classBefore: {3, 10}, classMaterial: {0, 30}, classNote: {10, 30}, classLook: {2, 12}, classOld: {3, 10},
}

// A line is one piece of a block, which is printed whole or not at all.
type line struct {
	text string
	// brief is a shorter form, printed where not all of its class fit in full; "": there is none.
	brief  string
	class  class
	anchor string // what it identifies across compactions
	must   bool   // without it the document is no good
	pos    int64  // its place in the block: ascending
	parent *line  // printed above it; required for it to be printed
	block  *block
	cost   int // tokens, line end included, of the form that is printed
	in     bool
	full   bool // it is printed in full although it has a shorter form
	// heading marks a line that is printed exactly if one of its children is: it is not offered by itself.
	heading bool
}

// A block is a part of the document under its heading.
type block struct {
	head   string // first line, and what else precedes the lines
	foot   string // below them
	empty  string // printed if there are no lines at all
	always bool   // printed also without lines
	lines  []*line
	// more summarises the left-out lines in one line; "" prints nothing.
	more func(left []*line) string
	// moreAt is the place of that line: 0 below the lines, else at this pos.
	moreAt int64
	used   int // lines taken in
}

// A document is a list of blocks, filled up to a budget.
type document struct {
	blocks []*block
	queue  [classes][]*line // in order of worth
}

func (d *document) block(b *block) *block {
	d.blocks = append(d.blocks, b)
	return b
}

// add offers a line: within its class, earlier offers are worth more.
func (d *document) add(b *block, l *line) *line {
	l.block = b
	b.lines = append(b.lines, l)
	if l.heading {
		return l
	}
	d.queue[l.class] = append(d.queue[l.class], l)
	return l
}

// under returns a function that offers lines under a heading, which is printed exactly when one of them is.
func (d *document) under(b *block, heading line) func(line) {
	var head *line
	return func(l line) {
		if head == nil {
			heading.heading = true
			head = d.add(b, &heading)
		}
		l.parent = head
		d.add(b, &l)
	}
}

// countOf returns a block's more function that prints how many lines were left out.
func countOf(format string) func([]*line) string {
	return func(left []*line) string {
		if len(left) == 0 {
			return ""
		}
		return fmt.Sprintf(format, chars.Commas(len(left)))
	}
}

// find returns the line of an anchor, or nil.
func (d *document) find(anchor string) *line {
	for _, q := range d.queue {
		for _, l := range q {
			if l.anchor == anchor {
				return l
			}
		}
	}
	return nil
}

// promote gives a line the worth of an anchor.
func (d *document) promote(l *line) {
	if l.class <= classAnchor {
		return
	}
	q := d.queue[l.class]
	i := slices.Index(q, l)
	d.queue[l.class] = slices.Delete(q, i, i+1)
	l.class = classAnchor
	d.queue[classAnchor] = append(d.queue[classAnchor], l)
}

// misses is how many lines of a class in a row may be too long before the rest is not tried.
const misses = 12

// fill chooses the lines, so that the printed document has at most budget tokens, and returns it
// with its size. ok is false when not even what must be there fits; need then says how many tokens
// that takes.
func (d *document) fill(budget int) (text string, size int, ok bool) {
	left := budget - d.begin()
	var used [classes]int
	for pass := range 2 {
		for c := range classes {
			most := shareOf[c].most
			if pass == 0 {
				most = shareOf[c].first
			}
			n := d.take(c, min(left, budget*most/100-used[c]))
			used[c] += n
			left -= n
		}
	}
	for left -= d.remainders(); left < 0; {
		freed := d.dropLast()
		if freed == 0 {
			break
		}
		before := d.remainders()
		left += freed
		left += before - d.remainders()
	}
	for {
		text = d.String()
		size = count(text)
		if size <= budget {
			return text, size, len(d.missing()) == 0
		}
		if d.dropLast() == 0 {
			return text, size, false
		}
	}
}

// begin forgets an earlier choice and returns the cost of what is always printed.
func (d *document) begin() int {
	sum := 0
	for _, b := range d.blocks {
		b.used = 0
		if b.always {
			sum += b.frame()
		}
		for _, l := range b.lines {
			l.in, l.full, l.cost = false, false, 0
		}
	}
	return sum
}

// take adds lines of one class within limit tokens and returns what they cost.
func (d *document) take(c class, limit int) int {
	used, missed := 0, 0
	for _, l := range d.queue[c] {
		if missed == misses {
			break
		}
		if l.in || !l.reachable() {
			continue
		}
		cost := l.price()
		for h := l.parent; h != nil && !h.in; h = h.parent {
			cost += h.price()
		}
		if l.block.used == 0 && !l.block.always {
			cost += l.block.frame()
		}
		if used+cost > limit {
			missed++
			continue
		}
		missed = 0
		used += cost
		for h := l; h != nil && !h.in; h = h.parent {
			h.take()
		}
	}
	return used + d.expand(c, limit-used)
}

// expand prints lines of a class in full that were taken in their shorter form, the most worthy first, within limit
// tokens, and returns what that costs.
func (d *document) expand(c class, limit int) int {
	used := 0
	for _, l := range d.queue[c] {
		if !l.in || l.full || l.brief == "" {
			continue
		}
		if more := count(l.text+"\n") - l.price(); used+more <= limit {
			used += more
			l.full, l.cost = true, l.cost+more
		}
	}
	return used
}

// price is what a line costs, its end included.
func (l *line) price() int {
	if l.cost == 0 {
		l.cost = count(l.form() + "\n")
	}
	return l.cost
}

// form is what is printed of a line.
func (l *line) form() string {
	if l.brief != "" && !l.full {
		return l.brief
	}
	return l.text
}

// reachable reports whether all that must be printed above a line is, or can be.
func (l *line) reachable() bool {
	for h := l.parent; h != nil; h = h.parent {
		if !h.in && !h.heading {
			return false
		}
	}
	return true
}

func (l *line) take() {
	l.in = true
	l.block.used++
}

// drop takes a line out again and returns about what that frees.
func (l *line) drop() int {
	l.in = false
	freed := l.price()
	if l.block.used--; l.block.used == 0 && !l.block.always {
		freed += l.block.frame()
	}
	return freed
}

// dropLast takes the least worthy line out again and returns about what that frees.
func (d *document) dropLast() int {
	for c := classes - 1; c >= 0; c-- {
		for i := len(d.queue[c]) - 1; i >= 0; i-- {
			l := d.queue[c][i]
			if !l.in || l.must || d.carries(l) {
				continue
			}
			freed := l.drop()
			for h := l.parent; h != nil && h.heading && h.in && !d.carries(h); h = h.parent {
				freed += h.drop()
			}
			return freed
		}
	}
	return 0
}

// carries reports whether another chosen line has l as its parent.
func (d *document) carries(l *line) bool {
	return slices.ContainsFunc(l.block.lines, func(other *line) bool { return other.in && other.parent == l })
}

// remainders returns what the lines about left-out lines cost.
func (d *document) remainders() int {
	sum := 0
	for _, b := range d.blocks {
		if s := b.remainder(); s != "" {
			sum += count(s + "\n")
		}
	}
	return sum
}

// missing returns the lines that must be printed and are not.
func (d *document) missing() []*line {
	var out []*line
	for _, q := range d.queue {
		for _, l := range q {
			if l.must && !l.in {
				out = append(out, l)
			}
		}
	}
	return out
}

// String prints the chosen lines.
func (d *document) String() string {
	var parts []string
	for _, b := range d.blocks {
		if b.used > 0 || b.always {
			parts = append(parts, b.String())
		}
	}
	return strings.Join(parts, ruleText)
}

// frame is what a block costs without its lines.
func (b *block) frame() int { return count(b.head + "\n" + b.foot + ruleText) }

func (b *block) remainder() string {
	if b.more == nil || b.used == 0 && !b.always {
		return ""
	}
	var left []*line
	for _, l := range b.lines {
		if !l.in {
			left = append(left, l)
		}
	}
	return b.more(left)
}

func (b *block) String() string {
	out := []string{b.head}
	if len(b.lines) == 0 && b.empty != "" {
		out = append(out, b.empty)
	}
	sorted := slices.Clone(b.lines)
	slices.SortStableFunc(sorted, func(x, y *line) int { return cmp.Compare(x.pos, y.pos) })
	more := b.remainder()
	for _, l := range sorted {
		if more != "" && b.moreAt > 0 && l.pos > b.moreAt {
			out, more = append(out, more), ""
		}
		if l.in {
			out = append(out, l.form())
		}
	}
	if more != "" {
		out = append(out, more)
	}
	if b.foot != "" {
		out = append(out, b.foot)
	}
	return strings.Join(out, "\n")
}

// count is the measure of every budget here: exact o200k_base tokens.
func count(s string) int { return tokens.O200kBase.CountString(s) }

// need is how many tokens the document takes with all that must be in it; size is what it has now.
func (d *document) need(size int) int {
	for _, l := range d.missing() {
		size += count(l.text + "\n")
	}
	return size + 64 // headings of blocks that hold nothing else
}

// insertBeforeBody adds a block before the last one.
func (d *document) insertBeforeBody(b *block) *block {
	n := len(d.blocks)
	d.blocks = append(d.blocks[:n-1:n-1], b, d.blocks[n-1])
	return b
}
