package layout

import (
	"cmp"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/tokens"
)

// Rule joins the blocks of a document.
const Rule = "\n\n---\n\n"

// Class is the worth of a line. Lines are taken in class by class while the budget lasts.
type Class int

// The classes, dearest first.
const (
	ClassPin      Class = iota // pinned by the caller
	ClassBinding               // the user's words that set a rule
	ClassTask                  // the first request and the newest one
	ClassRule                  // what the user refused
	ClassNote                  // the agent's notes
	ClassLast                  // the agent's last words
	ClassNow                   // the state of the work: tasks, the newest calls
	ClassEdit                  // what the newest edits put into files
	ClassOpen                  // failures that nothing resolved
	ClassUser                  // the user's other words
	ClassAnchor                // of an earlier summary, and did not fit above
	ClassFile                  // a file with what was done to it
	ClassCheck                 // a check with its last outcome, a commit
	ClassSaid                  // a statement of the agent
	ClassCovered               // the user's words that an earlier summary covers
	ClassBefore                // why a check failed before it passed
	ClassLook                  // a handle, a file that was read
	ClassMaterial              // outlines of documents, beginnings of results
	ClassOld                   // the list of operations
	classes
)

// A share is what a class may take of the budget, in percent.
type share struct {
	first int  // before all others had their turn
	most  int  // in all, of what is left then; what is still left goes to the classes in their order
	bound bool // never more than that
}

// shortBudget is the length below which a document is short, in tokens.
const shortBudget = 1_800

// Short reports whether a document of so many tokens is short: what was done gives way to what was said.
func Short(budget int) bool { return budget < shortBudget }

// Parts of its share that a class keeps in a short document, in percent.
const (
	shortFacts = 50 // of what was done
	shortState = 70 // of where the work stands
)

// shareIn returns the share of a class in a document of so many tokens.
func shareIn(c Class, budget int) share {
	s := shareOf[c]
	if Short(budget) {
		switch c {
		case ClassFile, ClassCheck, ClassEdit:
			s.first, s.most = s.first*shortFacts/100, s.most*shortFacts/100
		case ClassNow, ClassLast:
			s.first, s.most = s.first*shortState/100, s.most*shortState/100
		}
	}
	return s
}

// atLast is what a class may take in all when every class had what it may take before the others.
func (s share) atLast() int {
	if s.bound {
		return s.most
	}
	return 100
}

// shareOf is the table of shares.
var shareOf = [classes]share{
	ClassPin:      {first: 100, most: 100},
	ClassBinding:  {first: 85, most: 90},
	ClassTask:     {first: 60, most: 90},
	ClassRule:     {first: 8, most: 20},
	ClassNote:     {first: 10, most: 30},
	ClassLast:     {first: 13, most: 40},
	ClassNow:      {first: 12, most: 25},
	ClassEdit:     {first: 4, most: 5},
	ClassOpen:     {first: 5, most: 10},
	ClassUser:     {first: 60, most: 90},
	ClassAnchor:   {first: 25, most: 100},
	ClassFile:     {first: 13, most: 30},
	ClassCheck:    {first: 13, most: 20},
	ClassSaid:     {first: 38, most: 100},
	ClassCovered:  {first: 0, most: 20},
	ClassBefore:   {first: 3, most: 10},
	ClassLook:     {first: 1, most: 6},
	ClassMaterial: {first: 0, most: 15},
	ClassOld:      {first: 0, most: 10, bound: true},
}

// Line is one piece of a block, which is printed whole or not at all.
type Line struct {
	Text string
	// Brief is a shorter form, printed where not all of its class fit in full; "": there is none.
	Brief  string
	Class  Class
	Anchor string // what it identifies across compactions
	Must   bool   // without it the document is no good
	Pos    int64  // its place in the block: ascending
	Parent *Line  // required for it to be printed, above it if in the same block
	Block  *Block
	Cost   int // tokens, line end included, of the form that is printed
	In     bool
	full   bool // it is printed in full although it has a shorter form
	// Heading marks a line that is printed exactly if one of its children is: it is not offered by itself.
	Heading bool
}

// Block is a part of the document under its heading.
type Block struct {
	Head   string // first line, and what else precedes the lines
	Empty  string // printed in the place of all that if no line is; "": nothing is, or the heading with Always
	Always bool   // printed also without lines
	Lines  []*Line
	// More summarises the left-out lines in one line; "" prints nothing.
	More func(left []*Line) string
	Foot func(lines []*Line) string // below the lines that are printed; nil: nothing
	// MoreAt is the place of that line: 0 below the lines, else at this Pos.
	MoreAt int64
	used   int // lines taken in
}

