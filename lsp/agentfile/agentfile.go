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
	Agent        string        // "Claude Code"
	Host         string        // "claude-code"
	carried.Part               // as what is saved has it; New: without its cost
	Meter        anyfile.Meter // of the agent's model, that it was counted by
	// Open is the part as the open documents have it, with its places; nil: none differs from its file.
	Open    *carried.Part
	Unsaved bool // the open document differs from the file
	New     bool // nothing that is saved loads the file: it is in no request
	Gone    bool // nothing loads it any more once the open documents are saved
	// Uncounted says what keeps calls from being counted; "": nothing.
	Uncounted string
	By        string // the file through which the agent loads it, or its own name
}

// Of returns the uses of each file of a report, by its path. MCP servers of one configuration are a use each.
func Of(r carried.Report) map[string][]Use {
	saved := of(r)
	if r.Edited == nil {
		return saved
	}
	files := of(*r.Edited)
	for path, uses := range files {
		for i, u := range uses {
			uses[i] = u.beside(saved[path])
			_, uses[i].Unsaved = r.Unsaved()[path]
		}
	}
	for path, uses := range saved {
		for _, u := range uses {
			if !slices.ContainsFunc(files[path], u.is) {
				u.Open, u.Gone = &carried.Part{Kind: u.Kind}, true
				_, u.Unsaved = r.Unsaved()[path]
				files[path] = append(files[path], u)
			}
		}
	}
	return files
}

// of returns the uses of each file without what open documents have.
func of(r carried.Report) map[string][]Use {
	files := map[string][]Use{}
	for _, h := range r.Hosts {
		for _, root := range h.Parts {
			carried.Host{Parts: []carried.Part{root}}.Each(func(p *carried.Part) {
				files[p.Path] = append(files[p.Path], Use{Agent: h.Title, Host: h.Name, Part: *p,
					Meter: anyfile.Meter(h.Meter), By: root.Name})
			})
		}
	}
	return files
}

// is reports whether two uses are of the same part.
func (u Use) is(other Use) bool {
	return u.Host == other.Host && u.Kind == other.Kind && u.Name == other.Name
}

// beside returns the use of an open document beside what is saved, of the uses of its file.
func (u Use) beside(saved []Use) Use {
	open := u.Part
	if i := slices.IndexFunc(saved, u.is); i >= 0 {
		u = saved[i]
	} else {
		u.New, u.Carried, u.Later, u.Imports = true, tokens.Count{Exact: true}, tokens.Count{Exact: true}, nil
	}
	u.Open = &open
	return u
}

