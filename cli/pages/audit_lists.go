package pages

import (
	"bytes"
	"slices"
	"strings"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/report"
	"ctxledger.dev/tokens"
)

// auditName is how many columns the name in a row has at least.
const auditName = 14

// list is what several things cost, the most expensive first.
type list struct {
	estimate bool     // whether the amounts are shares of what was reported
	head     []string // of the figures, the most telling one first, and of the names
	rows     []row
}

// row is one of them.
type row struct {
	dollars, tokens float64
	figures         []string
	name
}

// name is the last cell of a row, which takes what is left of the width.
type name struct {
	text string
	path bool // whether to cut it at its beginning
}

// lists returns the lists that fit, in their order.
func (p *auditPage) lists() []list {
	all := []list{p.models(), p.tools(), p.files()}
	if p.rows >= allRows || p.width >= pairWidth {
		all = append(all, p.sessions())
	}
	if p.rows >= allRows {
		all = append(all, p.directories())
	}
	if p.width == 0 {
		all = append([]list{p.parts()}, all...)
	}
	var out []list
	for _, l := range all {
		if p.r.Total.Dollars == 0 { // the amounts are these
			l = l.without("TOKENS", "SENT")
		}
		if l.rows = l.rows[:min(len(l.rows), p.rows)]; len(l.rows) > 0 {
			out = append(out, l)
		}
	}
	return out
}

// without returns the list without some of its figures.
func (l list) without(heads ...string) list {
	for _, head := range heads {
		if i := slices.Index(l.head, head); i >= 0 {
			l.head = slices.Delete(l.head, i, i+1)
			for j, r := range l.rows {
				l.rows[j].figures = slices.Delete(r.figures, i, i+1)
			}
		}
	}
	return l
}

func (p *auditPage) models() list {
	l := list{head: []string{"CACHED", "REQUESTS", "MODEL"}}
	for _, m := range p.r.Models {
		l.rows = append(l.rows, spentRow(m.Spent, name{text: m.Name}, cached(m.Usage), chars.Commas(m.Requests)))
	}
	return l
}

func (p *auditPage) tools() list {
	l := list{estimate: true, head: []string{"CALLS", "TIMES SENT", "TOOL, WITH RESULTS"}}
	for _, t := range p.r.Tools {
		l.rows = append(l.rows, carriedRow(t.Carried, name{text: t.Name}, chars.Commas(t.Calls), t.Often()))
	}
	return l
}

func (p *auditPage) files() list {
	l := list{estimate: true, head: []string{"READS", "AGAIN", "TIMES SENT", "FILE READ"}}
	for _, f := range p.r.Read {
		l.rows = append(l.rows, carriedRow(f.Carried, name{p.short(f.Path), true},
			chars.Commas(f.Reads), chars.Commas(f.Again), f.Often()))
	}
	return l
}

func (p *auditPage) sessions() list {
	l := list{head: []string{"TOKENS", "REQUESTS", "SESSION"}}
	if len(p.r.Dearest) < 2 {
		return l // it is the sum of everything
	}
	for _, s := range p.r.Dearest {
		date := p.date(s.Start)
		if p.width > 0 {
			_, date, _ = strings.Cut(date, "-") // the period above has the year
		}
		what := name{text: strings.TrimSpace(date + " " + shortID(s.ID) + " " + s.Title)} // which commands take
		l.rows = append(l.rows,
			spentRow(s.Spent, what, report.Magnitude(float64(s.Tokens())), chars.Commas(s.Requests)))
	}
	return l
}

func (p *auditPage) directories() list {
	l := list{head: []string{"TOKENS", "REQUESTS", "DIRECTORY"}}
	if len(p.r.Projects) < 2 {
		return l
	}
	for _, x := range p.r.Projects {
		l.rows = append(l.rows, spentRow(x.Spent, name{p.short(x.Name), true},
			report.Magnitude(float64(x.Tokens())), chars.Commas(x.Requests)))
	}
	return l
}

// parts is what filled the requests, as a list.
func (p *auditPage) parts() list {
	l := list{estimate: true, head: []string{"SHARE", "SENT", "TIMES SENT", "PART OF THE REQUESTS"}}
	whole := p.worth(p.r.Total.Dollars, float64(p.r.Total.Tokens()))
	for _, x := range p.portions() {
		l.rows = append(l.rows, carriedRow(x.Carried, name{text: x.name},
			p.share(x, whole), report.Magnitude(x.Sent), x.Often()))
	}
	return l
}

// spentRow is a row of what was reported.
func spentRow(s report.Spent, n name, figures ...string) row {
	return row{s.Dollars, float64(s.Tokens()), figures, n}
}

// carriedRow is a row of an estimate.
func carriedRow(c report.Carried, n name, figures ...string) row {
	return row{c.Dollars, c.Sent, figures, n}
}

// cached prints how much of the input was read from the cache.
func cached(u tokens.Used) string {
	if u.In() == 0 {
		return ""
	}
	return chars.Share(u.CacheRead, u.In())
}

// lines prints a list into width columns; 0: no limit. A narrow list has fewer figures after the amount.
func (p *auditPage) lines(l list, width int) []string {
	const withBar, withAll, narrow, wide, wideFrom = 46, 60, 5, 12, 90
	figures := len(l.head) - 1
	if 0 < width && width < withAll {
		figures = 1
	}
	amount := "DOLLARS"
	if p.r.Total.Dollars == 0 {
		amount = "TOKENS"
	}
	if l.estimate {
		amount = "≈" + amount
	}
	head := []string{">" + amount}
	bar := 0
	if width == 0 || width >= withBar {
		if bar = narrow; width >= wideFrom {
			bar = wide
		}
		head = append(head, "")
	}
	for _, h := range l.head[:figures] {
		head = append(head, ">"+h)
	}
	t := p.table(append(head, l.head[len(l.head)-1])...)
	names := make([]name, len(l.rows))
	most := 1e-9
	for i, r := range l.rows {
		worth := p.worth(r.dollars, r.tokens)
		most = max(most, worth)
		cells := []string{p.amount(r)}
		if bar > 0 {
			cells = append(cells, p.bars().Of(columns.FineBar(worth/most, bar)))
		}
		t.AddSafe(append(append(cells, r.figures[:figures]...), "")...)
		names[i] = name{columns.OneLine(r.text), r.path}
	}
	return p.fitted(t, names, width)
}

// unpriced replaces a figure that has no known price.
const unpriced = "?"

// amount prints what a row cost.
func (p *auditPage) amount(r row) string {
	switch {
	case r.tokens == 0 && r.dollars == 0:
		return "–" // no request that carried it was measured
	case p.r.Total.Dollars == 0:
		return report.Magnitude(r.tokens)
	case r.dollars == 0 && r.tokens > 0:
		return unpriced
	}
	return chars.Money(r.dollars, true)
}

// fitted prints a table with the names as far as they fit into so many columns; 0: whole.
func (p *auditPage) fitted(t *columns.Table, names []name, width int) []string {
	left := t.Left(width)
	for i, n := range names {
		switch {
		case width == 0:
		case n.path:
			n.text = columns.Ending(n.text, max(left, auditName))
		default:
			n.text = columns.Cut(n.text, max(left, auditName))
		}
		t.SetLast(i, n.text)
	}
	if width > 0 {
		t.CutLast(max(left, auditName))
	}
	var b bytes.Buffer
	t.Print(&b)
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}
