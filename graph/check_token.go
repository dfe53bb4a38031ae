package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/tokens"
)

// From which sizes on something is worth saying, in tokens, lines and blocks.
const (
	largeBlock   = 2_000
	longBlock    = 200
	wideBlocks   = 10
	wideTokens   = 5_000
	keptResponse = 1_000
)

// tokens checks what operations send.
func (c *checker) tokens() {
	costs := c.o.Costs
	if costs == nil {
		costs = c.d.Costs(c.o)
	}
	c.blocks(costs)
	for _, cost := range costs.Operations {
		c.cost(cost)
	}
	c.cached(costs)
	for _, o := range c.d.Operations {
		c.selection(o, costs)
	}
	c.sum(costs)
}

// Said is a figure of the cost.
func (c Cost) Said(n int) tokens.Count { return tokens.Count{N: n, Exact: c.Exact} }

// Said is a figure of blocks.
func (c *Costs) Said(n int) tokens.Count { return tokens.Count{N: n, Exact: c.Exact} }

// maxUnsent is how many blocks that no operation sends have a finding of their own: of a large document it may be most.
const maxUnsent = 100

// blocks checks what blocks cost those who send them.
func (c *checker) blocks(costs *Costs) {
	unsent, last := 0, 0 // the last is a place in what was found
	asks := slices.ContainsFunc(costs.Operations, func(x Cost) bool { return x.Operation.Name == "llm" })
	for _, b := range c.d.Blocks {
		if costs.Sent(b) > 0 || b.System && asks {
			c.secretIn(b)
		}
		switch by := costs.Sent(b); {
		case by > 1:
			text := c.d.In(b.Own)
			n, lines := costs.Size(b), strings.Count(strings.TrimSpace(text), "\n")+1
			if n > largeBlock || lines > longBlock {
				c.add("CG501", Warning, b.place(), fmt.Sprintf("%s are sent by %s: summarize and replace them",
					costs.Said(n).Tokens(), chars.Plural(by, "operation")))
			}
			if strings.Contains(text, "> TOOL RESPONSE, id:") && n > keptResponse {
				c.add("CG508", Warning, b.place(), fmt.Sprintf("%s of a tool's result are sent again by %s",
					costs.Said(n).Tokens(), chars.Plural(by, "operation")))
			}
		case by == 0 && b.Level > 0 && !b.System && len(b.Operations())+len(c.d.Below(b)) == 0 && c.hasText(b) &&
			len(c.d.Operations) > 0 && int(c.made.grows().gone[b.index]) == len(c.d.Operations):
			if unsent++; unsent <= maxUnsent {
				last = len(c.found)
				c.add("CG510", Information, b.place(), "no operation sends this block")
			}
		}
	}
	if more := unsent - maxUnsent; more > 0 {
		c.found[last].Message += ", nor " + chars.Plural(more, "block") + " further down"
	}
}

// secretIn checks whether a block that is sent has what looks like a secret: what it finds is kept while its text stays.
func (c *checker) secretIn(b *Block) {
	found := b.kept.secrets.Load()
	if found == nil {
		found = new([]Span)
		for s := range b.whole {
			for _, x := range c.secrets.Find([]byte(c.d.In(s))) {
				*found = append(*found, Span{x.Start, x.End}.moved(s.From-b.Own.From))
			}
		}
		b.kept.secrets.Store(found)
	}
	for _, at := range *found {
		c.add("CG409", Warning, at.moved(b.Own.From), "this looks like a secret, and would be sent")
	}
}

// place is where something is said about a block.
func (b *Block) place() Span {
	if b.Level == 0 {
		return Span{b.Own.From, b.Own.From}
	}
	return b.Heading()
}

