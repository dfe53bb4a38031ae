package graph

import (
	"cmp"
	"maps"
	"sort"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

// Merge returns the document with the result of an operation in it, as the operation's mode and to say, and where the result
// is. The document itself stays as it is. A block that loses the name of its title is still found by that.
// Errors: not_found for a target that is not in the document; invalid for an operation that inserts nothing, or that
// replaces nothing.
func (d *Document) Merge(o *Operation, result string) (*Document, Span, error) {
	const op = "graph.merge"
	if !operations[o.Name].merges {
		return nil, Span{}, fault.New(fault.Invalid, op, "@%s inserts nothing", chars.Short(o.Name, 40))
	}
	t, ok := d.target(o)
	switch {
	case !ok:
		return nil, Span{}, fault.New(fault.NotFound, op, "there is no block %s", chars.Short(o.text("to"), 60))
	case t.block == nil && t.mode == "replace" && !d.fractalic():
		return nil, Span{}, fault.New(fault.Invalid, op, "replace without to would delete the operation").
			WithHint("name a block by to, or append")
	}
	content := t.content(o, result)
	at, text, was := t.at, content, ""
	if t.block != nil {
		at, text, content, was = d.into(t, content)
	}
	text, inserted := d.separated(at, text, content)
	out := d.Edit(at, text)
	if out.was = d.was; was != "" {
		out.was = renames(d.was, was, out.holder(inserted.From))
	}
	return out, inserted, nil
}

// target is where the result of an operation goes.
type target struct {
	mode  string
	block *Block // nil: to its operation
	below bool   // it is about what is below the block
	at    Span   // what a result with a heading takes the place of

	headed header // above the result, as far as it is known
}

// place returns what the result of an operation takes the place of; ok is false if it has none in the document.
func (d *Document) place(o *Operation) (at Span, ok bool) {
	if !operations[o.Name].merges {
		return Span{}, false
	}
	t, ok := d.target(o)
	return t.at, ok
}

// target finds where the result of an operation goes; ok is false if that is not in the document.
func (d *Document) target(o *Operation) (t target, ok bool) {
	t.mode = cmp.Or(o.text("mode"), "append")
	refs := o.references("to")
	if len(refs) == 0 {
		switch {
		case d.fractalic() && t.mode == "replace":
			t.at = o.At
		case d.fractalic() && t.mode == "prepend":
			t.at = Span{o.At.From, o.At.From}
		default:
			t.at = Span{o.At.To, o.At.To}
		}
		return t, true
	}
	x := d.Find(refs[0].Path).Block
	if x == nil {
		return t, false
	}
	t.block, t.below = x, refs[0].Below
	end := d.endOf(x)
	branch := end
	if i := sort.Search(len(d.Operations), func(i int) bool { return d.Operations[i].At.From >= x.Own.From }); i < len(
		d.Operations) {
		branch = min(end, d.Operations[i].At.From) // where it ends for Fractalic
	}
	switch {
	case t.mode == "replace" && t.below && d.fractalic():
		t.at = Span{x.Own.From, branch}
	case t.mode == "replace" && t.below:
		t.at = Span{x.Own.From, end}
	case t.mode == "replace":
		t.at = x.Own
	case t.mode == "prepend" && d.fractalic():
		t.at = Span{x.Own.From, x.Own.From}
	case t.mode == "prepend":
		t.at = Span{x.Own.To, x.Own.To}
	case d.fractalic() && t.below:
		t.at = Span{branch, branch}
	case d.fractalic():
		for s := range x.body {
			t.at = Span{s.To, s.To}
			break
		}
	default:
		t.at = Span{end, end}
	}
	return t, true
}

// endOf returns where a block ends with all below it.
func (d *Document) endOf(b *Block) int { return d.Blocks[b.end-1].Own.To }

// into returns the part of the document to replace when content goes into a block, the text to put there (what remains of the
// block, and the content), and the content as inserted. was is the name that the block may lose.
func (d *Document) into(t target, content string) (at Span, text, inserted, was string) {
	x := t.block
	headed := opensBlock(content)
	switch {
	case t.mode == "append" && !headed:
		return Span{x.Own.To, x.Own.To}, content, content, ""
	case t.mode == "prepend" && !headed:
		return Span{x.Heading().To, x.Heading().To}, content, content, ""
	case t.mode != "replace":
		return t.at, content, content, ""
	}
	at = Span{t.at.From, t.at.From + len(strings.TrimRight(d.In(t.at), " \t\r\n"))}
	parts := []string{content}
	switch {
	case t.below && !d.fractalic(): // the block itself stays
		return at, joined([]string{d.Text(x), content}, "\n\n"), content, ""
	case headed:
		content = withID(content, x.ID)
		parts[0] = content
		if x.ID == "" {
			was = x.Slug
		}
	default:
		parts = []string{d.In(x.Heading()), content}
	}
	if !t.below {
		for _, o := range x.Operations() {
			parts = append(parts, d.In(o.At))
		}
	}
	return at, joined(parts, "\n\n"), content, was
}

// opensBlock reports whether a text begins with a heading.
func opensBlock(text string) bool {
	marks, _ := marksOf([]byte(text))
	return len(marks) > 0 && marks[0].kind == atxHeading && marks[0].at.From == 0
}

// withID gives the heading at the beginning of a text an id, unless it has one of its own.
func withID(text, id string) string {
	marks, _ := marksOf([]byte(text))
	named := marks[0].headingNames
	if id == "" || named.ID != "" {
		return text
	}
	return text[:named.at.To] + " {id=" + id + "}" + text[named.at.To:]
}

// content returns the result of an operation as it is inserted: with the header, and its headings shifted.
func (t target) content(o *Operation, result string) string {
	result = strings.Trim(result, "\r\n")
	header, own := "", o.field("use-header") != nil
	switch {
	case o.Name != "llm" && o.Name != "shell": // of @run it is that of the input
	case own:
		header = o.text("use-header")
	default:
		header = operations[o.Name].header
	}
	if strings.EqualFold(header, "none") {
		header = ""
	}
	if !o.truth("header-auto-align") {
		return joined([]string{header, result}, "\n\n")
	}
	level := o.Block.Level
	if t.block != nil {
		if level = t.block.Level; t.mode == "replace" && !t.below {
			level--
		}
	}
	if own {
		return joined([]string{header, aligned(result, level+1)}, "\n\n")
	}
	return aligned(joined([]string{header, result}, "\n\n"), level+1)
}

// aligned shifts the headings of a text so that the least level becomes another one. None is deeper than 6.
func aligned(text string, least int) string {
	marks, _ := marksOf([]byte(text))
	first := maxLevel
	for _, m := range marks {
		if m.kind == atxHeading {
			first = min(first, m.Level)
		}
	}
	var b strings.Builder
	at := 0
	for _, m := range marks {
		if m.kind != atxHeading {
			continue
		}
		signs := m.at.From + strings.IndexByte(text[m.at.From:], '#')
		b.WriteString(text[at:signs])
		b.WriteString(strings.Repeat("#", max(1, min(maxLevel, m.Level+least-first))))
		at = signs + m.Level
	}
	return b.String() + text[at:]
}

// maxLevel is the deepest level of a heading.
const maxLevel = 6

// separated puts blank lines around a text that takes the place of another, where there are none, and returns where the content
// in it will be.
func (d *Document) separated(at Span, text, content string) (string, Span) {
	before, after := d.Source()[:at.From], d.Source()[at.To:]
	lineEnd := "\n"
	if strings.Contains(d.Source(), "\r\n") {
		lineEnd = "\r\n"
		same := strings.NewReplacer("\r\n", lineEnd, "\n", lineEnd)
		text, content = same.Replace(text), same.Replace(content)
	}
	space := func(text string) int { return max(0, 2-strings.Count(text, "\n")) }
	if left := strings.TrimRight(before, " \t\r\n"); left != "" && text != "" {
		text = strings.Repeat(lineEnd, space(before[len(left):])) + text
	}
	switch right := strings.TrimLeft(after, " \t\r\n"); {
	case text == "":
	case right != "":
		text += strings.Repeat(lineEnd, space(after[:len(after)-len(right)]))
	case !strings.Contains(after, "\n"):
		text += lineEnd
	}
	from := at.From + max(0, strings.Index(text, content))
	return text, Span{from, from + len(content)}
}

// holder returns the name of the block at an offset.
func (d *Document) holder(at int) string {
	i := sort.Search(len(d.Blocks), func(i int) bool { return d.Blocks[i].Own.From > at })
	return d.Blocks[max(0, i-1)].Name()
}

// renames returns the names that merges have changed, with one more: all lead to what a name is now.
func renames(all map[string]string, was, now string) map[string]string {
	out := maps.Clone(all)
	if out == nil {
		out = map[string]string{}
	}
	for name, to := range out {
		if folded(to) == folded(was) {
			out[name] = now
		}
	}
	out[folded(was)] = now
	delete(out, folded(now))
	return out
}
