package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/carried"
	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/ledger"
	"ctxledger.dev/lsp"
	filled "ctxledger.dev/panel"
	"ctxledger.dev/records"
	"ctxledger.dev/report"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// witness reads figures off every face.
type witness struct {
	t      *testing.T
	box    *sandbox.Sandbox
	editor *scriptededitor.Editor
	apart  *scriptededitor.Editor // that follows no session
	mcp    *sandbox.Client
}

// figures returns what every face shows now.
func (w *witness) figures() figures {
	w.t.Helper()
	f := figures{}
	w.files(f)
	w.sections(f)
	w.requests(f)
	w.window(f)
	w.took(f)
	w.spent(f)
	w.ours(f)
	w.unchanged(f)
	w.beside(f)
	return f
}

// number is a pattern of the numbers in texts.
const number = `≈?([0-9][0-9,]*)`

// find returns the number that a pattern finds in a text, in which # stands for one.
func (w *witness) find(pattern, text string) int {
	w.t.Helper()
	m := regexp.MustCompile(strings.ReplaceAll(pattern, "#", number)).FindStringSubmatch(text)
	if m == nil {
		w.t.Fatalf("%q is not in\n%.3000s", pattern, text)
	}
	n, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// call asks the language server about a file.
func (w *witness) call(method, file string, more map[string]any, result any) {
	w.t.Helper()
	w.callIn(w.editor, method, file, more, result)
}

// callIn is call for one of the editors.
func (w *witness) callIn(e *scriptededitor.Editor, method, file string, more map[string]any, result any) {
	w.t.Helper()
	params := map[string]any{}
	if file != "" {
		params = scriptededitor.Document(uriOf(w.box, file), more)
	}
	if err := e.Call(deadlined(w.t), method, params, result); err != nil {
		w.t.Fatalf("%s of %s: %v", method, file, err)
	}
}

// json runs a command of the command line and decodes its answer.
func (w *witness) json(result any, args ...string) {
	w.t.Helper()
	if err := json.Unmarshal(run(w.t, w.box, append(args, "--json")...), result); err != nil {
		w.t.Fatalf("%q: %v", args, err)
	}
}

// cost asks what the status bar shows of a file, or of a part of it.
func (w *witness) cost(file string, part any) (c lsp.Cost) { return w.costIn(w.editor, file, part) }

// costIn is cost for one of the editors.
func (w *witness) costIn(e *scriptededitor.Editor, file string, part any) (c lsp.Cost) {
	w.t.Helper()
	more := map[string]any{}
	if part != nil {
		more["ranges"] = []any{part}
	}
	w.callIn(e, "ctxledger/cost", file, more, &c)
	return c
}

// counts is the answer of ctxledger count.
type counts struct {
	Total int
	Files []struct {
		Path   string
		Tokens int
	}
	Places []struct {
		Path   string
		Tokens int
	}
}

// files reads what each file costs, each directory, and all of them.
func (w *witness) files(f figures) {
	var tree counts
	w.json(&tree, "count", "--model", askedModel, "--tree")
	table := string(run(w.t, w.box, "count", "--model", askedModel))
	var all lsp.Counted
	w.command("countWorkspace", map[string]any{"quiet": true}, &all)
	of, sum := map[string]int{}, map[string]int{}
	for _, x := range tree.Files {
		of[x.Path] = x.Tokens
		sum[""] += x.Tokens
		sum[filepath.Dir(x.Path)] += x.Tokens
	}
	for name, text := range texts {
		q := "tokens of " + name
		f.add(q, "ctxledger count --json", of[name])
		f.add(q, "ctxledger count", w.find(`# +[0-9,]+  `+regexp.QuoteMeta(name)+`\n`, table))
		f.add(q, "the status bar", w.cost(name, nil).Tokens.N)
		f.add(q, "the status bar, without a session", w.costIn(w.apart, name, nil).Tokens.N)
		f.add(q, "the status bar, all selected", w.cost(name, span(0, strings.Count(text, "\n"))).Tokens.N)
		var kept struct{ Tokens tokens.Count }
		w.json(&kept, "artifact", "save", filepath.Join(w.box.Workspace, filepath.FromSlash(name)))
		f.add(q, "a saved artifact", kept.Tokens.N)
		var said string
		w.command("explain", map[string]any{"uri": uriOf(w.box, name)}, &said)
		f.add(q, "a click on the lens", w.find(regexp.QuoteMeta(filepath.Base(name))+`: # tokens`, said))
		explained := said
		w.command("countSelection", map[string]any{"uri": uriOf(w.box, name), "range": span(0, strings.Count(text, "\n"))}, &said)
		f.add(q, "Count Tokens of Selection", w.find(`# tokens`, said))
		if name != "CLAUDE.md" && name != "docs/rules.md" && name != "AGENTS.md" { // whose lenses say what requests carry
			lens, apart := w.lens(name), w.lensIn(w.apart, name)
			f.add(q, "the lens, without a session", w.find(`^# tokens in file`, apart.Title))
			f.add(q, "the hover of the lens", w.find(`as open in the editor: # tokens`, lens.Tooltip))
			if name == "notes.txt" { // which the session has not read
				f.add(q, "the lens", w.find(`^# tokens in file`, lens.Title))
			}
			if len(text) > 40_000 { // of which a read returns a part
				continue
			}
			q = "what a read of " + name + " adds"
			f.add(q, "the lens, without a session", w.find(`in file · # when read$`, apart.Title))
			f.add(q, "the hover of the lens", w.find(`Reading the file adds #, line numbers included`, lens.Tooltip))
			f.add(q, "a click on the lens", w.find(`Reading the file adds #,`, explained))
			f.add(q, "the status bar", w.cost(name, nil).Read.N)
		}
	}
	f.add("tokens of notes.txt", "the hover", w.find(`this file, as open in the editor: # tokens`, w.hover("notes.txt", 0)))
	for dir, q := range map[string]string{
		"": "tokens of the workspace", "docs": "tokens of docs/", "order": "tokens of order/",
	} {
		f.add(q, "the files of ctxledger count together", sum[dir])
		for _, x := range all.Directories {
			if x.Path == dir {
				f.add(q, "a row of Count Tokens of Workspace", x.Tokens)
			}
		}
		for _, x := range tree.Places {
			if x.Path == dir+"/" {
				f.add(q, "ctxledger count --tree", x.Tokens)
			}
		}
	}
	f.add("tokens of the workspace", "ctxledger count --json", tree.Total)
	f.add("tokens of the workspace", "ctxledger count", w.find(`# +[0-9,]+  total\n`, table))
	f.add("tokens of the workspace", "Count Tokens of Workspace", all.Tokens)
	f.add("tokens of the workspace", "the header of Count Tokens of Workspace", w.find(`: # tokens`, all.Said))
}

// sections reads what each section of a file costs.
func (w *witness) sections(f figures) {
	names, args := []string{}, []string{"count", "--model", askedModel}
	for name, x := range sections {
		path := filepath.Join(w.box.Top, "section-"+name)
		write(w.t, path, x.text)
		names, args = append(names, name), append(args, path)
	}
	var alone counts
	w.json(&alone, args...)
	var hints []struct {
		Position struct{ Line int }
		Label    string
	}
	w.call("textDocument/inlayHint", "docs/guide.md", map[string]any{"range": span(0, 99)}, &hints)
	var symbols json.RawMessage
	w.call("textDocument/documentSymbol", "docs/guide.md", nil, &symbols)
	for i, name := range names {
		q, x := "tokens of the section "+name, sections[name]
		f.add(q, "ctxledger count of its text", alone.Files[i].Tokens)
		f.add(q, "the hover", w.find("`"+name+"` · # tokens", w.hover("docs/guide.md", x.line)))
		f.add(q, "the outline", w.find(`"name":"`+name+`"[^{}]*"detail":"#|"detail":"#[^{}]*"name":"`+name+`"`, string(symbols)))
		f.add(q, "the status bar, selected", w.cost("docs/guide.md", x.span()).Tokens.N)
		for _, h := range hints {
			if h.Position.Line == x.line {
				f.add(q, "the hint", w.find(`^# tokens`, h.Label))
			}
		}
	}
	f.add("tokens of docs/guide.md", "the hover of a section", w.find(`of the file's #`, w.hover("docs/guide.md", 2)))
}

// toolStatus is what context_status answers.
type toolStatus struct {
	Window     int
	Threshold  int
	Overhead   int `json:"overhead_tokens"`
	Held, Used tokens.Count
	Panel      filled.Panel
	Dollars    float64 `json:"carried_usd"`
	Categories []struct {
		Name   string
		Tokens tokens.Count
	}
	Carried []struct {
		Name   string
		Tokens tokens.Count
	}
}

// status asks the tool.
func (w *witness) status() (s toolStatus, text string) { return w.statusOf(w.context().Session) }

// statusOf is status of a session.
func (w *witness) statusOf(session string) (s toolStatus, text string) {
	w.t.Helper()
	text, err := w.mcp.Call(deadlined(w.t), "context_status", map[string]any{"session": session}, &s)
	if err != nil {
		w.t.Fatal(err)
	}
	return s, text
}

// context asks for what the panel shows.
func (w *witness) context() (c lsp.Context) { return w.contextOf("") }

// contextOf is context of a session.
func (w *witness) contextOf(session string) (c lsp.Context) {
	w.t.Helper()
	if err := w.editor.Call(deadlined(w.t), "ctxledger/context", map[string]any{"session": session}, &c); err != nil {
		w.t.Fatal(err)
	}
	return c
}

// requests reads what every request carries of files.
func (w *witness) requests(f figures) {
	var cli, view, apart struct{ Hosts []carried.Host }
	w.json(&cli, "context")
	w.call("ctxledger/carried", "", nil, &view)
	w.callIn(w.apart, "ctxledger/carried", "", nil, &apart)
	page := string(run(w.t, w.box, "context"))
	tool, said := w.status()
	imports := 0
	for face, hosts := range map[string][]carried.Host{
		"ctxledger context --json": cli.Hosts, "the view In Every Request": view.Hosts,
		"that view without a session": apart.Hosts,
	} {
		f.add("Claude Code in every request", face, hosts[0].Carried.N)
		hosts[0].Each(func(p *carried.Part) {
			f.add(p.Name+" in every request", face, p.Carried.N)
		})
		imports = hosts[0].Parts[0].Carried.N + hosts[0].Parts[0].Imports[0].Carried.N
	}
	f.add("Claude Code in every request", "ctxledger context", w.find(`Claude Code: # tokens in every request`, page))
	var clicked string
	for _, name := range []string{"CLAUDE.md", "docs/rules.md"} {
		q := name + " in every request"
		f.add(q, "ctxledger context", w.find(regexp.QuoteMeta(name)+` +#`, page))
		f.add(q, "context_status in words", w.find(`memory `+regexp.QuoteMeta(name)+`: #`, said))
		f.add(q, "the lens", w.find(`Claude Code: # tokens in every request$`, w.lens(name).Title))
		f.add(q, "the hover of the lens", w.find(`Claude Code: # tokens in every request`, w.lens(name).Tooltip))
		f.add(q, "the hover of the first line", w.find(`Claude Code: # tokens in every request`, w.hover(name, 0)))
		w.command("explain", map[string]any{"uri": uriOf(w.box, name)}, &clicked)
		f.add(q, "a click on the lens", w.find(`Claude Code: # tokens in every request`, clicked))
		for _, x := range tool.Carried {
			if x.Name == "memory "+name {
				f.add(q, "context_status", x.Tokens.N)
			}
		}
	}
	var links []struct{ Tooltip string }
	w.call("textDocument/documentLink", "CLAUDE.md", nil, &links)
	f.add("docs/rules.md in every request", "the link of the import", w.find(`: # tokens in every request`, links[0].Tooltip))
	q := "CLAUDE.md with imports in every request"
	f.add(q, "its parts together", imports)
	f.add(q, "the hover of the lens", w.find(`# tokens with imports`, w.lens("CLAUDE.md").Tooltip))
	f.add(q, "memory files in the panel", category(w.context().Own, "memory files"))
	var st struct{ Session ledger.Status }
	w.json(&st, "status", w.context().Session)
	f.add(q, "memory files in ctxledger status", category(st.Session.Own, "memory files"))
}

// category returns what a category takes.
func category(all []ledger.Category, name string) (n int) {
	for _, c := range all {
		if c.Name == name {
			n += c.Tokens.N
		}
	}
	return n
}

// window reads what fills the window.
func (w *witness) window(f figures) {
	panel := w.context()
	var cli struct{ Session ledger.Status }
	w.json(&cli, "status", panel.Session)
	page := string(run(w.t, w.box, "status", panel.Session))
	tool, said := w.status()
	told, err := w.editor.Until(deadlined(w.t), func([]scriptededitor.Message) bool { return true })
	if err != nil {
		w.t.Fatal(err)
	}
	bar := newestStatus(w.t, told)
	var size lsp.Window
	w.call("ctxledger/window", "", nil, &size)
	var carry struct {
		Measured tokens.Count
		Panel    filled.Panel
	}
	w.json(&carry, "context")
	w.panels(f, map[string]filled.Panel{"ctxledger context --json": carry.Panel, "context_status": tool.Panel,
		"the panel": *panel.Panel})
	last := panel.Turns[len(panel.Turns)-1]
	about := string(run(w.t, w.box, "context"))
	f.add(ledger.CategoryPrompt+" in the agent's window", "ctxledger context", w.find(`# `+ledger.CategoryPrompt, about))
	held, used, fixed := "what the agent's window holds", "what ctxledger would send", "what is in every request besides"
	above := "ctxledger compacts above"
	for _, row := range []struct {
		quantity, face string
		n              int
	}{
		{held, "ctxledger status --json", cli.Session.Held.N},
		{held, "ctxledger status", w.find(`holds .* # of [0-9,]+ tokens`, page)},
		{held, "context_status", tool.Held.N},
		{held, "context_status in words", w.find(`window holds # tokens`, said)},
		{held, "the status bar", bar.Held.N},
		{held, "the panel", panel.Held.N},
		{held, "the panel's parts together", sumOf(panel.Own)},
		{held, "the parts of ctxledger status together", sumOf(cli.Session.Own)},
		{used, "ctxledger status --json", cli.Session.Used.N},
		{used, "ctxledger status", w.find(`view +ctxledger would send # tokens`, page)},
		{used, "context_status", tool.Used.N},
		{used, "context_status in words", w.find(`would send # of`, said)},
		{used, "the panel", panel.Used.N},
		{used, "the newest turn in the panel", last.Used.N},
		{fixed, "ctxledger status --json", cli.Session.Fixed.N},
		{fixed, "ctxledger status", w.find(`plus +# tokens`, page)},
		{fixed, "ctxledger context --json", carry.Measured.N},
		{fixed, "ctxledger context", w.find(`each request of session [0-9a-f]+ has # tokens`, about)},
		{fixed, "the newest turn in the panel", partOf(last.Own, ledger.CategoryFixed)},
		{fixed, "the panel", panel.Fixed.N},
		{fixed, "the panel's parts of it together", fixedOf(panel.Own)},
		{fixed, "those of ctxledger status", fixedOf(cli.Session.Own)},
		{above, "ctxledger status --json", cli.Session.Threshold},
		{above, "ctxledger status", w.find(`more than # tokens`, page)},
		{above, "context_status", tool.Threshold},
		{above, "context_status in words", w.find(`compact it above #`, said)},
		{above, "the panel", panel.Threshold},
		{"the window", "ctxledger status --json", cli.Session.Window},
		{"the window", "context_status", tool.Window},
		{"the window", "the status bar", bar.Window},
		{"the window", "the panel", panel.Window},
		{"the window", "Set the Size of the Context Window", size.Window},
		{"the window", "the hover of a lens", w.find(`of #$`, strings.Split(w.lens("notes.txt").Tooltip, "\n")[0])},
	} {
		f.add(row.quantity, row.face, row.n)
	}
	for _, c := range tool.Categories {
		q := c.Name + " in what ctxledger would send"
		f.add(q, "context_status", c.Tokens.N)
		f.add(q, "ctxledger status --json", category(cli.Session.Categories, c.Name))
		f.add(q, "the panel", category(panel.Categories, c.Name))
	}
	for _, c := range cli.Session.Own {
		q := c.Name + " in the agent's window"
		f.add(q, "ctxledger status --json", c.Tokens.N)
		f.add(q, "ctxledger status", w.find(`(?m)^  `+c.Name+` +#`, page))
		f.add(q, "the panel", category(panel.Own, c.Name))
	}
	for _, x := range panel.Sources {
		q := fmt.Sprintf("the %s %s in the window", x.Kind, x.Name)
		f.add(q, "the panel", x.Tokens.N)
		f.add(q, "ctxledger status", w.find(`(?m)^  `+regexp.QuoteMeta(x.Name)+` +# `, page))
		for _, y := range cli.Session.OwnSources {
			if y.Kind == x.Kind && y.Name == x.Name {
				f.add(q, "ctxledger status --json", y.Tokens.N)
			}
		}
	}
}

// panels reads the panel in words off every face.
func (w *witness) panels(f figures, all map[string]filled.Panel) {
	for face, p := range all {
		for name, n := range map[string]int{"what the window holds": p.Held.N, "the rest of every call": p.Tools, "the conversation": p.Said,
			"the free space": p.Free, "the growth": p.Growth, "calls": p.Calls, "the cache boundary": int(p.Cached),
			"where the host compacts": p.CompactsAt, "the largest message": p.Messages[0].Tokens.N, "bytes kept outside": int(p.Offloaded.Bytes),
			"what is compacted next": len(p.NextCuts)} {
			f.add(name+", in the panel of every face", face, n)
		}
	}
	w.t.Logf("the panel:\n%s\n%s", all["the panel"], all["the panel"].More())
}

// took reads what reads of files took in the agent's window, and what an artifact of them costs.
func (w *witness) took(f figures) {
	for _, name := range []string{"order/order.go", "docs/guide.md"} {
		q := fmt.Sprintf("the %s %s in the window", ledger.SourceFile, name) // as window reads it off the panel
		f.add(q, "the lens", w.find(`read .*, #(?: tokens)? in window`, w.lens(name).Title))
		f.add(q, "the hover of the lens", w.find(`by the followed session, # tokens in its window`, w.lens(name).Tooltip))
		var history struct {
			Reads []struct{ Tokens tokens.Count }
		}
		w.json(&history, "why", name)
		each := history.Reads[0].Tokens.N
		if len(history.Reads) == 1 {
			f.add(q, "ctxledger why --json", each)
		}
		f.add("a read of "+name, "ctxledger why --json", each)
		f.add("a read of "+name, "ctxledger why", w.find(`read +# tokens of the window`, string(run(w.t, w.box, "why", name))))
	}
	var kept struct {
		Artifacts []struct {
			ID     string
			Tokens tokens.Count
		}
	}
	w.json(&kept, "artifact")
	var tree struct{ Nodes []records.Node }
	if err := w.editor.Call(deadlined(w.t), "ctxledger/tree", map[string]any{"parent": "artifacts"}, &tree); err != nil {
		w.t.Fatal(err)
	}
	art, list := kept.Artifacts[0], string(run(w.t, w.box, "artifact"))
	f.add("the artifact", "ctxledger artifact --json", art.Tokens.N)
	f.add("the artifact", "ctxledger artifact", w.find(art.ID+`.* [0-9,]+ +# +`, list))
	f.add("the artifact", "the editor's tree", w.find(`# tokens`, tree.Nodes[0].Description))
}

// spent reads what the session cost so far, in ten-thousandths of a dollar, with its subagent, and what an audit of its files
// says.
func (w *witness) spent(f figures) {
	panel := w.context()
	var st struct{ Session ledger.Status }
	w.json(&st, "status", panel.Session)
	var tree struct{ Nodes []records.Node }
	if err := w.editor.Call(deadlined(w.t), "ctxledger/tree", map[string]any{"parent": "sessions"}, &tree); err != nil {
		w.t.Fatal(err)
	}
	at := slices.IndexFunc(tree.Nodes, func(n records.Node) bool { return n.Handle == panel.Session })
	if at < 0 {
		w.t.Fatalf("the tree lacks the session: %+v", tree.Nodes)
	}
	cents := func(pattern, text string) int {
		m := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if m == nil {
			w.t.Fatalf("%q is not in\n%.2000s", pattern, text)
		}
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			w.t.Fatal(err)
		}
		return int(100*n + 0.5)
	}
	const dollars = `\$([0-9]+\.[0-9]+)`
	q := "what the session cost, in cents"
	f.add(q, "ctxledger status --json", int(100**st.Session.Dollars+0.5))
	f.add(q, "ctxledger status", cents(`cost +`+dollars, string(run(w.t, w.box, "status", panel.Session))))
	f.add(q, "the panel", int(100**panel.Dollars+0.5))
	f.add(q, "the editor's tree", cents(`^`+dollars, tree.Nodes[at].Description))
	f.add(q, "the hover in the tree", cents(dollars+` at list prices`, tree.Nodes[at].Tooltip))
	text, err := (records.Reader{API: open(w.t, w.box), Now: time.Now()}).Text(deadlined(w.t),
		records.Address{Kind: records.KindSession, ID: panel.Session})
	if err != nil {
		w.t.Fatal(err)
	}
	f.add(q, "the editor's document", cents(dollars+` at list`, strings.ReplaceAll(text, `\$`, "$")))
	f.add(q, "ctxledger audit", cents(dollars+` at list prices`, string(run(w.t, w.box, "audit", w.box.Config))))
	var past struct{ Said string }
	w.command("audit", nil, &past)
	var other struct{ Session ledger.Status }
	w.json(&other, "status", codexID)
	q = "what both sessions cost, in cents"
	f.add(q, "ctxledger status --json", int(100*(*st.Session.Dollars+*other.Session.Dollars)+0.5))
	f.add(q, "ctxledger audit", cents(dollars+` at list prices`, string(run(w.t, w.box, "audit"))))
	f.add(q, "Your Sessions So Far", cents(dollars+` at list prices`, past.Said))
}