// differs reports whether what is open makes another figure of the use than what is saved.
func (u Use) differs() bool {
	return u.Unsaved || u.New || u.Gone || u.Open != nil && (u.Open.Carried != u.Carried || u.Open.Later != u.Later)
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
func Lenses(uses []Use, f anyfile.File) (out []Lens) {
	servers, loaded := map[string][]Use{}, []Use{}
	for _, u := range uses {
		if u.Kind == carried.Server {
			servers[u.Agent] = append(servers[u.Agent], u)
			continue
		}
		loaded = append(loaded, u)
	}
	hover := explainAll(loaded, f)
	if slices.ContainsFunc(loaded, func(u Use) bool { return !u.New }) { // what is in requests is the title
		loaded = slices.DeleteFunc(loaded, func(u Use) bool { return u.New })
	}
	switch len(loaded) {
	case 0:
	case 1:
		out = append(out, Lens{Title: lens(loaded[0]), Hover: hover})
	default:
		out = append(out, Lens{Title: together(loaded), Hover: hover})
	}
	for _, u := range uses { // in the order of the agents
		if all := servers[u.Agent]; all != nil {
			servers[u.Agent] = nil
			out = append(out, Lens{Title: u.Agent + ": " + counted(all), Hover: serving(u)})
		}
	}
	for _, u := range uses {
		if at := u.Placed().At; u.Kind == carried.Server && at.To > at.From {
			short := strings.Replace(server(u), "its configuration changed", "a change", 1) // the hover says of what
			l := Lens{At: at.From, Title: short, Hover: u.Agent + ": " + explainServer(u)}
			if u.Unknown && !u.New && u.Config != nil && u.Config.Problem == "" {
				l.Ask = &u
			}
			out = append(out, l)
		}
	}
	return out
}

// counted says how many MCP servers there are, and will be.
func counted(servers []Use) string {
	saved, open := len(servers), len(servers)
	for _, u := range servers {
		if u.New {
			saved--
		}
		if u.Gone {
			open--
		}
	}
	said := chars.Plural(saved, "MCP server")
	if open != saved {
		said += fmt.Sprintf(", %d once saved", open)
	}
	return said
}

// together says what requests of several agents carry of one file.
func together(uses []Use) string {
	of, when := func(u Use) tokens.Count { return u.Carried }, "in every request of "
	if uses[0].New { // so are all
		return "in no request, in those of " + chars.Plural(len(uses), "agent") + " once saved"
	}
	if !slices.ContainsFunc(uses, func(u Use) bool { return u.Carried.N > 0 || u.When == "" }) {
		of, when = func(u Use) tokens.Count { return u.Later }, "when needed by "
	}
	n, agents := between(uses, of), chars.Plural(len(uses), "agent")
	title := n + " tokens " + when + agents
	if !slices.ContainsFunc(uses, func(u Use) bool { return u.Open != nil && tally(*u.Open) != tally(u.Part) }) {
		return title
	}
	open := between(uses, func(u Use) tokens.Count { return tally(u.Placed()) }) + " once saved"
	for _, title = range []string{title + ", " + open, agents + ": " + n + " a request, " + open,
		agents + ": " + n + ", " + open, agents + ": " + n + ", others once saved"} {
		if utf8.RuneCountInString(title) <= anyfile.MaxLens {
			break
		}
	}
	return title
}

// between says the least and the most of the counts of uses.
func between(uses []Use, of func(Use) tokens.Count) string {
	byCost := func(a, b Use) int { return cmp.Compare(of(a).N, of(b).N) }
	least, most := of(slices.MinFunc(uses, byCost)), of(slices.MaxFunc(uses, byCost))
	switch {
	case least.N == most.N:
		return least.String()
	case least.Exact || least.N == 0:
		return least.String() + "–" + most.String()
	}
	return least.String() + "–" + chars.Commas(most.N) // with one mark in front of both
}

// serving says what requests carry of an agent's MCP servers.
func serving(u Use) string {
	if !u.Searched() {
		return "Every request carries the definitions of the tools of MCP servers."
	}
	return "Every request carries the names of the tools of MCP servers; a definition is loaded when the model looks for it, " +
		"unless alwaysLoad is set."
}

// server says what is known of an MCP server: its calls, and one figure.
func server(u Use) string {
	cost := "cost unknown"
	switch {
	case u.New:
		return "in no request until it is saved"
	case u.Off():
		cost = "switched off"
	case !u.Unknown:
		cost = u.Carried.Tokens() + " a request"
	}
	used, _, _ := strings.Cut(u.Used(), ", most recent ")
	return used + " · " + cost
}

// explainServer returns the lines with all that is known of an MCP server.
func explainServer(u Use) string {
	said := "MCP server " + u.Name + ": " + server(u)
	if u.New {
		return said
	}
	if u.Later.N > 0 {
		said += ", " + u.Later.String() + " when " + u.When
	}
	switch from := u.Source(); {
	case u.Unknown:
		said += ", until you ask it: no server is started on its own"
	case from != "":
		said += " (" + from + ")"
	}
	if u.Use != nil && u.Use.Calls > 0 {
		said += " · last call " + u.Use.Last.Format(time.DateOnly)
	}
	if u.Use == nil {
		said += "\ncalls are unknown: " + cmp.Or(u.Uncounted, "no session of the agent is recorded here")
	}
	return said + "\n" + serving(u)
}

// Hover returns the note for a byte in the first line of a file, or in the name of an MCP server; or false.
func Hover(uses []Use, f anyfile.File, offset int) (anyfile.Note, bool) {
	note, lines, loaded := anyfile.Note{}, []string{}, []Use{}
	_, firstLine := f.Text.Line(0)
	for _, u := range uses {
		at := u.Placed().At
		switch {
		case u.Kind != carried.Server && offset <= firstLine:
			at, loaded = carried.Span{To: firstLine}, append(loaded, u)
		case u.Kind != carried.Server || u.Gone || offset < at.From || offset > at.To:
			continue
		default:
			lines = append(lines, u.Agent+": "+explainServer(u))
		}
		note.From, note.To = at.From, at.To
	}
	if len(lines)+len(loaded) == 0 && offset <= firstLine {
		note.To = firstLine
		for _, l := range Lenses(uses, f) { // that of all servers
			if l.At == 0 {
				lines = append(lines, l.Title, l.Hover)
			}
		}
	}
	if len(loaded) > 0 {
		lines = append(lines, explainAll(loaded, f))
	}
	note.Text = strings.Join(lines, "\n")
	return note, len(lines) > 0
}

// explainAll explains uses that are none of servers, each counted as its agent's model does. How that is, is said once of
// those that are counted alike. The file itself has one figure, that of the editor.
func explainAll(uses []Use, f anyfile.File) string {
	var lines []string
	for i, u := range uses {
		lines = append(lines, explain(u, f))
		if counted := u.Meter.Counted(); i+1 == len(uses) || uses[i+1].Meter.Counted() != counted {
			lines = append(lines, counted)
		}
	}
	if slices.ContainsFunc(uses, func(u Use) bool { return u.framed() && !u.alike(f) }) {
		itself := anyfile.CostOf(f).Tokens
		lines = append(lines, "the file itself: "+itself.Tokens()+", "+f.Meter.Counted())
	}
	return strings.Join(lines, "\n")
}

// alike reports whether the agent's model counts as the editor does.
func (u Use) alike(f anyfile.File) bool { return u.Meter.Counted() == f.Meter.Counted() }

// lens is figure as short as a title has to be. The rest is in the hover.
func lens(u Use) (title string) {
	for _, when := range []string{u.When, briefly(u), "needed"} {
		saved, open := figure(u.Part, when), ""
		switch {
		case u.New:
			saved, open = "in no request", ", "+tally(*u.Open).Tokens()+" once its import is saved"
			if u.By == u.Name {
				open = strings.ReplaceAll(open, "its import is ", "")
			}
		case u.Gone:
			open = ", none once saved"
		case u.Open != nil && tally(*u.Open) != tally(u.Part):
			open = ", " + tally(*u.Open).String() + " once saved"
		}
		for _, agent := range []string{u.Agent + ": ", ""} {
			if title = agent + saved + open; utf8.RuneCountInString(title) <= anyfile.MaxLens {
				return title
			}
		}
		if title = saved; when == "needed" {
			break
		}
	}
	return title
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

// tally is the figure of a part that counts most: what every request sends of it, else what is loaded later.
func tally(p carried.Part) tokens.Count {
	if p.Carried.N > 0 || p.Later.N == 0 {
		return p.Carried
	}
	return p.Later
}

// figure says that figure, and when it is sent, which the caller may have shortened; "": when is not said.
func figure(p carried.Part, when string) string {
	n := tally(p).Tokens()
	switch {
	case p.Unknown:
		return "unknown cost in every request"
	case p.Carried.N > 0 || p.Later.N == 0 && p.When == "":
		return n + " in every request"
	case p.Later.N > 0:
		return n + " when " + when
	}
	return "loaded when " + when
}

// explain returns the lines below that figure: all others. Where what is open differs, it has the figures of both and no
// others, which would be those of the one or the other.
func explain(u Use, f anyfile.File) string {
	lines := []string{head(u, f)}
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if u.differs() {
		lines = unsaved(u)
	}
	if u.framed() {
		say("counted as %s sends it, with what the agent puts around the text", u.Agent)
	}
	if u.Carried.N > 0 && !u.differs() {
		if m := u.Meter; m.Window > 0 {
			say("%s of the window of %s tokens", anyfile.Share(u.Carried.N, m.Window), chars.Commas(m.Window))
		}
		if whole := WithImports(u.Part); whole.N > u.Carried.N {
			say("%s with imports", whole.Tokens())
		}
		if u.Later.N > 0 {
			say("%s when %s", u.Later.Tokens(), u.When)
		}
	}
	if u.Dollars != nil {
		say("%s so far in this session, at list prices, over %s", chars.Money(*u.Dollars, false), u.PaidBy)
	}
	if used := u.Used(); used != "" {
		lines = append(lines, used)
	}
	if u.Share > 0 && !u.differs() {
		say("longest section: %s, %.0f%% of the file", u.Heaviest, 100*u.Share)
	}
	return strings.Join(lines, "\n")
}

// framed reports whether the agent sends the text of the file with something around it.
func (u Use) framed() bool {
	return (u.Kind == carried.Memory || u.Kind == carried.Rule) && u.Carried.N+u.Later.N > 0
}

// head is the figure of a use, and how much of it is in the file, which is less where the agent puts something around it; or
// that the editor counts the file for another model.
func head(u Use, f anyfile.File) string {
	said := u.Agent + ": " + figure(u.Part, u.When)
	switch {
	case !u.framed():
	case u.alike(f):
		if whole := anyfile.CostOfPart(f, 0, f.Text.Len()); whole.N > u.Carried.N+u.Later.N {
			said += ", a part of the " + whole.String() + " in the file"
		} else {
			said += " (" + whole.String() + " in the file)"
		}
	case u.Meter.Counter.Model() == "":
		said += " (estimated for the agent's usual models)"
	default:
		said += " (counted for the agent's model)"
	}
	return said
}

// Heads returns that line for each agent whose requests have the file as it is open.
func Heads(uses []Use, f anyfile.File) (lines []string) {
	for _, u := range uses {
		if u.framed() && !u.differs() {
			lines = append(lines, head(u, f))
		}
	}
	return lines
}

// unsaved returns the lines that say what requests carry of what is saved, and what they will of what is open.
func unsaved(u Use) []string {
	saved, once := ", on disk, "+sent(u.Part), "once open files are saved, "
	if u.Unsaved {
		once = "this buffer, once saved, "
	}
	switch {
	case u.New && u.By != u.Name:
		saved, once = ": in no request; the saved version of "+u.By+" does not load it", "once open files are saved, "
	case u.New && u.Unsaved:
		saved = ": in no request, it is not saved"
	case u.New:
		saved = ": in no request, no saved file loads it"
	}
	return []string{u.Agent + saved, once + sent(*u.Open)}
}

// sent says all figures of a part, each behind when it is sent.
func sent(p carried.Part) string {
	var said []string
	say := func(n tokens.Count, when string) {
		if n.N > 0 {
			said = append(said, when+": "+n.Tokens())
		}
	}
	say(p.Carried, "in every request")
	say(p.Later, "when "+p.When)
	if p.Unknown {
		return "in every request: an unknown cost"
	}
	return cmp.Or(strings.Join(said, ", "), "in no request")
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
			tip := fmt.Sprintf("%s: %s in every request of %s", i.Name, WithImports(i).Tokens(), u.Agent)
			if u.Open != nil && !slices.ContainsFunc(u.Imports, func(saved carried.Part) bool {
				return saved.Path == i.Path && WithImports(saved) == WithImports(i)
			}) {
				tip += ", once open files are saved"
			}
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
