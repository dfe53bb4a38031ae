package graphfile

import (
	"fmt"
	"slices"
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
}

// From which sizes on the lens of a heading says something that is worth a line: how often it is sent, and what that takes.
const (
	oftenSent   = 2
	tokensOften = 1_000
)

// Lenses returns what each operation sends, and which blocks are sent again and again.
func Lenses(f File) (out []Lens) {
	for _, b := range f.Blocks {
		if n := f.Around.Costs.Sent(b); b.Level > 0 && n >= oftenSent && n*f.Around.Costs.Size(b) >= tokensOften {
			out = append(out, Lens{b.Heading.From,
				fmt.Sprintf("%s · sent by %s", f.Said(f.Around.Costs.Size(b)).Tokens(), chars.Plural(n, "operation"))})
		}
		for _, o := range b.Operations {
			if cost, sends := f.Around.Costs.Of(o); sends {
				out = append(out, Lens{o.At.From, f.lens(cost)})
			}
		}
	}
	return out
}

// lens is what an operation sends, in the first form that fits: tokens, their share of the window, their price, the blocks.
func (f File) lens(c graph.Cost) string {
	title := f.Said(c.Total()).Tokens()
	if window := f.Window(c.Operation); window > 0 {
		title += " · " + anyfile.Share(c.Total(), window)
	}
	money := ""
	const cent = 0.01
	if dollars, known := f.price(c.Operation, c.Total()); known && dollars >= cent {
		money = " · " + chars.Money(dollars, false)
	}
	names := f.selects(c)
	short := names
	if i := strings.Index(names, ", "); i >= 0 {
		short = names[:i] + " and " + strconv.Itoa(strings.Count(names, ", ")) + " more"
	}
	for _, rest := range []string{money + names, money + short, money} {
		if utf8.RuneCountInString(title+rest) <= anyfile.MaxLens {
			return title + rest
		}
	}
	return title
}

// selects says what an operation selects, as it is written there: " · goal, sources/*, +facts". A "+" is before blocks that are
// not in the document yet, and not in the figure.
func (f File) selects(c graph.Cost) string {
	var names []string
	for _, r := range c.Operation.Selects() {
		name := called(r.At.In(f.Source))
		if slices.Contains(c.Later, r.Path) {
			name = "+" + name
		}
		names = append(names, name)
	}
	switch {
	case len(names) > 0:
		return " · " + strings.Join(names, ", ")
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
	head := "@" + o.Name + " sends " + anyfile.Meter{Counter: f.Meter.Counter, Window: f.Window(o)}.Say(f.Said(total))
	if dollars, known := f.price(o, total); known {
		head += " · " + chars.Money(dollars, false) + " at list prices"
	}
	lines := []string{head, fmt.Sprintf("system %s · blocks %s · text before it %s · prompt %s", f.Said(c.System),
		f.Said(c.Selected), f.Said(c.Ambient), f.Said(c.Prompt))}
	var parts []string
	for _, m := range f.Request(o) {
		if m.Block != nil {
			parts = append(parts, title(m.Block)+" "+f.Said(f.Count(m.Text)).String())
		}
	}
	if more := len(parts) - mostBlocks; more > 0 {
		parts = append(parts[:mostBlocks], fmt.Sprintf("and %s more", chars.Plural(more, "block")))
	}
	if len(parts) > 0 {
		lines = append(lines, strings.Join(parts, " · "))
	}
	if len(c.Later) > 0 {
		later := slices.Clone(c.Later)
		for i := range later {
			later[i] = called(later[i])
		}
		lines = append(lines, "and blocks that are not in the document yet: "+
			strings.Join(later[:min(len(later), mostBlocks)], ", "))
	}
	return strings.Join(append(lines, f.Meter.Counted()), "\n")
}

// Count returns the tokens of a text.
func (f File) Count(text string) int { return Count(f.Meter)(text) }
