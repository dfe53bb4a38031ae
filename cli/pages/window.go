package pages

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"ctxledger.dev/carried"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/report"
)

// How a window is drawn.
const (
	barCells     = 24
	lineColumns  = 64 // of stored text
	pathColumns  = 1_000
	titleColumns = 59 // which fits a terminal of 80
	namedCuts    = 3

	namedSources = 5 // files, and tools
)

// window draws what fills the window of a session. ranIn is the directory in which it ran, "" or "." for the workspace;
// limits says what is known of the window from a refusal of the provider, or "".
func (p Page) window(s ledger.Status, ranIn, limits string) {
	w := p.W
	fmt.Fprintf(w, "session    %s  %s\n", s.Session.ID, p.Line(s.Session.Heading(), titleColumns))
	p.say(s.Session.HostID != "", "its id     %s, of %s", p.Line(s.Session.HostID, lineColumns), s.Session.Host)
	p.say(ranIn != "" && ranIn != ".", "ran in     %s", columns.OneLine(ranIn))
	p.say(s.Session.Rewritten > 0, "rewritten  %s: its file was replaced by another; nothing is counted twice",
		chars.Plural(s.Session.Rewritten, "time"))
	switch f := s.Session.Fork; {
	case s.Session.Continues != "": // what it copied is said once
		fmt.Fprintf(w, "continues  session %s; copied records are counted there\n", s.Session.Continues)
	case f != nil:
		fmt.Fprintf(w, "forked     %s\n", f)
	}
	fmt.Fprintf(w, "holds      %s\n", p.heldLine(s))
	p.say(s.Cost.Words() != "", "cost       %s%s", s.Cost.Words(), costMore(s))
	fmt.Fprintf(w, "saved      %s\n", s.Savings)
	fmt.Fprintf(w, "view       ctxledger would send %s of the conversation\n", s.Used.Tokens())
	fmt.Fprintf(w, "window     %s\n", cmp.Or(limits, p.Own(windowLine(s))))
	if s.Limits != nil && s.Limits.OutputCap > 0 {
		fmt.Fprintf(w, "output     ask for at most %s tokens: the provider refused more\n",
			chars.Commas(s.Limits.OutputCap))
	}
	for _, g := range s.Agents {
		p.say(g.Agent != "" && g.Input > 0, "agent      %s: %s tokens of input since the last compaction",
			p.Line(g.Agent, lineColumns), chars.Commas(g.Input))
	}
	for _, warned := range s.Warned {
		fmt.Fprintf(w, "warning    %s\n", columns.OneLine(warned.String()))
	}
	p.say(s.Scaled() != "", "counts     ≈ marks %s", s.Scaled())
	p.own(s)
	p.sources(s)
	p.say(s.Summary != "", "compacted  summary %s: %s", s.Summary, s.Became)
	p.say(s.Saved.N > 0, "left out   %s of the conversation's %s%s", s.Saved, carried.Plus(s.Used, s.Saved).Tokens(),
		leftBy(s))
	if h := s.Session.Hooked; h != nil && h.Summary != nil {
		fmt.Fprintf(w, "its host   wrote a summary of %s that kept %d of %s; %d restated\n",
			chars.Tokens(h.Summary.Tokens, false), h.Summary.Kept, chars.Plural(h.Summary.Items, "recorded item"),
			h.Summary.Told)
	}
	fmt.Fprintf(w, "next step  %s\n", s.NextStep.Why)
	p.say(s.Waits != "", "           old results: %s", s.Waits)
	fmt.Fprintf(w, "due        %s\n", dueLine(s))
	p.say(s.NextStep.Due.Averted != "", "           without that step: %s", s.NextStep.Due.Averted)
	if len(s.NextCuts) > 0 {
		fmt.Fprintln(w, p.Own("           `ctxledger compact` would remove first:"))
		for _, c := range s.NextCuts[:min(len(s.NextCuts), namedCuts)] {
			fmt.Fprintf(w, "  %9s  %s\n", c.Tokens, p.Line(c.Label, lineColumns))
		}
	}
}

// leftBy says what keeps tokens out of the view.
func leftBy(s ledger.Status) string {
	if s.Summary == "" {
		return ", by stubs"
	}
	return ", by the summary and by stubs"
}

