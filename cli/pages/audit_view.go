package pages

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/report"
)

// viewHeads say what the rows of a view are called: in its first column, and in its last one, which takes what is left.
var viewHeads = map[string]struct{ first, last string }{
	report.Daily: {"DAY", "MODELS"}, report.Weekly: {"WEEK FROM", "MODELS"}, report.Monthly: {"MONTH", "MODELS"},
	report.Blocks: {"FIVE HOURS FROM", "MODELS"}, report.BySession: {"", "SESSION"},
	report.ByProject: {"", "DIRECTORY"}, report.ByModel: {"", "MODEL"},
}

// dated is the date at the end of a model's name, which a list of several has no space for.
var dated = pattern.Lazy(`-20\d{6}$`)

// leastView is how many columns the last cells of a view have before figures are left out for them.
const leastView = 18

// View draws a view of an audit: all its rows, and their sum.
func (p Page) View(v report.View) {
	if len(v.Rows) == 0 {
		fmt.Fprintln(p.W, "no requests in this time")
		return
	}
	head := viewHeads[v.By]
	amount := "DOLLARS"
	if v.Total.Dollars == 0 {
		amount = "TOKENS"
	}
	page := auditPage{Page: p, width: p.Width}
	page.r.Total = v.Total
	heads := []string{">" + amount, "", ">INPUT", ">CACHE READ", ">CACHE WRITE", ">OUTPUT", ">REQUESTS", head.last}
	if head.first != "" {
		heads = append([]string{head.first}, heads...)
	}
	t := p.table(heads...)
	add := func(first, last string, s report.Spent, bar string) {
		row := append([]string{page.amount(row{dollars: s.Dollars, tokens: float64(s.Tokens())}), bar}, figuresOf(s)...)
		if head.first != "" {
			row = append([]string{first}, row...)
		}
		t.AddSafe(append(row, last)...)
	}
	most := 1e-9
	for _, r := range v.Rows {
		most = max(most, page.worth(r.Dollars, float64(r.Tokens())))
	}
	for _, r := range v.Rows {
		first, last := p.named(v.By, r)
		share := page.worth(r.Dollars, float64(r.Tokens())) / most
		add(columns.OneLine(first), columns.OneLine(last), r.Spent, page.bars().Of(columns.FineBar(share, 8)))
	}
	if len(v.Rows) > 1 {
		last := "total"
		if head.first != "" {
			last = ""
		}
		add("total", last, v.Total, "")
	}
	t.Fit(p.Width, leastView, "CACHE WRITE", "INPUT", "OUTPUT", "CACHE READ", "REQUESTS", "")
	t.Print(p.W)
	for _, r := range v.Rows {
		if r.Pace != nil {
			fmt.Fprintln(p.W, paceOf(r))
		}
	}
}

// figuresOf prints what requests sent and got, and how many they were.
func figuresOf(s report.Spent) []string {
	count := func(n int64) string { return report.Known(float64(n)) }
	u := s.Usage
	return []string{count(u.Input), count(u.CacheRead), count(u.CacheWrite + u.CacheWriteLong), count(u.Output),
		chars.Commas(s.Requests)}
}

// named returns the first and the last cell of a row.
func (p Page) named(by string, r report.ViewRow) (first, last string) {
	page := auditPage{Page: p}
	var models []string
	for _, m := range r.Models {
		models = append(models, dated().ReplaceAllString(strings.TrimPrefix(m.Name, "claude-"), ""))
	}
	switch by {
	case report.BySession: // not first: no line begins with a text of a session
		return "", shortID(r.Name) + "  " + cmp.Or(r.Title, page.short(r.Project))
	case report.ByProject:
		return "", page.short(r.Name)
	case report.ByModel:
		return "", r.Name
	case report.Blocks:
		return cmp.Or(r.Name, "(no time)"), r.Agent + ": " + strings.Join(models, ", ")
	}
	return cmp.Or(r.Name, "(no time)"), strings.Join(models, ", ")
}

// paceOf says how fast a block is used up.
func paceOf(r report.ViewRow) string {
	left := time.Duration(r.Pace.Minutes * float64(time.Minute)).Round(time.Minute)
	ends := report.Magnitude(r.Pace.EndTokens) + " tokens"
	speed := "≈" + report.Magnitude(r.Pace.Tokens) + " tokens a minute"
	if r.Pace.Dollars > 0 {
		speed += ", " + chars.Money(r.Pace.Dollars, false) + " an hour"
		ends += ", " + chars.Money(r.Pace.EndDollars, false)
	}
	return fmt.Sprintf("%s, current block: %s, %d h %02d min left; at this pace ≈%s at its end", r.Agent, speed,
		int(left.Hours()), int(left.Minutes())%60, ends)
}