// Document is a list of blocks, filled up to a budget.
type Document struct {
	Blocks []*Block
	queue  [classes][]*Line // in order of worth
}

// Block appends a block.
func (d *Document) Block(b *Block) *Block {
	d.Blocks = append(d.Blocks, b)
	return b
}

// Add offers a line: within its class, earlier offers are worth more.
func (d *Document) Add(b *Block, l *Line) *Line {
	l.Block = b
	b.Lines = append(b.Lines, l)
	if l.Heading {
		return l
	}
	d.queue[l.Class] = append(d.queue[l.Class], l)
	return l
}

// Under returns a function that offers lines under a heading, which is printed exactly when one of them is.
func (d *Document) Under(b *Block, heading Line) func(Line) {
	var head *Line
	return func(l Line) {
		if head == nil {
			heading.Heading = true
			head = d.Add(b, &heading)
		}
		l.Parent = head
		d.Add(b, &l)
	}
}

// CountOf returns a block's More function that prints how many lines of a kind were left out.
func CountOf(noun string) func([]*Line) string {
	return func(left []*Line) string {
		if len(left) == 0 {
			return ""
		}
		return "  … and " + chars.Plural(len(left), noun)
	}
}

// Find returns the line of an anchor, or nil.
func (d *Document) Find(anchor string) *Line {
	for _, q := range d.queue {
		for _, l := range q {
			if l.Anchor == anchor {
				return l
			}
		}
	}
	return nil
}

// Promote gives a line the worth of an anchor.
func (d *Document) Promote(l *Line) {
	if l.Class <= ClassAnchor {
		return
	}
	q := d.queue[l.Class]
	i := slices.Index(q, l)
	d.queue[l.Class] = slices.Delete(q, i, i+1)
	l.Class = ClassAnchor
	d.queue[ClassAnchor] = append(d.queue[ClassAnchor], l)
}

// misses is how many lines of a class in a row may be too long before the rest is not tried.
const misses = 12

