package tokens

import (
	"cmp"
	_ "embed" // for the table of models
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"ctxledger.dev/internal/fault"
)

// modelTable is the models that the program knows: see Table.
//
//go:embed data/models.txt
var modelTable string

// MaxTable bounds the text of a table, in bytes.
const MaxTable = 1 << 20

// Table is a list of models and of their prices at a date. As a text it has a line "date 2006-01-02", at least one line
// "source …", and a line for each model: its name, its encoding or family, its window and its output limit in tokens, four
// prices in dollars for a million tokens (input, read from the cache, written to it, answer), and what else its price
// depends on: search=10 for a thousand searches of the web, and factors of all prices as batch=0.5, or of input and of
// answers as >200000=2/1.5 above so many tokens of input. A hyphen is what is not known. A # begins a comment.
type Table struct {
	Date    string // of the prices, as 2006-01-02; "": there is no table
	Sources []string
	Models  []Model // sorted by name
}

// ParseTable reads the text of a table. Errors: invalid, naming the line and what is wrong; too_large.
func ParseTable(text string) (Table, error) {
	all, err := ParseTables(text)
	if err != nil || len(all) != 1 {
		return Table{}, cmp.Or(err, new(Table).check())
	}
	return all[0], nil
}

// ParseTables reads tables that stand one behind the other, the older ones first: each but the first begins with its date.
// There may be none. Errors: as ParseTable.
func ParseTables(text string) (all []Table, err error) {
	const op = "tokens.table"
	if len(text) > MaxTable {
		return nil, fault.New(fault.TooLarge, op, "it has more than %d bytes", MaxTable)
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if n := len(all); n == 0 || fields[0] == "date" && all[n-1].complete() {
			all = append(all, Table{})
		}
		if err := all[len(all)-1].take(fields); err != nil {
			return nil, fault.New(fault.Invalid, op, "line %d: %.200q: %s", number, strings.TrimSpace(line), err)
		}
	}
	for _, t := range all {
		if err := t.check(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (t *Table) complete() bool { return t.Date != "" && len(t.Sources) > 0 && len(t.Models) > 0 }

// check sorts the models of a table, and says what is wrong with it as a whole.
func (t *Table) check() error {
	const op = "tokens.table"
	switch {
	case !t.complete():
		return fault.New(fault.Invalid, op,
			"it needs a line \"date 2006-01-02\", a line \"source …\" and a line for each model").
			WithHint("`ctxledger config models` prints the table in effect in that form")
	case len(t.Models) > maxModels:
		return fault.New(fault.TooLarge, op, "%d models are more than the limit of %d", len(t.Models), maxModels)
	}
	sorted(t.Models)
	for i := range t.Models[1:] {
		if name := t.Models[i].Name; name == t.Models[i+1].Name {
			return fault.New(fault.Invalid, op, "model %q has two lines", name)
		}
	}
	return nil
}

// take reads a line.
func (t *Table) take(fields []string) (err error) {
	const columns = 8
	switch {
	case fields[0] == "date" && len(fields) == 2 && t.Date == "":
		_, err = time.Parse(time.DateOnly, fields[1])
		t.Date = fields[1]
	case fields[0] == "source" && len(fields) > 1:
		t.Sources = append(t.Sources, strings.Join(fields[1:], " "))
	case len(fields) < columns:
		err = fmt.Errorf("%d columns, want %d", len(fields), columns)
	default:
		var m Model
		m, err = parseModel(fields[:columns], fields[columns:])
		t.Models = append(t.Models, m)
	}
	return err
}

// parseModel reads the columns of a model, and the terms behind them.
func parseModel(fields, terms []string) (m Model, err error) {
	m.Name = fields[0]
	if m.Encoding, err = ParseEncoding(fields[1]); err != nil {
		if m.Family, err = ParseFamily(fields[1]); err != nil {
			return m, err
		}
	}
	for i, into := range []*int{&m.Window, &m.Output} {
		if text := fields[2+i]; text != "-" {
			if *into, err = strconv.Atoi(text); err != nil {
				return m, err
			}
		}
	}
	for i, into := range m.Price.rates() {
		if text := fields[4+i]; text != "-" {
			if *into, err = ParseRate(text); err != nil {
				return m, err
			}
		}
	}
	for _, text := range terms {
		if err := m.term(text); err != nil {
			return m, fmt.Errorf("%s: %w", text, err)
		}
	}
	return m, cmp.Or(m.check(), m.priced())
}

// rates returns the four rates of a price, in the order of a table.
func (p *Price) rates() [4]*Rate {
	return [...]*Rate{&p.Input, &p.CachedRead, &p.CachedWrite, &p.Output}
}

// term reads what a price depends on.
func (m *Model) term(text string) (err error) {
	name, value, _ := strings.Cut(text, "=")
	if name == "search" {
		m.Search, err = ParseRate(value)
		return err
	}
	x := Term{Name: name}
	if over, ok := strings.CutPrefix(name, ">"); ok {
		x.Name = ""
		x.Over, _ = strconv.ParseInt(over, 10, 64)
		if !slices.Contains(thresholds(), x.Over) {
			return fmt.Errorf("size is not one of %v", thresholds())
		}
	} else if !isWord(name) {
		return fmt.Errorf("it is not name=factor")
	}
	if slices.ContainsFunc(m.Terms, func(y Term) bool { return y.Name == x.Name }) {
		return fmt.Errorf("there are two")
	}
	in, out, apart := strings.Cut(value, "/")
	if x.Input, err = ParseRate(in); err != nil {
		return err
	}
	if x.Output = x.Input; apart {
		x.Output, err = ParseRate(out)
	}
	for _, f := range []Rate{x.Input, x.Output} {
		if err == nil && (f.factor() < 1.0/maxFactor || f.factor() > maxFactor) {
			err = fmt.Errorf("the factor is not between 1/%d and %d", maxFactor, maxFactor)
		}
	}
	m.Terms = append(m.Terms, x)
	return err
}

// Limits of prices in a table, beyond all that exist: another number is a slip of the unit or of the column.
const (
	maxPrice  = 10_000 // dollars for a million tokens, or a thousand searches
	maxFactor = 100
)

// priced says what is wrong with the prices of a table's model.
func (m Model) priced() error {
	p := m.Price
	rates := m.Price.rates()
	for _, r := range append(rates[:], &m.Search) {
		if r.factor() > maxPrice {
			return fmt.Errorf("a price of %s dollars is more than the limit of %d", r, maxPrice)
		}
	}
	switch {
	case m.Name != bareName(m.Name):
		return fmt.Errorf("the name must be written as %q", bareName(m.Name))
	case p.Input.known() != p.Output.known():
		return fmt.Errorf("it has a price for input or for output, but not for both")
	case p.CachedRead.micros() > p.Input.micros():
		return fmt.Errorf("reading from the cache costs more than input")
	case p.CachedWrite.known() && p.CachedWrite.micros() < p.Input.micros():
		return fmt.Errorf("writing to the cache costs less than input")
	case p.Output.micros() < p.Input.micros():
		return fmt.Errorf("output costs less than input")
	}
	return nil
}

// Row returns the line of a model in a table.
func (m Model) Row() string {
	known := func(n int) string {
		if n == 0 {
			return "-"
		}
		return strconv.Itoa(n)
	}
	tokenizer := cmp.Or(m.Family.String(), "-")
	if m.Encoding != nil {
		tokenizer = m.Encoding.String()
	}
	row := fmt.Sprintf("%-23s %-11s %8s %7s", m.Name, tokenizer, known(m.Window), known(m.Output))
	for _, r := range m.Price.rates() {
		row += fmt.Sprintf(" %7s", cmp.Or(r.String(), "-"))
	}
	if m.Search.known() {
		row += "  search=" + m.Search.String()
	}
	for _, x := range m.Terms {
		name := x.Name
		if x.Over > 0 {
			name = fmt.Sprintf(">%d", x.Over)
		}
		if row += "  " + name + "=" + x.Input.String(); x.Output != x.Input {
			row += "/" + x.Output.String()
		}
	}
	return row
}

// Updated returns the registry with the models of a table in the place of those with the same names, and its sources besides
// those of r. A table that is older than the prices of r changes nothing.
func (r *Registry) Updated(t Table) *Registry {
	if t.Date < r.table.Date {
		return r
	}
	sources := slices.Clone(r.table.Sources)
	for _, s := range t.Sources {
		if !slices.Contains(sources, s) {
			sources = append(sources, s)
		}
	}
	models := append(slices.Clone(t.Models), Table{Models: r.models}.Without(t).Models...)
	return &Registry{sorted(models), Table{Date: t.Date, Sources: sources}}
}

// Without returns a table without the models of another one.
func (t Table) Without(other Table) Table {
	t.Models = slices.DeleteFunc(slices.Clone(t.Models), func(m Model) bool {
		return slices.ContainsFunc(other.Models, func(x Model) bool { return x.Name == m.Name })
	})
	return t
}

// Prices returns the table of the registry: when the prices were those of its sources, and all models, with the user's own.
func (r *Registry) Prices() Table {
	t := r.table
	t.Models = r.models
	return t
}

// Since returns what is different in a table than in another one, by model: the lines there with a minus before, and those
// here with a plus.
func (t Table) Since(was Table) (changes []string) {
	rows := map[string]string{}
	for _, m := range was.Models {
		rows[m.Name] = m.Row()
	}
	for _, m := range t.Models {
		row, old := m.Row(), rows[m.Name]
		if delete(rows, m.Name); row == old {
			continue
		}
		if old != "" {
			changes = append(changes, "- "+old)
		}
		changes = append(changes, "+ "+row)
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		changes = append(changes, "- "+rows[name])
	}
	return changes
}

// String returns the text of a table.
func (t Table) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "date %s\n", t.Date)
	for _, s := range t.Sources {
		fmt.Fprintf(&b, "source %s\n", s)
	}
	for _, m := range t.Models {
		fmt.Fprintln(&b, m.Row())
	}
	return b.String()
}
