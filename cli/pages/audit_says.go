package pages

import (
	"fmt"
	"io"
	"strings"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/report"
)

// says writes what needs sentences: what was sent again, which habits cost most, what compactions lost, and what
// the figures do not know.
func (p *auditPage) says(w io.Writer) {
	for _, x := range []struct{ label, text string }{
		{"AGAIN", p.again()}, {"HABITS", p.habits()}, {"COMPACTED", p.compacted()}, {"ALSO", p.caveats()},
		{"NEXT", p.next},
	} {
		if x.text != "" {
			p.paragraph(w, x.label, x.text)
		}
	}
}

// paragraph writes a sentence in lines that fit: indented after its label, or in a narrow terminal below it.
func (p *auditPage) paragraph(w io.Writer, label, text string) {
	const deep, shallow = 11, 2 // columns of indentation
	faint := columns.Faint.If(p.Colours)
	indent, lead := deep, faint.Of(label)+strings.Repeat(" ", deep-len(label))
	text = p.Own(chars.Plain(text))
	if 0 < p.width && p.width < pairWidth {
		indent, lead, text = shallow, "", label+" "+text
	}
	if p.width > 0 {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			lines[i] = columns.Fold(line, max(p.width-indent, auditName), 0)
		}
		text = strings.Join(lines, "\n")
	}
	text = lead + strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", indent))
	if lead == "" {
		text = strings.Replace(text, label, faint.Of(label), 1)
	}
	fmt.Fprintln(w, text)
}

// again says what was sent again and again.
func (p *auditPage) again() string {
	n := p.r.Resent()
	if n == 0 {
		return ""
	}
	text := fmt.Sprintf("each token was sent ≈%.0f times", n)
	if r := p.r.Reads; r.Again > 0 {
		text += fmt.Sprintf("; %s of %s were of a file read before, %s of them gave the same text",
			chars.Commas(r.Again), chars.Plural(r.Reads, "read"), chars.Commas(r.Same))
	}
	return text
}

// habits says which habits cost most, and where there is space, on a line each, what to do about them.
func (p *auditPage) habits() string {
	var all []string
	between := "; "
	for _, h := range p.r.Habits {
		switch {
		case p.airy:
			all, between = append(all, h.String()), "\n"
		case p.width >= pairWidth:
			all = append(all, h.Cost()+" for "+h.Name)
		}
	}
	return strings.Join(all, between)
}

// compacted says what compactions lost.
func (p *auditPage) compacted() string {
	l := p.r.Lost
	if p.r.Compacted == 0 {
		return ""
	}
	reread := chars.Plural(l.Reread.Count, "file") + " read again"
	if l.Reread.Sent > 0 {
		reread += " (" + l.Reread.Cost() + ")"
	}
	return fmt.Sprintf("%s, %s → %s tokens; then %s and %s run again; "+
		"%s of %s names used again did not appear in any summary",
		chars.Plural(p.r.Compacted, "time"), report.Known(float64(l.Before)), report.Known(float64(l.After)),
		reread, chars.Plural(l.Rerun.Count, "command"),
		chars.Commas(l.Missing), chars.Commas(l.Used))
}

// Replayed says what the product would have made of the most expensive sessions.
func (p Page) Replayed(r *report.Replayed) {
	a := auditPage{Page: p, width: p.Width}
	a.paragraph(p.W, "REPLAYED", replayed(r))
}

func replayed(r *report.Replayed) string {
	left := r.Left()
	switch {
	case r.Sessions == 0 && left != "":
		return "not known: " + left
	case r.Sessions == 0:
		return "nothing"
	case left != "":
		left = "; " + left
	}
	which := chars.Plural(r.Of, "session")
	if r.Sessions < r.Of {
		which = fmt.Sprintf("%d of %s, the most expensive", r.Sessions, which)
	}
	if r.Part < 1 {
		which += " without subagents"
	}
	recorded := r.Recorded.Cost()
	if differs := r.Reckoned(); differs != "" {
		recorded += " (" + differs + ")"
	}
	if lacks := r.Lacks(); lacks != "" {
		recorded += ", " + lacks
	}
	view := "its view"
	if r.Sessions > 1 {
		view = "their views"
	}
	return fmt.Sprintf("%s, %.0f%% of the cost; if %s had been sent: %s, %s instead of %s%s\n"+
		"Simulated; no tasks were re-run\nInstalling alone does not send views: `ctxledger with --reduce -- claude` does",
		which, r.Part*100, view, report.Saving(r.Saved), r.Ours.Cost(), recorded, left)
}

// gaps names what has no price. The first ones stand for all.
func gaps(all []report.Gap) string {
	const most = 5
	var names []string
	for _, g := range all[:min(len(all), most)] {
		names = append(names, fmt.Sprintf("%s (%s)", columns.Cut(g.Name, 60), chars.Plural(g.Requests, "request")))
	}
	if len(all) > most {
		names = append(names, fmt.Sprintf("and %d more", len(all)-most))
	}
	return strings.Join(names, ", ")
}

// caveats says what the figures do not know.
func (p *auditPage) caveats() string {
	c := p.r.Caveats
	var notes []string
	say := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if s := p.r.Subagents; s.Requests > 0 {
		say("subagents: %s, %s", s.Cost(), chars.Plural(s.Requests, "request"))
	}
	if c.Unfinished.Requests > 0 {
		say("%s", c.Unfinished)
	}
	if c.LongWrites > 0 {
		say("%s tokens cached for an hour, at twice the input price", report.Magnitude(float64(c.LongWrites)))
	}
	if n := p.r.Total.Usage.Searches; n > 0 {
		say("web searches: %s, for %s", chars.Commas(n), chars.Money(p.r.Total.Fees, true))
	}
	if len(c.Gaps) > 0 {
		say("reported, but not in the cost: %s", gaps(c.Gaps))
	}
	if len(c.Unpriced) > 0 {
		say("%s", p.Own("no known price for "+columns.Cut(strings.Join(c.Unpriced, ", "), 60)+
			" (give it under models in ctxledger.yaml)"))
	}
	return strings.Join(notes, "; ")
}