// cost checks what one operation sends.
func (c *checker) cost(cost Cost) {
	o, total := cost.Operation, cost.Total()
	window := 0
	if name := o.text("model"); c.o.Window != nil {
		if window = c.o.Window(name); name != "" && window == 0 && (c.o.Known == nil || c.o.Known(name)) {
			c.add("CG511", Information, o.field("model").Value, "the size of this model's window is not known")
		}
	}
	said := func() string {
		return fmt.Sprintf("sends %s, %s of the model's window", cost.Said(total).Tokens(),
			chars.Share(total, window))
	}
	switch {
	case window == 0 || o.Name != "llm":
	case total > window:
		c.add("CG502", Error, o.NameAt, said())
	case total*10 > window*7:
		c.add("CG502", Warning, o.NameAt, said())
	}
	if o.Name != "llm" {
		return
	}
	if cost.mostlyAmbient() {
		c.add("CG504", Warning, o.NameAt, fmt.Sprintf(
			"%s of the %s that this sends are the text before it: name blocks, or write context: none",
			chars.Share(cost.Ambient, total), cost.Said(total).Tokens())).Fix = set(o, onlyPrompt, "context", "none")
	}
	if cost.Shown > 0 {
		c.add("CG512", Warning, o.NameAt, fmt.Sprintf("%s of the tokens that this sends are operations: "+
			"enableOperationsVisibility of settings.toml adds them", cost.Said(cost.Shown)))
	}
	if cost.Tools && o.field("tools-turns-max") == nil {
		c.add("CG507", Warning, o.field("tools").At,
			fmt.Sprintf("without tools-turns-max the model may call tools %d times, and all is sent again each time", turnsMax)).Fix =
			&Fix{Title: "Allow 3 turns", At: Span{o.At.To, o.At.To}, Text: "\ntools-turns-max: 3"}
	}
}

// onlyPrompt is the title of a fix after which the text before an operation is not sent.
const onlyPrompt = "Send nothing but the prompt"

// mostlyAmbient reports whether more than half of what is sent is the text before the operation.
func (c Cost) mostlyAmbient() bool { return c.Ambient*2 > c.Total() }

// selectedAlready is said of a reference of which nothing would be missed.
const selectedAlready = "this selects what is selected already: it is sent once"

// selection checks whether an operation selects too much, or the same twice.
func (c *checker) selection(o *Operation, costs *Costs) {
	if o.Name == "import" {
		return
	}
	refs, matches := o.references("block"), c.d.matches(o, "block")
	cost, _ := costs.Of(o)
	seen := overlaps{c: costs}
	for i, r := range refs {
		x := c.d.sends(o, r, matches.at(i))
		size, blocks := int(costs.tokens[x.to]-costs.tokens[x.from]), int(costs.blocks[x.to]-costs.blocks[x.from])
		if i < maxRewritten && slices.Contains(cost.Later, r.String()) && matches.at(i).Block == nil &&
			slices.ContainsFunc(refs[:i], func(y Reference) bool { return y.String() == r.String() }) {
			c.add("CG503", Warning, r.At, selectedAlready).Fix = c.without(o, refs, i)
		}
		if len(refs) > 1 && seen.add(x) && !slices.Contains(cost.Later, r.String()) {
			f := c.add("CG503", Warning, r.At, "a part of this is selected already: it is sent once")
			if seen.has(i) {
				f.Message, f.Fix = selectedAlready, c.without(o, refs, i)
			}
		}
		if r.Below && (blocks > wideBlocks || size > wideTokens) {
			c.add("CG505", Warning, r.At, fmt.Sprintf("%s selects %s with %s: name those that are needed",
				chars.Short(r.String(), 60), chars.Plural(blocks, "block"), costs.Said(size).Tokens()))
		}
	}
	if operations[o.Name].merges && o.text("mode") != "replace" && !o.truth("run-once") && c.jumps.back(o, o) {
		f := c.add("CG506", Warning, o.NameAt, "in a loop the document grows with each pass: replace a block, with to and mode")
		if t, ok := c.d.target(o); ok && t.block != nil && !losesID(t.block, c.made.header(o).id) {
			f.Fix = set(o, "Write mode: replace", "mode", "replace")
		}
	}
}

// overlaps finds out whether runs of blocks have one in common, besides system blocks.
type overlaps struct {
	c    *Costs
	runs []extent
	next []int // with many runs: the first block from each on that is in none of them
}

