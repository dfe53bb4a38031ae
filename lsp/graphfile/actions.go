package graphfile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/graph"
	"ctxledger.dev/internal/chars"
)

// Action is a change that somebody may want.
type Action struct {
	Title  string
	Edits  []Edit
	Choice bool // see graph.Fix

	advised string // the code of a finding whose message advises it
}

// Refactorings returns what can be done to the block and the operation at a byte, beside the fixes of findings.
func Refactorings(f File, offset int) (out []Action) {
	b, o := f.At(offset)
	add := func(advised, title string, edits []Edit) {
		if len(edits) > 0 {
			out = append(out, Action{title, edits, true, advised})
		}
	}
	if o != nil {
		for turns := 2; turns <= 4 && f.aboutTools(o, offset); turns++ {
			add("", fmt.Sprintf("Let the model call tools at most %d times", turns), f.capped(o, turns))
		}
		for _, m := range f.Mentions(o) {
			if m.At.From <= offset && offset <= m.At.To {
				add("CG505", "Name the blocks of "+called(f.In(m.At)), f.explicit(m))
			}
		}
		return out
	}
	if b.Level == 0 || b.System {
		return nil
	}
	add("CG501", "Summarize and replace, same id", f.summarized(b))
	add("", "Move to Source Notes", f.archived(b))
	if run := f.toolBlocks(b); len(run) > 1 {
		add("", fmt.Sprintf("Merge %d tool blocks", len(run)), f.merged(run))
	}
	return out
}

// aboutTools reports whether a byte is in a line that says which operation it is, or which tools it has.
func (f File) aboutTools(o *graph.Operation, offset int) bool {
	from, to := f.line(offset)
	_, tools := o.Value("tools")
	_, turns := o.Value("tools-turns-max")
	return from == o.At.From || from <= tools.From && tools.From <= to || from <= turns.From && turns.From <= to
}

// capped has an operation with tools use them at most so many times.
func (f File) capped(o *graph.Operation, turns int) []Edit {
	tools, at := o.Value("tools")
	if tools == "none" || at.Len() == 0 {
		return nil
	}
	const most = 4
	text := fmt.Sprint(turns)
	switch now, at := o.Value("tools-turns-max"); {
	case now == "":
		return []Edit{{graph.Span{From: o.At.To, To: o.At.To}, f.eol() + "tools-turns-max: " + text}}
	case now == text, len(now) == 1 && now[0] <= '0'+most:
		return nil
	default:
		return []Edit{{at, text}}
	}
}

