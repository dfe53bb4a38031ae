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
	Ask   *Use // the MCP server that a click has asked for its tools, once confirmed; nil: none
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
		out = append(out, Lens{Title: lens(u, m)})
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

// Hover returns the note for a byte in the name of an MCP server, or false.
func Hover(uses []Use, offset int) (anyfile.Note, bool) {
	note, ok := anyfile.Note{}, false
	for _, u := range uses {
		if u.Kind != carried.Server || offset < u.At.From || offset > u.At.To {
			continue
		}
		if ok {
			note.Text += "\n"
		}
		note.From, note.To, ok = u.At.From, u.At.To, true
		note.Text += u.Agent + ": " + server(u)
		if u.Unknown {
			note.Text += ", until it is asked: no server is started by itself"
		}
	}
	return note, ok
}

// lens describes one use.
func lens(u Use, m anyfile.Meter) string {
	whole := WithImports(u.Part)
	var said []string
	if u.Unknown {
		said = append(said, "an unknown cost in every request")
	} else if u.Carried.N > 0 || u.Later.N == 0 && u.When == "" {
		text := u.Carried.String() + " tokens in every request"
		if m.Window > 0 {
			text += ", " + anyfile.Share(u.Carried.N, m.Window) + " of " + chars.Commas(m.Window)
		}
		said = append(said, text)
	}
	if whole.N > u.Carried.N {
		said = append(said, whole.String()+" with imports")
	}
	if u.Dollars != nil {
		said = append(said, carried.Money(*u.Dollars)+" this session")
	}
	if u.Later.N > 0 {
		said = append(said, u.Later.String()+" tokens when "+u.When)
	}
	if used := u.Used(); used != "" {
		said = append(said, used)
	}
	if u.Share > 0 {
		said = append(said, fmt.Sprintf("%.0f %% of the file: %s", 100*u.Share, u.Heaviest))
	}
	return u.Agent + ": " + strings.Join(said, " · ")
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
