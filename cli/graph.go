package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/graph"
	"ctxledger.dev/graph/files"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/paths"
	"ctxledger.dev/internal/shell"
	"ctxledger.dev/tokens"
)

// graphCommand groups what is said of context graphs.
func graphCommand() command {
	return command{name: "graph", short: "Context graphs: what each step of a Markdown workflow will send", does: keeps,
		long: "A context graph is a Markdown document whose headings open blocks, and whose operations (@llm, " +
			"@shell, @import, @run, @return, @goto) say which blocks are sent to a model. These commands read one; " +
			"nothing in it is run. See docs/graph.md.",
		example: "ctxledger graph check workflow.md\nctxledger graph cost workflow.md"}
}

// graphFlags are the options of commands about a context graph.
type graphFlags struct{ model string }

func (f *graphFlags) define(fs *pflag.FlagSet) {
	fs.StringVar(&f.model, "model", "", "count for `MODEL` where an operation names none")
}

// openGraph is a document that a command is about.
type openGraph struct {
	*graph.Document
	reader  *files.Reader
	counter tokens.Counter
	options graph.Options
}

// on makes the function of a command about the document that its first argument names.
func (f *graphFlags) on(do func(a *action, g *openGraph, args []string) error) runner {
	return func(ctx context.Context, a *action, args []string) error {
		g, err := f.open(ctx, a, args[0])
		if err != nil {
			return err
		}
		defer g.reader.Close() // only read
		return do(a, g, args)
	}
}

// open opens the document of a path: below the workspace, or else below its own directory.
func (f *graphFlags) open(ctx context.Context, a *action, name string) (*openGraph, error) {
	at := a.absolute(name)
	root := filepath.Dir(at)
	c, tree, err := a.configured()
	if err != nil {
		return nil, err
	}
	if _, below := paths.Below(tree, at); below {
		root = tree
	}
	reader, err := files.Open(root, *c.Graph)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(root, at)
	if err != nil {
		return nil, fileError(name, err)
	}
	d, err := reader.Read("", filepath.ToSlash(rel))
	if err != nil {
		if _, named := errors.AsType[*fault.Error](err); !named {
			err = fileError(name, err)
		}
		return nil, &unread{err, *c.Graph}
	}
	counter, err := counterOf(ctx, a, f.model, "")
	if err == nil {
		err = sayUnknown(a, f.model, counter)
	}
	if err != nil {
		return nil, err
	}
	g := &openGraph{Document: d, reader: reader, counter: counter}
	g.options = reader.Options(d, c.Models, f.model, func(model string) tokens.Counter {
		of, _ := counterOf(ctx, a, model, "") // else without what was learnt
		return of
	})
	return g, nil
}

// unread is the error of a document that cannot be read.
type unread struct {
	error
	settings graph.Settings
}

// Unwrap returns why.
func (u *unread) Unwrap() error { return u.error }

// graphFinding is a finding with its place in the file.
type graphFinding struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	graph.Finding
}

func graphCheckCommand() command {
	var f graphFlags
	return command{
		name: "graph check", args: "FILE…", short: "Say what is wrong with context graphs, and what they waste",
		long: "Checks the structure, ids, operations, references and flow of each FILE, and what its operations " +
			"send. Each finding has a stable code, explained in docs/graph.md; <!-- ctx-disable-next-line CODE --> " +
			"silences one on the next line. The exit status is 1 if there is an error.",
		example: "ctxledger graph check workflow.md",
		does:    keeps, json: answers([]graphFinding{}), flags: f.define,
		run: func(ctx context.Context, a *action, args []string) error {
			found, none := []graphFinding{}, []unstepped{}
			for _, name := range args {
				err := f.on(func(_ *action, g *openGraph, _ []string) error {
					if !g.IsGraph() {
						none = append(none, unstepped{name, g.Like()})
						return nil
					}
					found = append(found, g.check(name)...)
					return nil
				})(ctx, a, []string{name})
				if u, is := errors.AsType[*unread](err); is {
					for _, x := range u.settings.Unread(u) {
						found = append(found, graphFinding{name, 1, 1, x})
					}
					continue
				}
				if err != nil {
					return err
				}
			}
			if err := a.answer(found, func(w io.Writer) { printGraphFindings(a, w, found, none) }); err != nil {
				return err
			}
			if wrong := severe(found, graph.Error); wrong > 0 {
				return fault.New(fault.Invalid, "cli.graph", "%s", chars.Plural(wrong, "error"))
			}
			return nil
		},
	}
}