// eol is the end of lines of the document.
func (f File) eol() string {
	if strings.Contains(f.Source(), "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// maxExplicit is how many blocks take the place of a reference to all of them.
const maxExplicit = 100

// explicit names the blocks that a reference selects.
func (f File) explicit(m graph.Mention) []Edit {
	cost, _ := f.Around.Costs.Of(m.Operation)
	if !m.Below || m.Elsewhere || m.Key != "block" || m.Operation.Name == "goto" ||
		slices.Contains(cost.Later, m.String()) {
		return nil
	}
	blocks := f.Select(m.Reference)
	names := make([]string, len(blocks))
	for i, b := range blocks {
		if names[i] = f.Reaches(b); names[i] == "" || f.named(m.Operation, b) {
			return nil
		}
	}
	if len(names) == 0 || len(names) > maxExplicit {
		return nil
	}
	at := f.Whole(m.Reference)
	from, _ := f.line(at.From)
	before := f.Source()[from:at.From]
	_, value := m.Operation.Value("block")
	switch {
	case strings.HasSuffix(before, "- "):
		return []Edit{{at, strings.Join(names, f.eol()+before)}}
	case strings.HasPrefix(f.In(value), "["):
		return []Edit{{at, strings.Join(names, ", ")}}
	default:
		return []Edit{{at, "[" + strings.Join(names, ", ") + "]"}}
	}
}

// named reports whether an operation names a block itself.
func (f File) named(o *graph.Operation, b *graph.Block) bool {
	return slices.ContainsFunc(o.Selects(), func(r graph.Reference) bool {
		return !r.Below && f.Find(r.Path).Block == b
	})
}

// summarized inserts an operation into a block that replaces what it says.
func (f File) summarized(b *graph.Block) (edits []Edit) {
	text := strings.TrimRight(f.In(b.Own), " \t\r\n")
	if b.Own.From+len(text) <= b.Heading().To || len(b.Operations()) > 0 {
		return nil
	}
	id := cmp.Or(b.ID, b.Slug)
	if !graph.IsID(id) || f.Find(id).Block != b || b.ID == "" && b.Malformed() {
		return nil
	}
	if b.ID == "" {
		edits = append(edits, Edit{graph.Span{From: b.Heading().To, To: b.Heading().To}, " {id=" + id + "}"})
	}
	header := strings.Repeat("#", b.Level) + " " + b.Title + " {id=" + id + "}"
	lines := []string{"", "", "@llm", "prompt: |", "  Summarize this block. Keep each decision, name, number and open question.",
		"block: " + id, "use-header: " + graph.Quoted(header), "mode: replace", "to: " + id}
	end := b.Own.From + len(text)
	if !blankAt(f.Source()[end:]) {
		lines = append(lines, "")
	}
	return append(edits, Edit{graph.Span{From: end, To: end}, strings.Join(lines, f.eol())})
}

// blankAt reports whether a text, from the end of a line on, goes on with a blank line, or with nothing.
func blankAt(rest string) bool {
	_, rest, _ = strings.Cut(rest, "\n")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(line) == ""
}

// sourceNotes is the id of the block that exploration is moved to, where no wildcard and no text before an operation has it.
const sourceNotes = "source-notes"

// worthMoving is from how many tokens on a block is offered to be moved that no tool has written.
const worthMoving = 1_000

// archived moves a block with all below it to the end of the document, below Source Notes. References to it go on leading to it.
func (f File) archived(b *graph.Block) []Edit {
	notes := f.Find(sourceNotes).Block
	blocks := append([]*graph.Block{b}, f.Below(b)...)
	tools, inside := false, false
	for _, x := range blocks {
		tools = tools || fromTools(f.In(x.Own))
		inside = inside || x == notes || len(x.Operations()) > 0
	}
	for up := b; up != nil; up = up.Parent {
		inside = inside || up == notes && notes != nil
	}
	if inside || !tools && f.Around.Costs.All(b) < worthMoving {
		return nil
	}
	level, end := 2, f.Len()
	intro := f.eol() + f.eol() + "# Source Notes {id=" + sourceNotes + "}" + f.eol() + f.eol()
	if notes != nil {
		if intro = f.eol() + f.eol(); notes.Level < 6 {
			level = notes.Level + 1
		}
		if below := f.Below(notes); len(below) > 0 {
			end = below[len(below)-1].Own.To
		} else {
			end = notes.Own.To
		}
	}
	whole := graph.Span{From: b.Own.From, To: blocks[len(blocks)-1].Own.To}
	var text strings.Builder
	at := whole.From
	for _, x := range blocks {
		signs := strings.IndexByte(f.In(x.Heading()), '#') + x.Heading().From
		text.WriteString(f.Source()[at:signs] + strings.Repeat("#", min(x.Level-b.Level+level, 6)))
		at = signs + x.Level
	}
	text.WriteString(f.Source()[at:whole.To])
	if whole.To == end {
		end = whole.From // it was the last one
	}
	end = len(strings.TrimRight(f.Source()[:end], " \t\r\n"))
	moved := intro + strings.TrimRight(text.String(), " \t\r\n")
	if !blankAt(f.Source()[end:]) {
		moved += f.eol()
	}
	edits := []Edit{{whole, ""}, {graph.Span{From: end, To: end}, moved}}
	if whole.From <= end && end < whole.To || f.losesReferences(edits) {
		return nil
	}
	return edits
}

// losesReferences reports whether a reference leads to another block after edits, or to none.
func (f File) losesReferences(edits []Edit) bool {
	return f.leadsElsewhere(edits, func(d *graph.Document, b *graph.Block) string {
		return strconv.Itoa(len(d.Below(b))) + strings.TrimLeft(d.Text(b), "# ")
	}) != ""
}

// fromTools reports whether a text is what tools were asked and answered.
func fromTools(text string) bool {
	return strings.Contains(text, "> TOOL RESPONSE, id:") || strings.Contains(text, "> TOOL CALL, id:")
}

// toolBlocks returns the blocks around one that follow each other below the same parent and that tools have written.
func (f File) toolBlocks(b *graph.Block) (run []*graph.Block) {
	plain := func(x *graph.Block) bool {
		return fromTools(f.In(x.Own)) && len(f.Below(x))+len(x.Operations()) == 0
	}
	all := slices.Collect(b.Parent.Children)
	at := slices.Index(all, b)
	first, last := at, at
	for first > 0 && plain(all[first-1]) {
		first--
	}
	for last+1 < len(all) && plain(all[last+1]) {
		last++
	}
	if !plain(b) {
		return nil
	}
	return all[first : last+1]
}

// merged takes the headings off all blocks but the first, unless a reference leads to one of them.
func (f File) merged(run []*graph.Block) (edits []Edit) {
	for _, b := range run[1:] {
		if len(Uses(f, Target{Document: f.Document, Block: b})) > 0 {
			return nil
		}
		end := b.Heading().To
		end += len(f.Source()[end:]) - len(strings.TrimLeft(f.Source()[end:], "\r\n"))
		edits = append(edits, Edit{graph.Span{From: b.Heading().From, To: end}, ""})
	}
	return edits
}

// Fixes returns the fixes of findings about a part of a document, by their code.
func Fixes(f File, found []graph.Finding, code string, at graph.Span) (out []Action) {
	for _, x := range found {
		switch {
		case x.Code != code || x.At != at:
		case x.Fix != nil:
			out = append(out, Action{chars.Line(x.Fix.Title), []Edit{{x.Fix.At, x.Fix.Text}}, x.Fix.Choice, ""})
		default:
			out = append(out, slices.DeleteFunc(Refactorings(f, at.From),
				func(a Action) bool { return a.advised != code })...)
		}
	}
	return out
}