// ours reads what our own tools take of every request.
func (w *witness) ours(f figures) {
	var st struct {
		Session ledger.Status
		Cost    int `json:"server_cost"`
	}
	panel := w.context()
	w.json(&st, "status", panel.Session)
	tool, said := w.status()
	q := "our own tools in every request"
	f.add(q, "ctxledger status --json", st.Cost)
	f.add(q, "ctxledger status", w.find(`own cost +ctxledger's tools: # tokens`, string(run(w.t, w.box, "status", panel.Session))))
	f.add(q, "ctxledger context", w.find(`server ctxledger +#`, string(run(w.t, w.box, "context"))))
	f.add(q, "context_status", tool.Overhead)
	f.add(q, "context_status in words", w.find(`own tools cost #`, said))
	f.add(q, "MCP servers in the panel", category(panel.Own, "MCP servers"))
	f.add(q, "MCP servers in ctxledger status", category(st.Session.Own, "MCP servers"))
	q = "our own tools in all requests"
	f.add(q, "those of one, as often", st.Session.Requests*st.Cost)
	f.add(q, "ctxledger status", w.find(`ctxledger's tools took #`, string(run(w.t, w.box, "status", panel.Session))))
	f.add(q, "context_status in words", w.find(`ctxledger's tools took #`, said))
}

