package graphfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/graph"
	"ctxledger.dev/internal/chars"
)

// Note is what is said of a part of a document: lines, and below them a text as it is.
type Note struct {
	graph.Span
	Text string // lines
	Body string // "": none
}

// How much of a text a note shows, in characters; of a block, and of all that an operation sends.
const (
	mostOfBlock  = 400
	mostOfPrompt = 4_000
)

// Hover returns the note for a byte: on the path of a block, in an operation, in a heading.
func Hover(f File, offset int) (Note, bool) {
	b, o := f.At(offset)
	if o == nil {
		if b.Level == 0 || offset < b.Heading().From || offset > b.Heading().To {
			return Note{}, false
		}
		return Note{Span: b.Heading(), Text: f.blockNote(b)}, true
	}
	for _, m := range f.Mentions(o) {
		if m.At.From <= offset && offset <= m.At.To {
			return f.mentionNote(m), true
		}
	}
	from, to := f.line(offset)
	note := Note{Span: graph.Span{From: from, To: to}}
	cost, sends := f.Around.Costs.Of(o)
	if !sends {
		note.Text = fmt.Sprintf("@%s sends nothing: %s", o.Name, f.Silent(o))
		return note, true
	}
	text, left := cut(plain(graph.Written(f.Request(o))), mostOfPrompt)
	note.Text, note.Body = f.costNote(cost), text
	if left > 0 {
		note.Text += fmt.Sprintf("\nbelow are the first %s characters of what it sends, %s more are left out; "+
			"ctxledger graph prompt prints all", chars.Commas(mostOfPrompt), chars.Commas(left))
	}
	return note, true
}

// Asking returns the operation at a byte that sends something, or else the next one in the same block, or the last; nil:
// there is none.
func Asking(f File, offset int) (o *graph.Operation) {
	b, _ := f.At(offset)
	for _, x := range b.Operations() {
		if _, sends := f.Around.Costs.Of(x); sends {
			if o = x; offset <= x.At.To {
				break
			}
		}
	}
	return o
}

// maxSenders is how many operations are named that send a block.
const maxSenders = 100

// Senders returns the operations that send the block at a byte.
func Senders(f File, offset int) (senders []*graph.Operation) {
	b, _ := f.At(offset)
	for _, o := range f.Operations {
		if len(senders) < maxSenders && f.Sends(o, b) {
			senders = append(senders, o)
		}
	}
	return senders
}

// Explain says what an operation sends, part by part, in lines.
func Explain(f File, o *graph.Operation) (graph.Cost, string) {
	cost, _ := f.Around.Costs.Of(o)
	return cost, f.costNote(cost)
}

// blockNote says what a block is, and who sends it.
func (f File) blockNote(b *graph.Block) string {
	own, all := f.Around.Costs.Size(b), f.Around.Costs.All(b)
	lines := []string{fmt.Sprintf("%s · %s", title(b), f.Said(own).Tokens())}
	if all > own {
		lines[0] += fmt.Sprintf(" · %s with all below it", f.Said(all).Tokens())
	}
	var by []string
	for _, o := range f.Operations {
		if f.Sends(o, b) {
			line, _ := f.Place(o.At.From)
			by = append(by, fmt.Sprintf("@%s on line %d", o.Name, line))
		}
	}
	switch more := len(by) - mostBlocks; {
	case b.System:
		lines = append(lines, "part of the system prompt of each @llm")
	case len(by) == 0:
		lines = append(lines, "no operation sends it")
	case more > 0:
		lines = append(lines, fmt.Sprintf("sent by %s, and %d more", strings.Join(by[:mostBlocks], ", "), more))
	default:
		lines = append(lines, "sent by "+strings.Join(by, ", "))
	}
	return strings.Join(append(lines, f.Meter.Counted()), "\n")
}