// severe counts the findings of a severity.
func severe(found []graphFinding, s graph.Severity) (n int) {
	for _, x := range found {
		if x.Severity == s {
			n++
		}
	}
	return n
}

// check returns what is wrong with the document of a name.
func (g *openGraph) check(name string) (found []graphFinding) {
	for _, x := range graph.Check(g.Document, g.options) {
		line, column := g.Place(x.At.From)
		found = append(found, graphFinding{name, line, column, x})
	}
	return found
}

// sayFindings says that figures may not hold, as the document of a name has errors or warnings. It is an error where graph
// check has one.
func sayFindings(a *action, name string, found []graphFinding) error {
	hint := "`ctxledger graph check " + shell.Quote(name) + "` lists them"
	if n := severe(found, graph.Error); n > 0 {
		return fault.New(fault.Invalid, "cli.graph", "%s has %s", name, chars.Plural(n, "error")).WithHint("%s", hint)
	}
	if n := severe(found, graph.Warning); n > 0 {
		a.say("%s has %s", name, chars.Plural(n, "warning"))
		a.hint("%s", hint)
	}
	return nil
}

// unstepped is a file without operations, and the line that may be meant to be one; 0: none.
type unstepped struct {
	name string
	like int
}

func printGraphFindings(a *action, w io.Writer, found []graphFinding, none []unstepped) {
	for _, x := range found {
		fmt.Fprintf(w, "%s:%d:%d: %s %s: "+
			"%s\n", columns.OneLine(x.File), x.Line, x.Column, x.Severity, x.Code, a.line(x.Message, 1000))
		if x.Fix != nil {
			fmt.Fprintf(w, "  fix: %s\n", a.line(x.Fix.Title, 200))
		}
	}
	for _, f := range none {
		fmt.Fprintf(w, "%s has no operations: nothing is sent\n", a.line(f.name, 1000))
		like := ""
		if f.like > 0 {
			like = fmt.Sprintf("line %d may be meant to be one; ", f.like)
		}
		fmt.Fprintf(w, "  %san operation is @llm alone on its line, not indented, and parameters right below it: prompt: Sum up\n",
			like)
	}
	if len(found)+len(none) == 0 {
		fmt.Fprintln(w, "nothing to say")
	}
}

// graphCost is what an operation of a document sends.
type graphCost struct {
	Line      int    `json:"line"`
	Operation string `json:"operation"`
	Block     string `json:"block,omitempty"` // that contains it
	Total     int    `json:"total"`
	graph.Cost
}

// graphBlock is a block that operations send.
type graphBlock struct {
	Block  string `json:"block"`
	Line   int    `json:"line"`
	Tokens int    `json:"tokens"`
	SentBy int    `json:"sent_by"` // operations
	InAll  int    `json:"in_all"`  // tokens, of all times that it is sent
	Exact  bool   `json:"exact"`   // so counts each model's own tokenizer
}

// graphCosts is what the command graph cost answers.
type graphCosts struct {
	Model      string       `json:"model,omitempty"`
	Encoding   string       `json:"encoding"`
	Exact      bool         `json:"exact"`
	Operations []graphCost  `json:"operations"`
	Total      int          `json:"total"`
	Elsewhere  bool         `json:"elsewhere,omitempty"` // documents that are imported or run send something, too
	Endless    bool         `json:"endless,omitempty"`   // a loop has no end: Total is what one pass sends
	Blocks     []graphBlock `json:"blocks"`              // that cost most, all times together
	calls      string
	rest       string
}

func graphCostCommand() command {
	var f graphFlags
	return command{
		name: "graph cost", args: "FILE", short: "Show what each operation of a context graph sends",
		long: "Counts what each operation sends as the document stands: system prompt, selected blocks, the text " +
			"before it, and prompt. Results that operations insert while it runs are not in these figures.",
		example: "ctxledger graph cost workflow.md --model gpt-5",
		does:    keeps, json: answers(graphCosts{}), flags: f.define,
		run: f.on(func(a *action, g *openGraph, args []string) error {
			if !g.IsGraph() {
				none := []unstepped{{args[0], g.Like()}}
				return a.answer(g.noCosts(), func(w io.Writer) { printGraphFindings(a, w, nil, none) })
			}
			costs, found := g.costs(), g.check(args[0])
			if err := a.answer(costs, func(w io.Writer) { printGraphCosts(a, w, costs) }); err != nil {
				return err
			}
			return sayFindings(a, args[0], found)
		}),
	}
}