// fixedOf adds up what is in every request besides the conversation.
func fixedOf(all []ledger.Category) int {
	return category(all, ledger.CategoryFixed) + category(all, ledger.CategoryPrompt) + category(all, "memory files") +
		category(all, "MCP servers")
}

// partOf is category for the parts of a turn.
func partOf(all []ledger.Part, name string) (n int) {
	for _, p := range all {
		if p.Name == name {
			n += p.Tokens
		}
	}
	return n
}

// unchanged reads what is known of the files in every request only as long as they are as they were when the session began:
// which part of it they are, and what they have cost, in millionths of a dollar.
func (w *witness) unchanged(f figures) {
	cost := func(hosts []carried.Host) (sum float64) {
		hosts[0].Each(func(p *carried.Part) {
			if p.Kind == carried.Memory && p.Dollars != nil {
				sum += 1e6 * *p.Dollars
			}
		})
		return sum
	}
	var cli, view struct{ Hosts []carried.Host }
	w.json(&cli, "context")
	w.call("ctxledger/carried", "", nil, &view)
	tool, _ := w.status()
	q := "what the memory files have cost"
	f.add(q, "ctxledger context --json", int(cost(cli.Hosts)+0.5))
	f.add(q, "the view In Every Request", int(cost(view.Hosts)+0.5))
	f.add(q, "context_status", int(1e6*tool.Dollars+0.5))
	panel, page := w.context(), string(run(w.t, w.box, "context"))
	var st struct{ Session ledger.Status }
	w.json(&st, "status", panel.Session)
	for _, name := range []string{ledger.CategoryFixed, ledger.CategoryPrompt, "memory files"} {
		said := 0
		if regexp.MustCompile(number + " " + name).MatchString(page) {
			said = w.find(`# `+name, page)
		}
		f.add(name+" of every request", "ctxledger context", said)
		f.add(name+" of every request", "ctxledger status --json", category(st.Session.Own, name))
		f.add(name+" of every request", "the panel", category(panel.Own, name))
	}
}