// Fill chooses the lines, so that the printed document has at most budget tokens, and returns it
// with its size. ok is false when not even what must be there fits; need then says how many tokens
// that takes.
func (d *Document) Fill(budget int) (text string, size int, ok bool) {
	left := budget - d.begin()
	var used [classes]int
	for c := range classes {
		used[c] = d.take(c, left, true)
		left -= used[c]
	}
	for pass := range 3 {
		for c := range classes {
			part := shareIn(c, budget)
			most := [...]int{part.first, part.most, part.atLast()}[pass]
			n := d.take(c, min(left, budget*most/100-used[c]), false)
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
	for c := range classes { // what was dropped may have been long: others fit into its place
		left -= d.take(c, min(left, budget*shareIn(c, budget).atLast()/100-used[c]), false)
	}
	for {
		text = d.String()
		size = Count(text)
		if size <= budget {
			return text, size, len(d.missing()) == 0
		}
		if d.dropLast() == 0 {
			return text, size, false
		}
	}
}

// begin forgets an earlier choice and returns the cost of what is always printed.
func (d *Document) begin() int {
	sum := 0
	for _, b := range d.Blocks {
		b.used = 0
		if b.Always {
			sum += b.frame()
		}
		for _, l := range b.Lines {
			l.In, l.full, l.Cost = false, false, 0
		}
	}
	return sum
}

// take adds lines of one class, or only those that must be there, within limit tokens, and returns what they cost.
func (d *Document) take(c Class, limit int, must bool) int {
	used, missed := 0, 0
	for _, l := range d.queue[c] {
		if missed == misses {
			break
		}
		if l.In || must && !l.Must || !l.reachable() {
			continue
		}
		Cost := l.price()
		for h := l.Parent; h != nil && !h.In; h = h.Parent {
			Cost += h.price()
		}
		if l.Block.used == 0 && !l.Block.Always {
			Cost += l.Block.frame()
		}
		if used+Cost > limit {
			missed++
			continue
		}
		missed = 0
		used += Cost
		for h := l; h != nil && !h.In; h = h.Parent {
			h.take()
		}
	}
	if must {
		return used
	}
	return used + d.expand(c, limit-used)
}

// expand prints lines of a class in full that were taken in their shorter form, the most worthy first, within limit
// tokens, and returns what that costs.
func (d *Document) expand(c Class, limit int) int {
	used := 0
	for _, l := range d.queue[c] {
		if !l.In || l.full || l.Brief == "" {
			continue
		}
		if More := Count(l.Text+"\n") - l.price(); used+More <= limit {
			used += More
			l.full, l.Cost = true, l.Cost+More
		}
	}
	return used
}

// price is what a line costs, its end included.
func (l *Line) price() int {
	if l.Cost == 0 {
		l.Cost = Count(l.form() + "\n")
	}
	return l.Cost
}

// form is what is printed of a line.
func (l *Line) form() string {
	if l.Brief != "" && !l.full {
		return l.Brief
	}
	return l.Text
}

// reachable reports whether all that must be printed above a line is, or can be.
func (l *Line) reachable() bool {
	for h := l.Parent; h != nil; h = h.Parent {
		if !h.In && !h.Heading {
			return false
		}
	}
	return true
}

func (l *Line) take() {
	l.In = true
	l.Block.used++
}

// drop takes a line out again and returns about what that frees.
func (l *Line) drop() int {
	l.In = false
	freed := l.price()
	if l.Block.used--; l.Block.used == 0 && !l.Block.Always {
		freed += l.Block.frame()
	}
	return freed
}

// dropLast takes the least worthy line out again and returns about what that frees.
func (d *Document) dropLast() int {
	for c := classes - 1; c >= 0; c-- {
		for i := len(d.queue[c]) - 1; i >= 0; i-- {
			l := d.queue[c][i]
			if !l.In || l.Must || d.carries(l) {
				continue
			}
			freed := l.drop()
			for h := l.Parent; h != nil && h.Heading && h.In && !d.carries(h); h = h.Parent {
				freed += h.drop()
			}
			return freed
		}
	}
	return 0
}

// carries reports whether another chosen line has l as its parent.
func (d *Document) carries(l *Line) bool {
	return slices.ContainsFunc(l.Block.Lines, func(other *Line) bool { return other.In && other.Parent == l })
}

// remainders returns what the lines about left-out lines cost.
func (d *Document) remainders() int {
	sum := 0
	for _, b := range d.Blocks {
		if s := b.remainder(); s != "" {
			sum += Count(s + "\n")
		}
	}
	return sum
}

// missing returns the lines that must be printed and are not.
func (d *Document) missing() []*Line {
	var out []*Line
	for _, q := range d.queue {
		for _, l := range q {
			if l.Must && !l.In {
				out = append(out, l)
			}
		}
	}
	return out
}

// String prints the chosen lines.
func (d *Document) String() string {
	var parts []string
	for _, b := range d.Blocks {
		if b.used > 0 || b.Always {
			parts = append(parts, b.String())
		}
	}
	return strings.Join(parts, Rule)
}

// frame is what a block costs without its lines.
func (b *Block) frame() int { return Count(b.Head + "\n" + b.foot(b.Lines) + Rule) }

func (b *Block) foot(lines []*Line) string {
	if b.Foot == nil {
		return ""
	}
	return b.Foot(lines)
}

func (b *Block) remainder() string {
	if b.More == nil || b.used == 0 && !b.Always {
		return ""
	}
	var left []*Line
	for _, l := range b.Lines {
		if !l.In {
			left = append(left, l)
		}
	}
	return b.More(left)
}

func (b *Block) String() string {
	if b.used == 0 && b.Empty != "" {
		return b.Empty
	}
	out := []string{b.Head}
	sorted := slices.Clone(b.Lines)
	slices.SortStableFunc(sorted, func(x, y *Line) int { return cmp.Compare(x.Pos, y.Pos) })
	More := b.remainder()
	heading := "" // the one that is in effect: it is not repeated
	for _, l := range sorted {
		if More != "" && b.MoreAt > 0 && l.Pos > b.MoreAt {
			out, More = append(out, More), ""
		}
		if !l.In || l.Heading && l.Text == heading {
			continue
		}
		if l.Heading || l.Parent == nil {
			heading = l.Text
		}
		out = append(out, l.form())
	}
	if More != "" {
		out = append(out, More)
	}
	if foot := b.foot(slices.DeleteFunc(sorted, func(l *Line) bool { return !l.In })); foot != "" {
		out = append(out, foot)
	}
	return strings.Join(out, "\n")
}

// Count is the measure of every budget here: exact o200k_base tokens.
func Count(s string) int { return tokens.O200kBase.CountString(s) }

// Need is about how many tokens the document takes with only what must be in it.
func (d *Document) Need() int {
	need := 0
	for _, b := range d.Blocks {
		lines := 0
		for _, l := range b.Lines {
			if l.Must {
				lines += Count(cmp.Or(l.Brief, l.Text) + "\n")
			}
		}
		if b.Always || lines > 0 {
			need += lines + b.frame()
		}
	}
	return need
}

// InsertBeforeBody adds a block before the last one.
func (d *Document) InsertBeforeBody(b *Block) *Block {
	n := len(d.Blocks)
	d.Blocks = append(d.Blocks[:n-1:n-1], b, d.Blocks[n-1])
	return b
}
