package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
)

// From which sizes on something is worth saying, in tokens, lines and blocks.
const (
	largeBlock   = 2_000
	longBlock    = 200
	wideBlocks   = 10
	wideTokens   = 5_000
	keptResponse = 1_000
)

// Cost is what an operation sends, in tokens.
type Cost struct {
	Operation *Operation `json:"-"`
	System    int        `json:"system"`
	Selected  int        `json:"selected"`
	Ambient   int        `json:"ambient"`
	Prompt    int        `json:"prompt"`
	Shown     int        `json:"operations,omitempty"` // of Ambient: operations, see Settings.Visible
	// Later are the references to blocks that are not in the document: operations may insert them.
	Later []string `json:"later,omitempty"`
}

// Total is all of it.
func (c Cost) Total() int { return c.System + c.Selected + c.Ambient + c.Prompt }

// Costs is what the operations of a document send.
type Costs struct {
	Operations []Cost         // those that send something
	Sent       map[*Block]int // by how many operations
	sizes      map[*Block]int
	count      func(string) int
	d          *Document
}

// Size returns the tokens of a block's own text.
func (c *Costs) Size(b *Block) int {
	n, known := c.sizes[b]
	if !known {
		n = c.count(c.d.Text(b))
		c.sizes[b] = n
	}
	return n
}

// Costs returns what each operation sends if the document is as it is now.
func (d *Document) Costs(count func(string) int) *Costs {
	c := &Costs{Sent: map[*Block]int{}, sizes: map[*Block]int{}, count: count, d: d}
	system := count(d.SystemPrompt())
	before, shown := 0, 0                      // tokens above, and with the operations
	asked := make([]int, 0, len(d.Operations)) // where operations are that send what is above
	for _, b := range d.Blocks {
		for _, o := range b.Operations {
			cost := Cost{Operation: o, Prompt: count(strings.TrimRight(o.text("prompt"), "\n"))}
			switch o.Name {
			case "llm":
				cost.System = system
			case "run", "return":
			default:
				continue
			}
			switch {
			case o.field("block") != nil:
				c.choose(o, &cost)
			case o.sendsAmbient():
				own := count(d.textUpTo(b, o.At.From))
				cost.Ambient = before + own
				if d.settings.Visible {
					cost.Ambient = shown + count(d.before(b, o.At.From))
					cost.Shown = cost.Ambient - before - own
				}
				asked = append(asked, o.At.From)
			}
			if cost.Total() > 0 {
				c.Operations = append(c.Operations, cost)
			}
		}
		if !b.System {
			before += c.Size(b)
			if d.settings.Visible {
				shown += count(d.before(b, b.Own.To))
			}
		}
	}
	for _, b := range d.Blocks {
		for len(asked) > 0 && asked[0] < b.Own.From {
			asked = asked[1:]
		}
		if !b.System && c.Size(b) > 0 { // there may be nothing before the first heading
			c.Sent[b] += len(asked)
		}
	}
	return c
}

// choose adds what the references of an operation select.
func (c *Costs) choose(o *Operation, cost *Cost) {
	for _, b := range c.d.selected(o) {
		cost.Selected += c.Size(b)
		c.Sent[b]++
	}
	if c.d.fractalic() { // one message of all
		cost.Selected = 0
		for _, m := range c.d.chosen(o) {
			cost.Selected += c.count(m.Text)
		}
	}
	for _, r := range o.references(c.d.Source, "block") {
		if c.d.Find(r.Path).Block == nil {
			cost.Later = append(cost.Later, r.Path)
		}
	}
}

// tokens checks what operations send.
func (c *checker) tokens() {
	costs := c.d.Costs(c.o.Count)
	c.blocks(costs)
	for _, cost := range costs.Operations {
		c.cost(cost)
	}
	c.cached(costs)
	for _, o := range c.d.Operations {
		c.selection(o, costs)
	}
	c.sum(costs.Operations)
}

// blocks checks what blocks cost those who send them.
func (c *checker) blocks(costs *Costs) {
	for _, b := range c.d.Blocks {
		switch by := costs.Sent[b]; {
		case by > 1:
			text := b.Own.In(c.d.Source)
			n, lines := costs.Size(b), strings.Count(strings.TrimSpace(text), "\n")+1
			if n > largeBlock || lines > longBlock {
				c.add("CG501", Warning, b.place(), fmt.Sprintf("%s tokens are sent by %s: summarize and replace them",
					chars.Commas(n), chars.Plural(by, "operation")))
			}
			if strings.Contains(text, "> TOOL RESPONSE, id:") && n > keptResponse {
				c.add("CG508", Warning, b.place(), fmt.Sprintf("%s tokens of a tool's result are sent again by %s",
					chars.Commas(n), chars.Plural(by, "operation")))
			}
		case by == 0 && b.Level > 0 && !b.System && len(b.Operations)+len(b.Children) == 0 && c.hasText(b) &&
			len(c.d.Operations) > 0:
			c.add("CG510", Information, b.place(), "no operation sends this block")
		}
	}
}

