package graphfile

import (
	"unicode/utf8"

	"ctxledger.dev/graph"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/tokens"
)

// File is a context graph with the model to count for.
type File struct {
	*graph.Document
	Meter   anyfile.Meter
	Counter func(model string) tokens.Counter // of each model that is known by that name
	Models  *tokens.Registry
	// Around is what is known of the surroundings, with the costs by the counter of Meter. Without Read no other document can
	// be read; "" is the model of Meter.
	Around graph.Options
}

// Said is a figure of the meter.
func (f File) Said(n int) tokens.Count { return tokens.Count{N: n, Exact: f.Meter.Counter.Exact()} }

// CounterOf returns how texts are counted for a model that an operation names.
func (f File) CounterOf(named string) tokens.Counter {
	if named == "" {
		return f.Meter.Counter
	}
	if f.Around.Model != nil {
		named = f.Around.Model(named)
	}
	return f.Counter(named)
}

// MeterOf returns how what an operation sends is counted, and the window of its model.
func (f File) MeterOf(o *graph.Operation) anyfile.Meter {
	named, _ := o.Value("model")
	m := anyfile.Meter{Counter: f.CounterOf(named)}
	if o.Name == "llm" { // others ask no model
		m.Window = f.Around.Window(named)
	}
	return m
}

// price returns what sending tokens costs at list prices, counted so; known is false where nothing is known of that.
func (f File) price(o *graph.Operation, m anyfile.Meter, n int) (dollars float64, known bool) {
	if o.Name != "llm" || f.Models == nil {
		return 0, false
	}
	rates := f.Models.Rates(m.Counter.Model(), tokens.TermsOf(int64(n)))
	return rates.Cost(tokens.Used{Input: int64(n)}).Dollars, rates.Known
}

// line returns where the line of an offset begins, and where it ends without its line end.
func (f File) line(at int) (from, to int) {
	line, _ := f.Line(at)
	return line.From, line.To
}

// longestName is how long a name is shown, in characters.
const longestName = 60

// called is a name as it is shown: one short line.
func called(name string) string { return chars.Short(chars.Line(name), longestName) }

// title is how a block is called; the text before the first heading has no name.
func title(b *graph.Block) string {
	switch {
	case b.Level == 0:
		return "text before the first heading"
	case b.System:
		return called(b.Title)
	}
	return called(b.URI())
}

// cut returns a text of at most so many characters, and what says so where it had more.
func cut(text string, most int) (head string, left int) {
	if len(text) <= most {
		return text, 0
	}
	head = chars.Head(text, most)
	return head, utf8.RuneCountInString(text[len(head):])
}