// named checks that an audit calls the parts of requests what those of a window are called; reasoning is in "assistant" there.
func (w *witness) named() {
	w.t.Helper()
	known := []string{ledger.CategoryFixed, ledger.CategoryEarlier, report.Reasoning.String()}
	for c := window.User; c.String() != ""; c++ {
		known = append(known, c.String())
	}
	var audit struct{ Filled []report.Filled }
	w.json(&audit, "audit", w.box.Config)
	for _, f := range audit.Filled {
		if !slices.Contains(known, f.Class) {
			w.t.Errorf("ctxledger audit names %q, which no window has: %q", f.Class, known)
		}
	}
	if len(audit.Filled) == 0 {
		w.t.Error("ctxledger audit names no parts of requests")
	}
}

// sumOf adds up categories.
func sumOf(all []ledger.Category) (n int) {
	for _, c := range all {
		n += c.Tokens.N
	}
	return n
}

// lensCommand is what a lens shows.
type lensCommand struct{ Title, Tooltip string }

// lens returns the first lens of a file.
func (w *witness) lens(file string) lensCommand { return w.lensIn(w.editor, file) }

// lensIn is lens for one of the editors.
func (w *witness) lensIn(e *scriptededitor.Editor, file string) lensCommand {
	w.t.Helper()
	var all []struct{ Command lensCommand }
	w.callIn(e, "textDocument/codeLens", file, nil, &all)
	if len(all) == 0 {
		w.t.Fatalf("%s has no lens", file)
	}
	return all[0].Command
}

// hover returns what is said about a line.
func (w *witness) hover(file string, line int) string {
	w.t.Helper()
	var h struct{ Contents struct{ Value string } }
	w.call("textDocument/hover", file, map[string]any{"position": map[string]any{"line": line, "character": 3}}, &h)
	return h.Contents.Value
}

// command runs a command of the language server.
func (w *witness) command(name string, argument, result any) {
	w.t.Helper()
	params := map[string]any{"command": "ctxledger.server." + name, "arguments": []any{argument}}
	if err := w.editor.Call(deadlined(w.t), "workspace/executeCommand", params, result); err != nil {
		w.t.Fatalf("%s: %v", name, err)
	}
}

// span is the range of a section.
func (x section) span() map[string]any {
	lines := strings.Split(x.text, "\n")
	last := lines[len(lines)-1]
	r := span(x.line, x.line+len(lines)-1)
	r["end"].(map[string]any)["character"] = len(scriptededitor.NewBuffer(last))
	return r
}

// span is a range of whole lines.
func span(from, to int) map[string]any {
	at := func(line int) map[string]any { return map[string]any{"line": line, "character": 0} }
	return map[string]any{"start": at(from), "end": at(to)}
}
