package report

import (
	"fmt"
	"math"
	"time"

	"ctxledger.dev/internal/chars"
)

// Size of the chart of days, in units of its view box.
const (
	chartWidth  = 1040
	chartHeight = 200
	chartLeft   = 56 // for the labels of amounts
	chartBottom = 22 // for those of months
	chartModels = 6  // models with a colour of their own; the others share one
	maxBar      = 28
)

// rect is a rectangle of a chart.
type rect struct {
	X, Y, Width, Height float64
	Class, Title        string
}

// label is a word in a chart.
type label struct {
	X, Y float64
	Text string
}

// chart is what was spent on each day, by model.
type chart struct {
	Width, Height, Left, Floor int
	Bars                       []rect
	Lines, Months              []label
	Legend                     []keyed
}

// keyed is a name with its colour.
type keyed struct {
	Name, Class string
}

// Daily draws the days, those without requests too.
func (p page) Daily() chart {
	c := chart{Width: chartWidth, Height: chartHeight, Left: chartLeft, Floor: chartHeight - chartBottom}
	days := Calendar(p.Days)
	if len(days) == 0 {
		return c
	}
	for i, m := range p.Models {
		if i == chartModels {
			c.Legend = append(c.Legend, keyed{"other models", modelClass(i)})
			break
		}
		c.Legend = append(c.Legend, keyed{m.Name, modelClass(i)})
	}
	most := 0.0
	for _, d := range days {
		most = max(most, d.Dollars)
	}
	step := niceStep(most)
	top := max(step*math.Ceil(most/step), step)
	scale := float64(c.Floor-10) / top
	for v := 0.0; v <= top+step/2; v += step {
		c.Lines = append(c.Lines, label{Y: float64(c.Floor) - v*scale, Text: fmt.Sprintf("$%g", v)})
	}
	pitch := float64(chartWidth-chartLeft) / float64(len(days))
	for i, d := range days {
		x := chartLeft + float64(i)*pitch
		c.bar(d, p.Models, x, min(pitch*0.8, maxBar), scale)
		if at, err := time.Parse(time.DateOnly, d.Day); err == nil && (at.Day() == 1 || i == 0) {
			if n := len(c.Months); n == 0 || x-c.Months[n-1].X > chartLeft {
				c.Months = append(c.Months, label{X: x, Y: chartHeight - 6, Text: at.Format("2 Jan 2006")})
			}
		}
	}
	return c
}

// bar draws one day.
func (c *chart) bar(d Day, models []Row, x, width, scale float64) {
	y, rest := float64(c.Floor), d.Dollars
	draw := func(dollars float64, class, name string) {
		if h := dollars * scale; h > 0.05 {
			y -= h
			c.Bars = append(c.Bars,
				rect{x, y, width, h, class, fmt.Sprintf("%s: %s, %s", d.Day, name, chars.Money(dollars, true))})
		}
	}
	for i, m := range models[:min(len(models), chartModels)] {
		draw(d.Models[m.Name], modelClass(i), m.Name)
		rest -= d.Models[m.Name]
	}
	draw(rest, modelClass(chartModels), "other models")
}

// Calendar returns days with those between them, at most the newest 366; those whose date is not known are left out.
func Calendar(known []Day) []Day {
	var days []Day
	for _, d := range known {
		at, err := time.Parse(time.DateOnly, d.Day)
		if err != nil {
			continue
		}
		for n := len(days); n > 0; n = len(days) {
			last, _ := time.Parse(time.DateOnly, days[n-1].Day) // parsed before
			if last = last.AddDate(0, 0, 1); !last.Before(at) || n > maxDays {
				break
			}
			days = append(days, Day{Day: last.Format(time.DateOnly)})
		}
		days = append(days, d)
	}
	return days[max(0, len(days)-maxDays):]
}

// niceStep returns a round step that divides a height into two to five parts.
func niceStep(most float64) float64 {
	if most <= 0 {
		return 1
	}
	base := math.Pow(10, math.Floor(math.Log10(most)))
	for _, f := range []float64{0.2, 0.5, 1, 2} {
		if most/(base*f) <= 5 {
			return base * f
		}
	}
	return base * 5
}