// own draws what the agent's window holds. Of a session that is not measured and has no messages there is nothing to draw.
func (p Page) own(s ledger.Status) {
	if len(s.Own) == 0 {
		return
	}
	whole, of := s.Window, ">OF WINDOW"
	if whole == 0 {
		whole, of = s.Held.N, ">SHARE"
	}
	t := p.table("IN THE AGENT'S WINDOW", ">TOKENS", of, "")
	t.Indent = "  "
	for _, c := range s.Own {
		full, _ := columns.Bars(float64(c.Tokens.N)/float64(max(whole, 1)), barCells)
		t.Add(c.Name, c.Tokens.String(), chars.Share(c.Tokens.N, whole), full)
	}
	t.Print(p.W)
}

// sources names the files and tools that take most of the agent's window, and what no message shows.
func (p Page) sources(s ledger.Status) {
	for _, kind := range []struct{ kind, head string }{{ledger.SourceFile, "FILE"}, {ledger.SourceTool, "TOOL"}} {
		t := p.table(kind.head, ">TOKENS", ">CALLS")
		t.Indent = "  "
		n := 0
		for _, x := range s.OwnSources {
			if x.Kind == kind.kind && n < namedSources {
				name := columns.Ending(p.Line(cmp.Or(x.Name, "(forgotten)"), pathColumns), lineColumns)
				t.Add(name, x.Tokens.String(), chars.Commas(x.Calls))
				n++
			}
		}
		if n > 0 {
			t.Print(p.W)
		}
	}
	if s.Fixed != nil {
		p.say(true, "plus       %s in every request: %s (as measured for the first one)", s.Fixed.Tokens(),
			s.FixedName())
	}
}

// heldLine says what the agent's own window holds, with a bar where its size is known.
func (p Page) heldLine(s ledger.Status) string {
	model := cmp.Or(p.Line(s.Model, lineColumns), "the model is not known")
	if n, learned := strings.CutPrefix(s.Counting, "calibrated("); learned {
		n, _ := strconv.Atoi(strings.TrimSuffix(n, ")"))
		model += "; calibrated on " + chars.Plural(n, "request") + " of all sessions"
	}
	text := fmt.Sprintf("%s (%s)", s.Held.Tokens(), model)
	if s.Window > 0 {
		full, empty := columns.Bars(float64(s.Held.N)/float64(s.Window), barCells)
		text = fmt.Sprintf("%s%s %s  %s of %s tokens (%s)", full, empty, chars.Share(s.Held.N, s.Window), s.Held,
			chars.Commas(s.Window), model)
	}
	for _, more := range []string{s.Besides(), s.Room()} {
		if more != "" {
			text += "; " + more
		}
	}
	switch {
	case s.CompactsAt > 0:
		text += " (" + p.Line(s.CompactsFrom, lineColumns) + ")"
	case s.CompactsFrom != "":
		text += "; auto-compact: " + p.Line(s.CompactsFrom, lineColumns)
	}
	return text
}

// dueLine says whether a compaction is due after the next step (TriggerPolicy.Due), and why, or when.
func dueLine(s ledger.Status) string {
	due := s.NextStep.Due
	switch {
	case due.Reason != "":
		text := "a compaction now: "
		if s.NextStep.Before > s.NextStep.After {
			text = "a compaction after that: "
		}
		if text += due.Why; s.Counting == "prior" {
			text += ", by an estimate that is not calibrated yet"
		}
		return text
	case due.Held != "":
		return "no compaction yet: " + due.Why
	case s.Off:
		return "no compaction: automatic ones are switched off"
	}
	text := "a compaction once a request has more than " + s.DueAbove() + " tokens"
	if due.Averted != "" {
		text += "; the next step avoids one now"
	}
	return text
}

// costMore says what of a session's cost its subagents took, what is missing in it, and what its window costs from now on.
func costMore(s ledger.Status) (text string) {
	if s.Cost.Unpriced != nil {
		text = " (give it under models in ctxledger.yaml)"
	}
	if s.Subagents != nil {
		text += "; " + s.Subagents.String()
	}
	if s.Unfinished != nil {
		text += "; " + report.Unfinished(*s.Unfinished).String()
	}
	if next := s.NextWords(); next != "" {
		text += "; " + next
	}
	return text
}

// windowLine says what the window of a session rests on.
func windowLine(s ledger.Status) string {
	if s.Window == 0 {
		return "not known: `ctxledger config window MODEL TOKENS` sets it"
	}
	size := ledger.WindowSize{Tokens: s.Window, From: s.WindowFrom}
	return fmt.Sprintf("%s tokens: %s; `ctxledger config window` changes that", chars.Commas(s.Window),
		size.Words())
}
