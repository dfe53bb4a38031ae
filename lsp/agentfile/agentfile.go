// Package agentfile says what an editor shows of a file that coding agents load: its cost in every request, what it
// imports, and what is wrong with it.
//
// Start at Of, which finds the uses of files in a carried.Report. The functions are pure: the report says everything.
package agentfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

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
	// Open is the part as the open document has it, with its places; nil: as on disk.
	Open *carried.Part
}

// Of returns the uses of each file of a report, by its path. MCP servers of one configuration are a use each.
func Of(r carried.Report) map[string][]Use {
	files := map[string][]Use{}
	for _, h := range r.Hosts {
		h.Each(func(p *carried.Part) { files[p.Path] = append(files[p.Path], Use{h.Title, h.Name, *p, nil}) })
	}
	if r.Edited == nil {
		return files
	}
	open := Of(*r.Edited)
	for path, uses := range open {
		for i, u := range uses {
			uses[i] = u.from(files[path])
		}
	}
	return open
}

// from returns the use of an open document with what is on disk, of the uses of its file.
func (u Use) from(files []Use) Use {
	for _, f := range files {
		if f.Host == u.Host && f.Kind == u.Kind && f.Name == u.Name {
			f.Open = &u.Part
			return f
		}
	}
	part := u.Part
	if u.Kind != carried.Server { // a server that is not there yet is not known either
		part.Carried, part.Later, part.Imports = tokens.Count{Exact: true}, tokens.Count{Exact: true}, nil
	}
	u.Part, u.Open = part, &u.Part
	return u
}

// Placed returns the part with its places in the document.
func (u Use) Placed() carried.Part {
	if u.Open != nil {
		return *u.Open
	}
	return u.Part
}

// Lens is a title above a line of a file.
type Lens struct {
	At    int // a byte of the line
	Title string
	Hover string // lines that explain the figure; "": none
	Ask   *Use   // the MCP server that a click has asked for its tools, once confirmed; nil: none
}

// Lenses returns the title above the first line of a file, for all agents that load it, and above each MCP server that it
// configures. An editor shows those of one line side by side, and cuts them.
func Lenses(uses []Use, m anyfile.Meter) (out []Lens) {
	servers, loaded, hovers := map[string]int{}, []Use{}, []string{}
	for _, u := range uses {
		if u.Kind == carried.Server {
			servers[u.Agent]++
			continue
		}
		loaded, hovers = append(loaded, u), append(hovers, explain(u, m))
	}
	switch hover := strings.Join(append(hovers, m.Counted()), "\n"); len(loaded) {
	case 0:
	case 1:
		out = append(out, Lens{Title: lens(loaded[0]), Hover: hover})
	default:
		out = append(out, Lens{Title: together(loaded), Hover: hover})
	}
	for _, u := range uses { // in the order of the agents
		if n := servers[u.Agent]; n > 0 {
			servers[u.Agent] = 0
			out = append(out, Lens{Title: u.Agent + ": " + chars.Plural(n, "MCP server"), Hover: serving(u)})
		}
	}
	for _, u := range uses {
		if at := u.Placed().At; u.Kind == carried.Server && at.To > at.From {
			l := Lens{At: at.From, Title: server(u), Hover: u.Agent + ": " + explainServer(u)}
			if u.Unknown && u.Config != nil && u.Config.Problem == "" {
				l.Ask = &u
			}
			out = append(out, l)
		}
	}
	return out
}

// together says what requests of several agents carry of one file.
func together(uses []Use) string {
	of, when := func(u Use) tokens.Count { return u.Carried }, "in every request of "
	if !slices.ContainsFunc(uses, func(u Use) bool { return u.Carried.N > 0 || u.When == "" }) {
		of, when = func(u Use) tokens.Count { return u.Later }, "when needed by "
	}
	byCost := func(a, b Use) int { return cmp.Compare(of(a).N, of(b).N) }
	least, most := of(slices.MinFunc(uses, byCost)), of(slices.MaxFunc(uses, byCost))
	n := most.String()
	if least.N < most.N {
		n = least.String() + "–" + chars.Commas(most.N)
	}
	return n + " tokens " + when + chars.Plural(len(uses), "agent")
}

// serving says what requests carry of an agent's MCP servers.
func serving(u Use) string {
	if !u.Searched() {
		return "Every request carries the definitions of their tools."
	}
	return "Every request carries the names of their tools; a definition is loaded when the model looks for it, " +
		"unless ENABLE_TOOL_SEARCH=false or alwaysLoad is set."
}