// maxGraphBlocks is how many blocks the costs name.
const maxGraphBlocks = 10

// noCosts is the answer for a document whose operations send nothing.
func (g *openGraph) noCosts() graphCosts {
	return graphCosts{Model: g.counter.Model(), Encoding: g.counter.Encoding().String(), Exact: g.counter.Exact(),
		Operations: []graphCost{}, Blocks: []graphBlock{}}
}

func (g *openGraph) costs() graphCosts {
	out := g.noCosts()
	all := g.Costs(g.options)
	out.Elsewhere, out.Endless, out.calls, out.rest = all.Elsewhere(), all.Endless(), all.Calls(), all.Rest()
	for _, c := range all.Operations {
		line, _ := g.Place(c.Operation.At.From)
		row := graphCost{Line: line, Operation: c.Operation.Name, Total: c.Total(), Cost: c}
		if c.Operation.Block.Level > 0 {
			row.Block = c.Operation.Block.URI()
		}
		out.Operations = append(out.Operations, row)
		if row.Operation == "llm" { // others hand it on
			out.Total += row.Total * c.Times
		}
	}
	for _, b := range g.Blocks {
		if all.Sent(b) > 0 {
			line, _ := g.Place(b.Own.From)
			name := "text before the first heading"
			if b.Level > 0 {
				name = b.URI()
			}
			once, sum := all.InAll(b)
			out.Blocks = append(out.Blocks, graphBlock{name, line, once.N, all.Sent(b), sum.N, sum.Exact})
		}
	}
	slices.SortStableFunc(out.Blocks, func(a, b graphBlock) int { return cmp.Compare(b.InAll, a.InAll) })
	out.Blocks = out.Blocks[:min(len(out.Blocks), maxGraphBlocks)]
	return out
}

func printGraphCosts(a *action, w io.Writer, c graphCosts) {
	if len(c.Operations) == 0 {
		fmt.Fprintln(w, "no operation sends anything"+c.rest)
		return
	}
	t := a.newTable(">LINE", "OPERATION", ">TOKENS", ">SYSTEM", ">BLOCKS", ">BEFORE IT", ">PROMPT", "IN BLOCK")
	var costs []graph.Cost
	all, named := graph.Cost{Exact: true}, false
	for _, o := range c.Operations {
		said := func(n int, grows, lost bool) string {
			text := o.Said(n).String()
			if grows {
				text += " +"
			}
			if lost {
				text += " ?"
			}
			return text
		}
		all.Exact, named = all.Exact && (o.Exact || o.Operation != "llm"), named || o.Model != ""
		costs = append(costs, o.Cost)
		name := strings.TrimRight("@"+o.Operation+" "+strings.Join(o.Marks(), ", "), " ")
		t.Add(strconv.Itoa(o.Line), name, said(o.Total, false, false),
			said(o.System, false, false), said(o.Selected, len(o.Later) > 0, len(o.Lost) > 0),
			said(o.Ambient, o.Grows, false), said(o.Prompt, false, false), o.Block)
	}
	t.Print(w)
	for _, line := range graph.Legend(costs...) {
		fmt.Fprintln(w, a.line(line, 600))
	}
	base := "in " + c.Encoding
	if c.Model != "" {
		base = "for " + a.line(c.Model, columns.CellWidth)
	}
	counted := "counted " + base
	if named {
		counted = "counted for the model that each names, else " + base
	}
	fmt.Fprintf(w, "%s %s, %s%s\n", c.calls, all.Said(c.Total).Tokens(), counted, c.rest)
	if len(c.Blocks) == 0 {
		return
	}
	fmt.Fprintln(w)
	t = a.newTable(">LINE", "BLOCK", ">TOKENS", ">SENT BY", ">IN ALL")
	for _, b := range c.Blocks {
		n := func(n int) string { return tokens.Count{N: n, Exact: b.Exact}.String() }
		t.Add(strconv.Itoa(b.Line), b.Block, n(b.Tokens), strconv.Itoa(b.SentBy), n(b.InAll))
	}
	t.Print(w)
}

