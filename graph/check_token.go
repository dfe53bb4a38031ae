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
}

// Total is all of it.
func (c Cost) Total() int { return c.System + c.Selected + c.Ambient + c.Prompt }

// Costs returns what each operation that sends something sends, as the document stands.
func (d *Document) Costs(count func(string) int) []Cost {
	known := map[*Block]int{}
	var out []Cost
	for _, o := range d.Operations {
		cost := Cost{Operation: o}
		for _, m := range d.Request(o) {
			n, counted := known[m.Block]
			if own := m.Block == nil || m.Block == o.Block; own || !counted {
				n = count(m.Text)
				if !own {
					known[m.Block] = n
				}
			}
			switch m.From {
			case FromSystem:
				cost.System += n
			case FromBlock:
				cost.Selected += n
			case FromAmbient:
				cost.Ambient += n
			case FromPrompt:
				cost.Prompt += n
			}
		}
		if cost.Total() > 0 {
			out = append(out, cost)
		}
	}
	return out
}

// tokens checks what operations send.
func (c *checker) tokens() {
	costs := c.d.Costs(c.o.Count)
	sent := map[*Block][]*Operation{}
	for _, o := range c.d.Operations {
		for _, m := range c.d.Request(o) {
			if m.Block != nil {
				sent[m.Block] = append(sent[m.Block], o)
			}
		}
	}
	c.blocks(sent)
	for _, cost := range costs {
		c.cost(cost)
	}
	for _, o := range c.d.Operations {
		c.selection(o)
	}
	c.sum(costs)
}

// blocks checks what blocks cost those who send them.
func (c *checker) blocks(sent map[*Block][]*Operation) {
	for _, b := range c.d.Blocks {
		text := c.d.Text(b)
		switch by := sent[b]; {
		case len(by) > 1:
			n, lines := c.o.Count(text), strings.Count(text, "\n")+1
			if n > largeBlock || lines > longBlock {
				c.add("CG501", Warning, b.place(), fmt.Sprintf("%s tokens are sent by %s: summarize the block and replace it",
					chars.Commas(n), chars.Plural(len(by), "operation")))
			}
			if strings.Contains(text, "> TOOL RESPONSE, id:") && n > keptResponse {
				c.add("CG508", Warning, b.place(), fmt.Sprintf("the %s tokens of a tool's result are kept and sent again by %s",
					chars.Commas(n), chars.Plural(len(by), "operation")))
			}
		case len(by) == 0 && b.Level > 0 && !b.System && len(b.Operations) == 0 && len(b.Children) == 0 && c.hasText(b) &&
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
	if name := o.text("model"); c.o.Model != nil {
		known := false
		if window, known = c.o.Model(name); known && name != "" && window == 0 {
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
		c.add("CG504", Warning, o.NameAt, fmt.Sprintf("%s of the %s tokens that this sends are the text before it: name the blocks with block, or "+
			"write context: none", chars.Share(cost.Ambient, total), chars.Commas(total)))
	}
	if f := o.field("tools"); f != nil && f.text() != "none" && o.field("tools-turns-max") == nil {
		c.add("CG507", Warning, f.At, "without tools-turns-max the model may call tools 30 times, and sends all again each time").Fix =
			&Fix{Title: "Allow 3 turns", At: Span{o.At.To, o.At.To}, Text: "\ntools-turns-max: 3"}
	}
}

// selection checks whether an operation selects too much, or the same twice.
func (c *checker) selection(o *Operation) {
	if o.Name == "import" {
		return
	}
	seen := map[*Block]bool{}
	refs := o.references(c.d.Source, "block")
	for i, r := range refs {
		selected := c.d.Select(r)
		size, twice := 0, false
		for _, b := range selected {
			size += c.o.Count(c.d.Text(b))
			twice = twice || seen[b]
			seen[b] = true
		}
		if twice {
			c.add("CG503", Warning, r.At, "this selects what is selected already: it is sent once").Fix = c.without(o, refs, i)
		}
		if r.Below && (len(selected) > wideBlocks || size > wideTokens) {
			c.add("CG505", Warning, r.At, fmt.Sprintf("/* selects %s with %s tokens: name those that are needed",
				chars.Plural(len(selected), "block"), chars.Commas(size)))
		}
	}
	if operations[o.Name].merges && o.text("mode") != "replace" && c.loops(o, o) {
		c.add("CG506", Warning, o.NameAt, "in a loop the document grows with each pass: use replace")
	}
}

// without returns the fix that leaves a reference of a list out; nil: it is the only one.
func (c *checker) without(o *Operation, refs []Reference, i int) *Fix {
	if len(refs) < 2 || !strings.HasPrefix(o.field("block").Value.In(c.d.Source), "[") {
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
		c.add("CG514", Information, last.NameAt, "the last operation sends all before it: context: none leaves that out").Fix =
			&Fix{Title: "Send nothing but the prompt", At: Span{last.At.To, last.At.To}, Text: "\ncontext: none"}
	}
	slices.SortStableFunc(asks, func(a, b Cost) int { return cmp.Compare(b.Total(), a.Total()) })
	most := make([]string, 0, 3)
	for _, cost := range asks[:min(len(asks), cap(most))] {
		line := strings.Count(c.d.Source[:cost.Operation.At.From], "\n") + 1
		most = append(most, fmt.Sprintf("line %d: %s", line, chars.Commas(cost.Total())))
	}
	c.add("CG509", Information, c.line(0), fmt.Sprintf("all model calls send ≈%s tokens, most by %s", chars.Commas(all), strings.Join(most, ", ")))
}