// server says what is known of an MCP server: its calls, and one figure.
func server(u Use) string {
	cost := "cost unknown"
	switch {
	case u.Off():
		cost = "switched off"
	case !u.Unknown:
		cost = u.Carried.String() + " tokens a request"
	}
	used, _, _ := strings.Cut(u.Used(), ", last ")
	return used + " · " + cost
}

// explainServer returns the lines with all that is known of an MCP server.
func explainServer(u Use) string {
	said := "MCP server " + u.Name + ": " + server(u)
	if u.Use != nil && u.Use.Calls > 0 {
		said += " · last call " + u.Use.Last.Format(time.DateOnly)
	}
	if u.Later.N > 0 {
		said += ", " + u.Later.String() + " when " + u.When
	}
	switch from := u.Source(); {
	case u.Unknown:
		said += ", until you have it asked: no server is started on its own"
	case from != "":
		said += " (" + from + ")"
	}
	return said + "\n" + serving(u)
}

// Hover returns the note for a byte in the first line of a file, which ends at a byte, or in the name of an MCP server; or
// false.
func Hover(uses []Use, m anyfile.Meter, offset, firstLine int) (anyfile.Note, bool) {
	note, ok, counted := anyfile.Note{}, false, false
	for _, u := range uses {
		at, text := carried.Span{To: firstLine}, ""
		if u.Kind == carried.Server {
			at, text = u.Placed().At, u.Agent+": "+explainServer(u)
		} else {
			text = explain(u, m)
		}
		if offset < at.From || offset > at.To {
			continue
		}
		counted = counted || u.Kind != carried.Server
		if ok {
			note.Text += "\n"
		}
		note.From, note.To, ok = at.From, at.To, true
		note.Text += text
	}
	if counted {
		note.Text += "\n" + m.Counted()
	}
	return note, ok
}

// lens is figure as short as a title has to be. The rest is in the hover.
func lens(u Use) (title string) {
	for _, when := range []string{u.When, briefly(u), "needed"} {
		for _, agent := range []string{u.Agent + ": ", ""} {
			if title = agent + figure(u, when); utf8.RuneCountInString(title) <= anyfile.MaxLens {
				return title
			}
		}
	}
	u.Open = nil
	return figure(u, "needed")
}

// briefly says when a part is loaded, without the names of directories and patterns.
func briefly(u Use) string {
	switch {
	case u.Kind == carried.Memory && strings.HasPrefix(u.When, u.Agent):
		return "it runs there"
	case u.Kind == carried.Memory:
		return "its directory is read"
	case u.Kind == carried.Rule:
		return "a file that matches is " + u.When[strings.LastIndexByte(u.When, ' ')+1:]
	}
	return u.When
}

// figure says the one figure of a use that counts most: what every request sends of it, else what is loaded later, when
// that is. What is not saved is in no request.
func figure(u Use, when string) string {
	was, is := u.Part, u.Placed()
	costs := func(disk, open tokens.Count, when string) string {
		said := disk.String() + " tokens " + when
		if disk == open {
			return said
		}
		return said + ", " + open.String() + " once saved"
	}
	imported := is.At.To > is.At.From
	switch {
	case u.Unknown:
		return "unknown cost in every request"
	case imported && was.Carried.N+was.Later.N == 0 && is.Carried.N > 0: // by a text that is not saved
		return "in no request, " + is.Carried.String() + " tokens once its import is saved"
	case was.Carried.N > 0 || was.Later.N == 0 && u.When == "":
		return costs(was.Carried, is.Carried, "in every request")
	case was.Later.N > 0 || is.Later.N > 0:
		return costs(was.Later, is.Later, "when "+when)
	}
	return "loaded when " + when
}

// explain returns the lines below that figure: all others.
func explain(u Use, m anyfile.Meter) string {
	lines := []string{u.Agent + ": " + figure(u, u.When)}
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if (u.Kind == carried.Memory || u.Kind == carried.Rule) && u.Carried.N+u.Later.N > 0 {
		say("counted as %s sends it: with what the agent puts around the text", u.Agent)
	}
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
		for _, i := range u.Placed().Imports {
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
		for _, p := range u.Placed().Problems {
			f := Finding{p.At.From, p.At.To, p.Code, chars.Line(p.Message)}
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}