// graphPrompt is what the command graph prompt answers.
type graphPrompt struct {
	Line      int             `json:"line"`
	Operation string          `json:"operation"`
	Messages  []graph.Message `json:"messages"`
	Tokens    int             `json:"tokens"`
	Exact     bool            `json:"exact"`
	Later     []string        `json:"later,omitempty"`
	Grows     bool            `json:"grows,omitempty"`
	Lost      []string        `json:"lost,omitempty"`
	Media     []string        `json:"media,omitempty"`
	Times     int             `json:"times,omitempty"` // it is sent, as in graph cost
	Tools     bool            `json:"tools,omitempty"`
	Turns     int             `json:"turns,omitempty"`
	Nothing   string          `json:"nothing,omitempty"` // why nothing is sent
}

func graphPromptCommand() command {
	var f graphFlags
	return command{
		name: "graph prompt", args: "FILE OPERATION", short: "Print exactly what one operation sends",
		long: "OPERATION is the line on which it stands, or the path of the block that contains it and no other. Each message begins with a " +
			"line that names its role; the last lines say what is not known before it runs. Nothing is masked: these " +
			"are the document's own bytes.",
		example: "ctxledger graph prompt workflow.md 12\nctxledger graph prompt workflow.md ask",
		does:    keeps, json: answers(graphPrompt{}), flags: f.define,
		run: f.on(func(a *action, g *openGraph, args []string) error {
			o, err := g.Operation(args[1])
			if err != nil {
				return err
			}
			line, _ := g.Place(o.At.From)
			cost, sends := g.Costs(g.options).Of(o)
			out := graphPrompt{Line: line, Operation: o.Name, Messages: g.Request(o), Tokens: cost.Total(),
				Exact: cost.Exact, Later: cost.Later, Grows: cost.Grows, Lost: cost.Lost,
				Media: cost.Media, Times: cost.Times, Tools: cost.Tools, Turns: cost.Turns}
			var b strings.Builder
			if !sends {
				out.Nothing = g.Silent(o)
				fmt.Fprintf(&b, "--- @%s on line %d sends nothing: %s\n", columns.OneLine(o.Name), line, out.Nothing)
			}
			if a.json {
				return a.answerExact(out)
			}
			for _, m := range out.Messages {
				fmt.Fprintf(&b, "--- %s\n%s\n\n", columns.OneLine(m.Head()), m.Text)
			}
			for _, line := range graph.Legend(cost) {
				fmt.Fprintf(&b, "--- %s\n", columns.OneLine(line))
			}
			if sends {
				fmt.Fprintf(&b, "--- %s%s\n", cost.Said(cost.Total()).Tokens(), cost.Again())
			}
			return a.write([]byte(b.String()))
		}),
	}
}

func graphTreeCommand() command {
	var f graphFlags
	return command{
		name: "graph tree", args: "FILE", short: "Show the blocks and operations of a context graph, with their sizes",
		long: "Shows each block with its own tokens and those of all below it, by the names that references use, " +
			"and each operation with what it sends.",
		example: "ctxledger graph tree workflow.md",
		does:    keeps, json: answers([]*graph.Node{}), flags: f.define,
		run: f.on(func(a *action, g *openGraph, _ []string) error {
			nodes := g.Tree(g.Blocks[0], g.Costs(g.options)).Nodes
			return a.answer(nodes, func(w io.Writer) {
				if len(nodes) == 0 {
					fmt.Fprintln(w, "no blocks and no operations")
					return
				}
				t := a.newTable(">LINE", ">TOKENS", ">WITH ALL BELOW", "BLOCK OR OPERATION")
				g.print(t, nodes, 0)
				t.Print(w)
			})
		}),
	}
}

// print adds nodes to a table.
func (g *openGraph) print(t *columns.Table, nodes []*graph.Node, deep int) {
	for _, n := range nodes {
		all := ""
		if n.Kind == "block" {
			all = n.Said(n.All).String()
		}
		t.AddSafe(strconv.Itoa(n.Line), n.Said(n.Tokens).String(), all,
			strings.Repeat("  ", deep)+columns.OneLine(n.Name))
		g.print(t, n.Nodes, deep+1)
	}
}
