// Package agentfile says what an editor shows of a file that coding agents load: its cost in every request, what it
// imports, and what is wrong with it.
//
// Start at Of, which finds the uses of files in a carried.Report. The functions are pure: the report says everything.
package agentfile

import (
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/carried"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/tokens"
)

// Use is what one agent loads of a file.
type Use struct {
	Agent string // "Claude Code"
	Host  string // "claude-code"
	carried.Part
}

// Of returns the uses of each file of a report, by its path. MCP servers of one configuration are a use each.
func Of(r carried.Report) map[string][]Use {
	files := map[string][]Use{}
	for _, h := range r.Hosts {
		h.Each(func(p *carried.Part) { files[p.Path] = append(files[p.Path], Use{h.Title, h.Name, *p}) })
	}
	return files
}

// Lens is a title above a line of a file.
type Lens struct {
	At    int // a byte of the line
	Title string
	Hover string // lines that explain the figure; "": none
	Ask   *Use   // the MCP server that a click has asked for its tools, once confirmed; nil: none
}

// Lenses returns the titles above the first line of a file, one for each agent that loads it, and above each MCP server
// that it configures.
func Lenses(uses []Use, m anyfile.Meter) (out []Lens) {
	servers := map[string]int{}
	for _, u := range uses {
		if u.Kind == carried.Server {
			servers[u.Agent]++
			continue
		}
		out = append(out, Lens{Title: lens(u), Hover: explain(u, m)})
	}
	for _, u := range uses { // in the order of the agents
		if n := servers[u.Agent]; n > 0 {
			servers[u.Agent] = 0
			title := u.Agent + ": " + chars.Plural(n, "MCP server") + ", whose tools are in every request"
			out = append(out, Lens{Title: title})
		}
	}
	for _, u := range uses {
		if u.Kind == carried.Server && u.At.To > u.At.From {
			l := Lens{At: u.At.From, Title: u.Agent + ": " + server(u)}
			if u.Unknown && u.Config != nil && u.Config.Problem == "" {
				l.Ask = &u
			}
			out = append(out, l)
		}
	}
	return out
}

// server says what is known of an MCP server.
func server(u Use) string {
	cost := "cost of its tools unknown"
	switch {
	case u.Off():
		cost = "switched off"
	case !u.Unknown:
		cost = u.Carried.String() + " tokens in every request"
		if u.Later.N > 0 {
			cost += ", " + u.Later.String() + " when " + u.When
		}
		cost += " (" + u.Source() + ")"
	}
	return "MCP server " + u.Name + ": " + u.Used() + " · " + cost
}

// Hover returns the note for a byte in the first line of a file, which ends at a byte, or in the name of an MCP server; or
// false.
func Hover(uses []Use, m anyfile.Meter, offset, firstLine int) (anyfile.Note, bool) {
	note, ok := anyfile.Note{}, false
	for _, u := range uses {
		at, text := carried.Span{To: firstLine}, ""
		if u.Kind == carried.Server {
			at, text = u.At, u.Agent+": "+server(u)
			if u.Unknown {
				text += ", until you have it asked: no server is started on its own"
			}
		} else {
			text = explain(u, m)
		}
		if offset < at.From || offset > at.To {
			continue
		}
		if ok {
			note.Text += "\n"
		}
		note.From, note.To, ok = at.From, at.To, true
		note.Text += text
	}
	return note, ok
}

// lens says the one figure of a use that counts most: what every request sends of it, else what is loaded later.
func lens(u Use) string {
	switch {
	case u.Unknown:
		return u.Agent + ": unknown cost in every request"
	case u.Carried.N > 0 || u.Later.N == 0 && u.When == "":
		return u.Agent + ": " + u.Carried.String() + " tokens in every request"
	case u.Later.N > 0:
		return u.Agent + ": " + u.Later.String() + " tokens when " + u.When
	}
	return u.Agent + ": loaded when " + u.When
}

// explain returns that figure and all others, a line each.
func explain(u Use, m anyfile.Meter) string {
	lines := []string{lens(u)}
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if u.Carried.N > 0 {
		if m.Window > 0 {
			say("%s of the window of %s tokens", anyfile.Share(u.Carried.N, m.Window), chars.Commas(m.Window))
		}
		if whole := WithImports(u.Part); whole.N > u.Carried.N {
			say("%s tokens with imports", whole)
		}
		if u.Later.N > 0 {
			say("%s tokens when %s", u.Later, u.When)
		}
	}
	if u.Dollars != nil {
		say("%s so far in this session, at list prices", carried.Money(*u.Dollars))
	}
	if used := u.Used(); used != "" {
		lines = append(lines, used)
	}
	if u.Share > 0 {
		say("longest section: %s, %.0f %% of the file", u.Heaviest, 100*u.Share)
	}
	return strings.Join(lines, "\n")
}

// WithImports is what each request carries of a part with everything that it imports.
func WithImports(p carried.Part) tokens.Count {
	n := p.Carried
	for _, i := range p.Imports {
		n = carried.Plus(n, WithImports(i))
	}
	return n
}

// Link is an import in a file.
type Link struct {
	From, To int
	Path     string // of the imported file
	Tooltip  string
}

// Links returns the imports of a file that agents follow, with what they cost.
func Links(uses []Use) []Link {
	var out []Link
	known := map[carried.Span]bool{}
	for _, u := range uses {
		for _, i := range u.Imports {
			if known[i.At] {
				continue
			}
			known[i.At] = true
			tip := fmt.Sprintf("%s: %s tokens in every request of %s", i.Name, WithImports(i), u.Agent)
			out = append(out, Link{i.At.From, i.At.To, i.Path, chars.Line(tip)})
		}
	}
	return out
}

// Finding is something about a passage of a file.
type Finding struct {
	From, To      int
	Code, Message string
}

// Findings returns what is wrong with a file. What several agents have in common is told once.
func Findings(uses []Use) []Finding {
	var out []Finding
	for _, u := range uses {
		for _, p := range u.Problems {
			f := Finding{p.At.From, p.At.To, p.Code, chars.Line(p.Message)}
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}