// place is where something is said about a block.
func (b *Block) place() Span {
	if b.Level == 0 {
		return Span{b.Own.From, b.Own.From}
	}
	return b.Heading
}

// cost checks what one operation sends.
func (c *checker) cost(cost Cost) {
	o, total := cost.Operation, cost.Total()
	window := 0
	if name := o.text("model"); c.o.Window != nil {
		if window = c.o.Window(name); name != "" && window == 0 && (c.o.Known == nil || c.o.Known(name)) {
			c.add("CG511", Information, o.field("model").Value, "how large this model's window is, is not known")
		}
	}
	said := fmt.Sprintf("sends ≈%s tokens, %s of the model's window", chars.Commas(total), chars.Share(total, window))
	switch {
	case window == 0 || o.Name != "llm":
	case total > window:
		c.add("CG502", Error, o.NameAt, said)
	case total*10 > window*7:
		c.add("CG502", Warning, o.NameAt, said)
	}
	if o.Name != "llm" {
		return
	}
	if cost.Ambient*2 > total {
		c.add("CG504", Warning, o.NameAt, fmt.Sprintf(
			"%s of the %s tokens that this sends are the text before it: name blocks, or write context: none",
			chars.Share(cost.Ambient, total), chars.Commas(total)))
	}
	if cost.Shown > 0 {
		c.add("CG512", Warning, o.NameAt, fmt.Sprintf("%s of the tokens that this sends are operations: "+
			"enableOperationsVisibility of settings.toml adds them", chars.Commas(cost.Shown)))
	}
	if f := o.field("tools"); f != nil && f.text() != "none" && o.field("tools-turns-max") == nil {
		c.add("CG507", Warning, f.At,
			"without tools-turns-max the model may call tools 30 times, and all is sent again each time").Fix =
			&Fix{Title: "Allow 3 turns", At: Span{o.At.To, o.At.To}, Text: "\ntools-turns-max: 3"}
	}
}

// selection checks whether an operation selects too much, or the same twice.
func (c *checker) selection(o *Operation, costs *Costs) {
	if o.Name == "import" {
		return
	}
	seen := map[*Block]bool{}
	refs := o.references(c.d.Source, "block")
	for i, r := range refs {
		selected := c.d.Select(r)
		size, twice := 0, false
		for _, b := range selected {
			size += costs.Size(b)
			twice = twice || seen[b]
			seen[b] = true
		}
		if twice {
			c.add("CG503", Warning, r.At, "this selects what is selected already: it is sent once").Fix =
				c.without(o, refs, i)
		}
		if r.Below && (len(selected) > wideBlocks || size > wideTokens) {
			c.add("CG505", Warning, r.At, fmt.Sprintf("/* selects %s with %s tokens: name those that are needed",
				chars.Plural(len(selected), "block"), chars.Commas(size)))
		}
	}
	if operations[o.Name].merges && o.text("mode") != "replace" && c.jumps.back(o, o) {
		c.add("CG506", Warning, o.NameAt, "in a loop the document grows with each pass: use replace")
	}
}

// maxRewritten is how long a list is at most that a fix writes again.
const maxRewritten = 100

// without returns the fix that leaves a reference of a list out; nil: it is the only one, or one of very many.
func (c *checker) without(o *Operation, refs []Reference, i int) *Fix {
	if len(refs) < 2 || len(refs) > maxRewritten || !strings.HasPrefix(o.field("block").Value.In(c.d.Source), "[") {
		return nil
	}
	left := slices.Delete(slices.Clone(refs), i, i+1)
	texts := make([]string, len(left))
	for j, r := range left {
		texts[j] = r.At.In(c.d.Source)
	}
	return &Fix{Title: "Leave it out", At: o.field("block").Value, Text: "[" + strings.Join(texts, ", ") + "]"}
}

// sum says what the whole document sends.
func (c *checker) sum(costs []Cost) {
	all, asks := 0, []Cost(nil)
	for _, cost := range costs {
		if cost.Operation.Name == "llm" {
			all += cost.Total()
			asks = append(asks, cost)
		}
	}
	if len(asks) == 0 {
		return
	}
	last := asks[len(asks)-1].Operation
	if last.field("context") == nil && last.field("block") == nil {
		c.add("CG514", Information, last.NameAt,
			"the last operation sends all before it: context: none leaves that out").Fix =
			&Fix{Title: "Send nothing but the prompt", At: Span{last.At.To, last.At.To}, Text: "\ncontext: none"}
	}
	slices.SortStableFunc(asks, func(a, b Cost) int { return cmp.Compare(b.Total(), a.Total()) })
	most := make([]string, 0, 3)
	for _, cost := range asks[:min(len(asks), cap(most))] {
		line, _ := c.d.Place(cost.Operation.At.From)
		most = append(most, fmt.Sprintf("line %d: %s", line, chars.Commas(cost.Total())))
	}
	c.add("CG509", Information, c.line(0), fmt.Sprintf("all model calls send ≈%s tokens, most by %s",
		chars.Commas(all), strings.Join(most, ", ")))
}