// mentionNote says what a reference leads to.
func (f File) mentionNote(m graph.Mention) Note {
	note := Note{Span: m.At}
	d := f.Document
	if m.Elsewhere {
		if d = f.other(m.Operation); d == nil {
			note.Text = "a block of a document that cannot be read"
			return note
		}
	}
	found := d.Find(m.Path)
	if found.Block == nil {
		note.Text = cmp.Or(chars.Line(d.Unreachable(found.Lost)), "there is no block "+called(found.Lost))
		if o := f.Around.Costs.Inserter(m.Path); o != nil && !m.Elsewhere {
			line, _ := f.Place(o.At.From)
			note.Text = fmt.Sprintf("@%s on line %d inserts this block when it runs", o.Name, line)
			if cost, _ := f.Around.Costs.Of(m.Operation); slices.Contains(cost.Lost, m.String()) {
				note.Text += ", which is not before this step: nothing is sent for it"
			}
		}
		return note
	}
	b := found.Block
	if m.Key == "block" && !m.Elsewhere && !m.Below {
		if by := f.Around.Costs.Replacer(b, m.Operation); by != nil {
			note.Text, note.Body = f.replacedNote(m, b, by)
			return note
		}
	}
	selected, n := d.Select(m.Reference), 0
	for _, x := range selected {
		n += f.Meter.Counter.Count(d.Text(x)).N
		if len(note.Body) < mostOfBlock {
			note.Body += d.Text(x) + "\n\n"
		}
	}
	if note.Text = title(b) + ": " + f.Said(n).Tokens(); m.Below {
		note.Text = fmt.Sprintf("all below %s: %s in %s", title(b), f.Said(n).Tokens(),
			chars.Plural(len(selected), "block"))
	}
	if m.Key == "block" && !m.Elsewhere {
		note.Text += f.laterNote(m)
	}
	note.Text += "\nfound by its " + foundBy[found.By]
	if found.More > 0 {
		note.Text += fmt.Sprintf(", as the first of %d", found.More+1)
	}
	note.Body, _ = cut(plain(strings.TrimSpace(note.Body)), mostOfBlock)
	return note
}

// foundBy says by what a reference finds its block.
var foundBy = map[graph.By]string{graph.ByID: "id", graph.BySlug: "heading",
	graph.ByLegacy: "heading, as Fractalic reads it", graph.ByKey: "key"}

// laterNote says what earlier steps do to the blocks of a reference before it is followed.
func (f File) laterNote(m graph.Mention) string {
	cost, _ := f.Around.Costs.Of(m.Operation)
	switch {
	case slices.Contains(cost.Lost, m.String()):
		return "\nan earlier step replaces this: what is there then is not known, and not counted"
	case slices.Contains(cost.Later, m.String()):
		return "\n+ what earlier steps write or change in it is not counted"
	}
	return ""
}

// replacedNote says by what an earlier step replaces a block: the old text would be taken for what is sent.
func (f File) replacedNote(m graph.Mention, b *graph.Block, by *graph.Operation) (text, body string) {
	line, _ := f.Place(by.At.From)
	text = fmt.Sprintf("%s: @%s on line %d replaces this", title(b), by.Name, line)
	cost, _ := f.Around.Costs.Of(m.Operation)
	id, d := f.Around.Costs.Gives(by), f.other(by)
	switch {
	case id != "" && !graph.Named(id, b.ID) && slices.Contains(cost.Lost, m.String()):
		return text + ", and the new one is " + id + ": nothing is sent for this", ""
	case by.Name != "import" || d == nil:
		return text + ": what is there then is not known, and not counted", ""
	}
	file, _ := by.Value("file")
	body = d.Source()
	for _, m := range f.Mentions(by) {
		if m.Elsewhere {
			body = ""
			for _, x := range d.Select(m.Reference) {
				body += d.Text(x) + "\n\n"
			}
		}
	}
	body, _ = cut(plain(strings.TrimSpace(body)), mostOfBlock)
	return text + " by the text below, from " + called(file) + ", which is not counted", body
}

// plain has a line feed at the end of each line.
func plain(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// other returns the document that an operation names; nil: it cannot be read.
func (f File) other(o *graph.Operation) *graph.Document {
	path, _ := o.Value("file")
	if f.Around.Read == nil || path == "" {
		return nil
	}
	d, err := f.Around.Read(f.Path, path)
	if err != nil {
		return nil
	}
	return d
}