// manyRuns is from how many runs on they are not compared one by one.
const manyRuns = 16

// free returns the first block from one on that is in no run.
func (s *overlaps) free(i int) int {
	for s.next[i] != i {
		s.next[i] = s.next[s.next[i]]
		i = s.next[i]
	}
	return i
}

// add adds a run, and reports whether it has a block of those before it.
func (s *overlaps) add(x extent) (common bool) {
	if s.runs = append(s.runs, x); len(s.runs) < manyRuns {
		return slices.ContainsFunc(s.runs[:len(s.runs)-1], func(y extent) bool {
			from, to := max(x.from, y.from), min(x.to, y.to)
			return from < to && s.c.blocks[to] > s.c.blocks[from]
		})
	}
	if s.next == nil {
		s.next = make([]int, len(s.c.sizes)+1)
		for i := range s.next {
			s.next[i] = i
		}
		for _, y := range s.runs[:len(s.runs)-1] {
			s.take(y)
		}
	}
	return s.take(x)
}

// has reports whether the runs before one, of a list that a fix may write again, have all of it.
func (s *overlaps) has(i int) bool {
	x := s.runs[i]
	return i < maxRewritten && slices.ContainsFunc(union(slices.Clone(s.runs[:i])), func(y extent) bool {
		return y.from <= x.from && x.to <= y.to
	})
}

// take is add with many runs.
func (s *overlaps) take(x extent) (common bool) {
	for at := x.from; at < x.to; {
		i := min(s.free(at), x.to)
		common = common || s.c.blocks[i] > s.c.blocks[at] // from at to i all are taken
		if i < x.to {
			s.next[i] = i + 1
		}
		at = i + 1
	}
	return common
}

// maxRewritten is how long a list is at most that a fix writes again.
const maxRewritten = 100

// without returns the fix that leaves a reference of a list out; nil: it is the only one, or one of very many.
func (c *checker) without(o *Operation, refs []Reference, i int) *Fix {
	if len(refs) < 2 || len(refs) > maxRewritten || !strings.HasPrefix(c.d.In(o.field("block").Value), "[") {
		return nil
	}
	left := slices.Delete(slices.Clone(refs), i, i+1)
	texts := make([]string, len(left))
	for j, r := range left {
		texts[j] = c.d.In(r.At)
	}
	return &Fix{Title: "Leave it out", At: o.field("block").Value, Text: "[" + strings.Join(texts, ", ") + "]"}
}

// sum says what the whole document sends.
func (c *checker) sum(costs *Costs) {
	all, asks := Cost{Exact: true}, make([]*Cost, 0, len(costs.Operations))
	for i := range costs.Operations {
		if cost := &costs.Operations[i]; cost.Operation.Name == "llm" {
			all.Prompt += cost.Total() * cost.Times
			all.Exact = all.Exact && cost.Exact
			asks = append(asks, cost)
		}
	}
	if len(asks) == 0 {
		return
	}
	cost := asks[len(asks)-1]
	last := cost.Operation
	if last.field("context") == nil && cost.Ambient > 0 && !cost.mostlyAmbient() {
		c.add("CG514", Information, last.NameAt,
			"the last operation sends all before it: context: none leaves that out").Fix = set(last, onlyPrompt, "context", "none")
	}
	slices.SortStableFunc(asks, func(a, b *Cost) int { return cmp.Compare(b.Total()*b.Times, a.Total()*a.Times) })
	most := make([]string, 0, 3)
	for _, cost := range asks[:min(len(asks), cap(most))] {
		line := c.d.source.linesBefore(cost.Operation.At.From) + 1
		most = append(most, fmt.Sprintf("line %d: %s%s", line, cost.Said(cost.Total()), cost.Again()))
	}
	c.add(Sums, Information, c.line(0), fmt.Sprintf("%s %s, most by %s%s", costs.Calls(),
		all.Said(all.Total()).Tokens(), strings.Join(most, ", "), costs.Rest()))
}
