package graphfile

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/graph"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/lsp/anyfile"
)

// Lens is what is said above a line.
type Lens struct {
	At    int // byte
	Title string
	Hover string // what its marks mean, in lines; "": it has none
}

// From which sizes on the lens of a heading says something that is worth a line: how often it is sent, and what that takes.
const (
	oftenSent   = 2
	tokensOften = 1_000
)

// Lenses returns what each operation sends, and which blocks are sent again and again.
func Lenses(f File) []Lens {
	out := make([]Lens, 0, len(f.Around.Costs.Operations))
	for _, b := range f.Blocks {
		if n := f.Around.Costs.Sent(b); b.Level > 0 && n >= oftenSent && n*f.Around.Costs.Size(b) >= tokensOften {
			title := f.Said(f.Around.Costs.Size(b)).Tokens() + " · sent by " + chars.Plural(n, "operation")
			out = append(out, Lens{At: b.Heading().From, Title: title})
		}
		for _, o := range b.Operations() {
			if cost, sends := f.Around.Costs.Of(o); sends {
				out = append(out, Lens{o.At.From, f.lens(cost), strings.Join(legend(cost), "\n")})
			}
		}
	}
	return out
}

// legend explains the marks of what an operation sends.
func legend(c graph.Cost) []string {
	lines := graph.Legend(c)
	for i, line := range lines {
		lines[i] = chars.Line(line)
	}
	return lines
}

// lens is what an operation sends, in the first form that fits: tokens, their share of the window, their price, whether they are
// sent again, and the blocks.
func (f File) lens(c graph.Cost) string {
	title, meter := c.Said(c.Total()).Tokens(), f.MeterOf(c.Operation)
	if meter.Window > 0 {
		title += " · " + anyfile.Share(c.Total(), meter.Window)
	}
	money := ""
	const cent = 0.01
	if dollars, known := f.price(c.Operation, meter, c.Total()); known && dollars >= cent {
		money = " · " + chars.Money(dollars, false)
	}
	if marks := c.Marks(); len(marks) > 0 {
		money += " · " + strings.Join(marks, ", ")
	}
	names := f.selects(c)
	short := names
	if first, rest, more := strings.Cut(names, ", "); more {
		short = first + " and " + strconv.Itoa(strings.Count(names, ", ")) + " more"
		var signs string
		for _, sign := range []string{"+", "?"} {
			if strings.Contains(", "+rest, ", "+sign) {
				signs += sign
			}
		}
		if signs != "" {
			short += " (" + signs + ")"
		}
	}
	for _, rest := range []string{money + names, money + short, money} {
		if utf8.RuneCountInString(title+rest) <= anyfile.MaxLens {
			return title + rest
		}
	}
	return title
}

// selects says what an operation selects, as it is written there: " · goal, sources/*, +facts". A "+" is before what other
// operations write into until then, which is not in the figure, and a "?" where no block is known.
func (f File) selects(c graph.Cost) string {
	var names []string
	signs := map[string]string{}
	for _, path := range c.Later {
		signs[path] = "+"
	}
	for _, path := range c.Lost {
		signs[path] = "?"
	}
	for _, r := range c.Operation.Selects() {
		names = append(names, signs[r.String()]+called(f.In(r.At)))
	}
	switch {
	case len(names) > 0:
		return " · " + strings.Join(names, ", ")
	case c.Grows:
		return " · +all before it"
	case c.Ambient > 0:
		return " · all before it"
	}
	return ""
}

// mostBlocks is how many blocks are named in what is said of an operation.
const mostBlocks = 12

// costNote says what an operation sends, part by part.
func (f File) costNote(c graph.Cost) string {
	o, total := c.Operation, c.Total()
	meter := f.MeterOf(o)
	head := "@" + o.Name + " sends " + meter.Say(c.Said(total))
	if dollars, known := f.price(o, meter, total); known {
		head += " · " + chars.Money(dollars, false) + " at list prices"
	}
	lines := []string{head, fmt.Sprintf("system %s · blocks %s · text before it %s · prompt %s", c.Said(c.System),
		c.Said(c.Selected), c.Said(c.Ambient), c.Said(c.Prompt))}
	var parts []string
	for _, m := range f.Request(o) {
		if m.Block != nil {
			parts = append(parts, title(m.Block)+" "+meter.Counter.Count(m.Text).String())
		}
	}
	if more := len(parts) - mostBlocks; more > 0 {
		parts = append(parts[:mostBlocks], fmt.Sprintf("and %s more", chars.Plural(more, "block")))
	}
	if len(parts) > 0 {
		lines = append(lines, strings.Join(parts, " · "))
	}
	lines = append(lines, legend(c)...)
	return strings.Join(append(lines, meter.Counted()), "\n")
}