func modelClass(i int) string { return fmt.Sprintf("m%d", min(i, chartModels)) }

// stack is a bar of parts.
type stack struct {
	Width, Height float64
	Parts         []rect
}

// Whole draws what all dollars went into.
func (p page) Whole() stack {
	const width, height = 1040, 34
	answers := Filled{Class: "answers", Carried: Carried{Sent: float64(p.Total.Usage.Output), Dollars: p.Answers()}}
	whole := p.Worth(p.Total.Dollars, float64(p.Total.Tokens()))
	return p.stacked(append(append([]Filled{}, p.Filled...), answers), whole, width, height)
}

// Worth is what bars show: dollars, or where no price is known at all, tokens.
func (p page) Worth(dollars, tokens float64) float64 {
	if p.Total.Dollars == 0 {
		return tokens
	}
	return dollars
}

// Share prints the part that something is of a whole in Worth; as money does where it has no price, or nothing was measured.
func (p page) Share(dollars, tokens, whole float64) string {
	worth := p.Worth(dollars, tokens)
	if worth == 0 {
		return money(dollars, tokens)
	}
	return percent(worth, whole)
}

// Composition draws what filled a session, as long as its cost, relative to the most expensive.
func (p page) Composition(s SessionRow) stack {
	const width, height = 180, 10
	worth := func(s SessionRow) float64 { return p.Worth(s.Dollars, float64(s.Tokens())) }
	answers := Filled{Class: "answers", Carried: Carried{Sent: float64(s.Usage.Output), Dollars: s.Dollars}}
	for _, f := range s.Filled {
		answers.Dollars -= f.Dollars
	}
	most := max(worth(p.Dearest[0]), 1e-9)
	out := p.stacked(append(append([]Filled{}, s.Filled...), answers), worth(s), width*worth(s)/most, height)
	out.Width = width
	return out
}

// stacked draws parts of a whole side by side.
func (p page) stacked(parts []Filled, whole, width, height float64) stack {
	const visible = 0.2
	out := stack{Width: width, Height: height}
	x := 0.0
	for _, f := range parts {
		if w := p.Worth(f.Dollars, f.Sent) / max(whole, 1e-9) * width; w > visible {
			said := f.Class + ": " + chars.Money(f.Dollars, false)
			out.Parts = append(out.Parts, rect{x, 0, w, height, f.Slug(), said})
			x += w
		}
	}
	return out
}

// Bar draws a part of a whole.
func (p page) Bar(part, whole float64) rect {
	const width = 120
	if whole <= 0 {
		return rect{}
	}
	return rect{Width: max(0, min(part/whole, 1)) * width}
}

// Shrunk draws what a compaction left of a context.
func (p page) Shrunk(l Loss) stack {
	const width, height = 140, 10
	most := int64(1)
	for _, c := range p.Compactions {
		most = max(most, c.Before)
	}
	whole := float64(l.Before) / float64(most) * width
	out := stack{Width: width, Height: height, Parts: []rect{{Width: whole, Height: height, Class: "gone"}}}
	if l.Before > 0 {
		out.Parts = append(out.Parts,
			rect{Width: min(1, float64(l.After)/float64(l.Before)) * whole, Height: height, Class: "kept"})
	}
	return out
}

// Played draws what a session cost as it was recorded, and over it what it would have cost.
func (p page) Played(r PlayRow) stack {
	const width, height = 140, 10
	most := 1e-9
	for _, x := range p.Replayed.Rows {
		most = max(most, x.Recorded.worth(), x.Ours.worth())
	}
	was, is := r.Recorded.worth()/most*width, r.Ours.worth()/most*width
	out := stack{Width: width, Height: height, Parts: []rect{{Width: was, Height: height, Class: "gone"}}}
	out.Parts = append(out.Parts, rect{Width: min(was, is), Height: height, Class: "kept"})
	if is > was {
		out.Parts = append(out.Parts, rect{X: was, Width: is - was, Height: height, Class: "more"})
	}
	return out
}
