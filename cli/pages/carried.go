package pages

import (
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/carried"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/panel"
	"ctxledger.dev/tokens"
)

// Carried is what requests carry, of every agent, as the context command answers it.
type Carried struct {
	carried.Report
	Panel  *panel.Panel `json:"panel,omitempty"` // of the session; absent: there is none
	Model  string       `json:"model,omitempty"`
	Window int          `json:"window,omitempty"` // tokens; absent: unknown
	// Measured is what the provider measured of the first request of the session besides its messages: what is carried,
	// and the agent's own prompt and tools; absent: nothing was measured.
	Session  string        `json:"session,omitempty"`
	Measured *tokens.Count `json:"measured,omitempty"`
	// Requests is how many answers of the session were measured; what its agent's parts have cost is for these.
	Requests int `json:"requests,omitempty"`

	Use     ledger.Use        `json:"-"`                 // of the session
	Besides []ledger.Category `json:"besides,omitempty"` // Measured in parts: see carried.Report.Besides
	// Newest says that each agent's part is counted for the model of its newest session, because none was named.
	Newest bool `json:"-"`
}

// unmarked removes Markdown's emphasis and code marks from a panel. List items stay as they are: they contain names of files.
func unmarked(panel string) string {
	var b strings.Builder
	marks := strings.NewReplacer("`", "", "**", "")
	for line := range strings.Lines(panel) {
		if !strings.HasPrefix(line, "- ") {
			line = marks.Replace(line)
		}
		b.WriteString(line)
	}
	return b.String()
}

// Carried draws what each agent's requests carry.
func (p Page) Carried(out Carried) {
	w := p.W
	if out.Panel != nil {
		fmt.Fprintf(w, "session %s  %s\n%s\n", out.Session, p.Line(out.Use.Session.Heading(), titleColumns),
			unmarked(out.Panel.String()))
		p.say(out.Panel.More() != "", "\n%s", out.Panel.More())
		fmt.Fprintln(w)
	}
	if len(out.Hosts) == 0 {
		p.Prose("no agent has files here: no CLAUDE.md, AGENTS.md, rules, skills, plugins or MCP servers")
		return
	}
	p.Prose("%s", out.countedFor())
	for _, h := range out.Hosts {
		fmt.Fprintln(w)
		p.Prose("%s: %s in every request%s", h.Title, h.Carried.Tokens(), shareOf(h))
		if h.Name == out.Use.Session.Host && out.Measured != nil {
			p.Prose("besides its messages, each request of session %s has %s: %s (measured in the first request%s)",
				out.Session, out.Measured.Tokens(), partsOf(out.Besides), columns.OneLine(then(out)))
		}
		if h.Dollars != nil {
			p.Prose("%s so far, at list prices, for %s of the parts below: those that session %s is known to have sent "+
				"from the start, with %s", chars.Money(*h.Dollars, false), h.Charged.Tokens(), out.Session,
				h.PaidBy)
		}
		t := p.table("PART", ">IN EVERY REQUEST", ">LATER", "")
		t.Indent, t.Wide = "  ", true
		for _, part := range h.Parts {
			addPart(t, "", part)
		}
		t.Print(w)
		p.problems(h)
	}
}

// then says which files of now may have had another text when the first request was measured.
func then(c Carried) string {
	const named = 3
	names := c.Differing(c.Use)
	if len(names) == 0 {
		return ""
	}
	said := strings.Join(names[:min(len(names), named)], ", ")
	if more := len(names) - named; more > 0 {
		said += fmt.Sprintf(" and %d more", more)
	}
	return "; " + said + " may have changed since"
}

// countedFor says for which model everything is counted, and of what.
func (c Carried) countedFor() string {
	const framed = ", with the text that the agent puts around each file"
	if c.Newest {
		return "counted for the model of each agent's newest session" + framed + "; --model selects another one"
	}
	return "counted for " + columns.OneLine(c.Model) + framed
}

// shareOf says which part of the window an agent's requests have filled before the conversation begins.
func shareOf(h carried.Host) string {
	text := ""
	if h.Window > 0 {
		text = ", " + chars.Share(h.Carried.N, h.Window) + " of the window"
	}
	if h.Unknown > 0 {
		text += ", and " + chars.Plural(h.Unknown, "part") + " of unknown cost"
	}
	if h.Model == "" {
		return text + " (rough estimate for its usual models)"
	}
	return text + " (" + columns.OneLine(h.Model) + ")"
}

// partsOf names what a sum is made of.
func partsOf(parts []ledger.Category) string {
	var said []string
	for _, c := range parts {
		if len(parts) == 1 {
			return c.Name
		}
		said = append(said, c.Tokens.String()+" "+c.Name)
	}
	return strings.Join(said, ", ")
}

// addPart adds a row for a part, and for what it imports.
func addPart(t *columns.Table, indent string, p carried.Part) {
	now, later := "", ""
	switch {
	case p.Unknown:
		now = "unknown"
	case p.Carried.N > 0:
		now = p.Carried.String()
	}
	if p.Later.N > 0 {
		later = p.Later.String()
	}
	name := p.Name
	if p.Kind != carried.Memory && p.Kind != carried.Rule {
		name = string(p.Kind) + " " + name
	}
	t.Add(indent+name, now, later, about(p))
	for _, i := range p.Imports {
		addPart(t, indent+"@ ", i)
	}
	addTools(t, indent+"- ", p)
}

// about says what matters of a part: when it is loaded, or its heaviest section, and how often it was used.
func about(p carried.Part) string {
	said := []string{aboutFile(p), p.Source(), p.Used()}
	return strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), "; ")
}

func aboutFile(p carried.Part) string {
	switch {
	case p.When != "" && (p.Later.N > 0 || p.Carried.N == 0):
		return "when " + p.When
	case p.Share > 0:
		return chars.Share(p.Share, 1) + " of the file: " + p.Heaviest
	}
	return ""
}

// problems names what is wrong with an agent's files.
func (p Page) problems(h carried.Host) {
	h.Each(func(part *carried.Part) {
		for _, x := range part.Problems {
			fmt.Fprintf(p.W, "  ! %s: %s\n", columns.OneLine(part.Name), columns.OneLine(x.Message))
		}
	})
}

// shownTools is how many tools of a server are listed, those that cost most.
const shownTools = 8

// addTools adds a row for the largest tools of a server.
func addTools(t *columns.Table, indent string, p carried.Part) {
	all := p.Heavy()
	for i, tool := range all {
		if i == shownTools {
			t.Add(indent+chars.Commas(len(all)-i)+" more tools", "", "", "")
			return
		}
		now, later := tool.Tokens.String(), ""
		if p.Later.N > 0 {
			now, later = "", now
		}
		t.Add(indent+"tool "+tool.Name, now, later, "")
	}
}
