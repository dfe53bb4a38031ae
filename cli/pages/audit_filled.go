package pages

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/report"
)

// portion is one part of what was spent: what filled the requests, and the answers.
type portion struct {
	name string
	report.Carried
	worth float64       // what its share is of
	mark  string        // of its cells in the bar, where there are no colours
	shade columns.Style // the same where there are
}

// portions returns the parts, the most expensive first.
func (p *auditPage) portions() []portion {
	const marks = "█▓▒░▚▞▄▀▙▟"
	shades := []columns.Style{
		columns.BrightBlack, columns.BrightWhite, columns.White, columns.Cyan, columns.Green, columns.Yellow,
		columns.BrightYellow, columns.Magenta, columns.Blue,
	}
	all := make([]portion, 0, len(p.r.Filled)+1)
	for i, f := range p.r.Filled {
		all = append(all, portion{name: f.Class, Carried: f.Carried, shade: shades[i%len(shades)]})
	}
	answers := report.Carried{Sent: float64(p.r.Total.Usage.Output), Dollars: p.r.Answers()}
	all = append(all, portion{name: "answers", Carried: answers, shade: columns.Red})
	all = slices.DeleteFunc(all, func(x portion) bool { return x.Sent <= 0 })
	for i := range all {
		all[i].worth = p.worth(all[i].Dollars, all[i].Sent)
	}
	slices.SortStableFunc(all, func(a, b portion) int { return cmp.Compare(b.worth, a.worth) })
	for i := range all {
		all[i].mark = string([]rune(marks)[i%len([]rune(marks))])
	}
	return all
}

// worth is what shares and bars show: dollars, or where no price is known at all, tokens.
func (p *auditPage) worth(dollars, tokens float64) float64 {
	if p.r.Total.Dollars == 0 {
		return tokens
	}
	return dollars
}

// filled draws what filled the requests as one bar; beyond terminals the list has the same.
func (p *auditPage) filled(w io.Writer) {
	if p.width == 0 {
		return
	}
	all := p.portions()
	whole := p.worth(p.r.Total.Dollars, float64(p.r.Total.Tokens()))
	var bar strings.Builder
	var key []string
	sum, cells := 0.0, 0
	for _, x := range all {
		sum += x.worth
		n := int(math.Round(min(sum/max(whole, 1e-9), 1)*float64(p.width))) - cells
		cells += n
		mark := "█"
		if !p.Colours {
			mark = x.mark
		}
		style := x.shade.If(p.Colours)
		bar.WriteString(style.Of(strings.Repeat(mark, n)))
		if n > 0 || p.width >= pairWidth {
			share := p.share(x, whole)
			name := columns.Cut(x.name, max(p.width-columns.Width(share)-3, auditName))
			key = append(key, style.Of(mark)+" "+name+" "+share)
		}
	}
	fmt.Fprintln(w, bar.String())
	p.write(w, flow(key, p.width))
}

// share prints the part that a portion is of all, a question mark where its price is not known.
func (p *auditPage) share(x portion, whole float64) string {
	if x.worth == 0 {
		return unpriced
	}
	return chars.Share(x.worth, whole)
}

// flow puts pieces into lines of at most so many columns.
func flow(pieces []string, width int) []string {
	const gap = 3
	var lines []string
	used := 0
	for _, x := range pieces {
		n := columns.Width(x)
		if len(lines) == 0 || used+gap+n > width {
			lines, used = append(lines, x), n
			continue
		}
		lines[len(lines)-1] += strings.Repeat(" ", gap) + x
		used += gap + n
	}
	return lines
}
