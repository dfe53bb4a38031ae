package graph

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/yamldoc"
)

// IsGraph reports whether a document has an operation with parameters, or seems meant to have one: a name that is nearly one, with
// a parameter of that below it; or a line that would begin a known operation, with a parameter below it, right after text or in
// code or a comment that is never closed. A known name alone or above prose may be a mention, as any other name may be.
func (d *Document) IsGraph() bool {
	return slices.ContainsFunc(d.Operations, d.means) || slices.ContainsFunc(d.marks, func(m mark) bool {
		end := m.at.To
		if (m.kind == fenceMark || m.kind == htmlMark) && m.open {
			end = d.Len()
		}
		return (m.kind == textMark || m.open) && len(meant(d.In(Span{m.at.From, end}), false)) > 0
	})
}

// means reports whether an operation is one, not a mention.
func (d *Document) means(o *Operation) bool {
	own, known := operations[o.Name]
	spec := operations[near(o.Name, sorted(operations))]
	lines := strings.Split(d.In(o.At), "\n")[1:]
	if strings.TrimSpace(strings.Join(lines, "")) == "" { // a blank line may have ended it too early
		next, _, _ := strings.Cut(strings.TrimLeft(d.In(o.behind()), " \t\r\n"), "\n")
		return known && own.takes(next)
	}
	return slices.ContainsFunc(lines, func(line string) bool {
		line = strings.TrimLeft(line, " \t")
		return known && isKeyLine(line) || spec.takes(line)
	})
}

// meantLine is a line that would begin a known operation.
type meantLine struct {
	Span
	name, rest string // rest is the text after the name
	maybe      bool   // it may also be about the operation
}

// letters are those of the names of operations.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// takes reports whether a line has a parameter of the operation.
func (s operationSpec) takes(line string) bool {
	key, _, _ := strings.Cut(line, ":")
	_, known := s.keys[strings.TrimRight(key, " \t")]
	return known && isKeyLine(line)
}

// evident returns the parameter that a text after the name of an operation is, or evidently means: one with an equals sign, or
// the document; "": none.
func (s operationSpec) evident(text string) string {
	key, value, equal := strings.Cut(text, "=")
	_, known := s.keys[strings.TrimSpace(key)]
	_, reads := s.keys["file"]
	switch {
	case s.takes(text):
		return text
	case equal && known:
		return strings.TrimSpace(key) + ": " + strings.TrimSpace(value)
	case reads && isDocument(text) && !strings.ContainsAny(text, " \t"):
		return "file: " + text
	}
	return ""
}

// meant returns the lines of a text that would begin a known operation: its name, and a parameter in the next line; the name, text
// after it, and a parameter of that operation in the next line; or the name and such a parameter in one line. In a document with
// operations that parameter may be written another way, and a paragraph that begins with a name may be meant, too: in others it may be
// about something else.
func meant(text string, operating bool) (out []meantLine) {
	steps := 0 // where the lines end that each may be a step, from the first on
	for at := 0; at < len(text); {
		line, below, _ := strings.Cut(text[at:], "\n")
		end := at + len(line) + 1
		next, _, _ := strings.Cut(strings.TrimLeft(below, " \t"), "\n")
		line = strings.TrimRight(line, "\r")
		name := strings.TrimPrefix(line, "@")
		rest := strings.TrimLeft(name, letters)
		name = name[:len(name)-len(rest)]
		spec, known := operations[strings.ToLower(name)]
		maybe := at == steps && rest != "" && strings.IndexByte(" \t:([{=\"", rest[0]) >= 0
		rest = strings.Trim(rest, " \t")
		sure := isKeyLine(next) && (rest == "" || spec.takes(next)) || spec.takes(rest) ||
			operating && spec.evident(rest) != ""
		if known && line[0] == '@' && (sure || operating && maybe) {
			out = append(out, meantLine{Span{at, at + len(line)}, name, rest, !sure})
			steps = end
		}
		at = end
	}
	return out
}

// looksLikeOperation checks a paragraph for lines that look like operations, where none can begin.
func (c *checker) looksLikeOperation(m mark) {
	all := meant(c.d.In(m.at), len(c.d.Operations) > 0)
	if len(all) == 0 {
		c.hidden(m)
	}
	for _, l := range all {
		switch line := l.moved(m.at.From); {
		case l.rest != "":
			f := c.add("CG202", Error, line,
				fmt.Sprintf("text after @%s: an operation's name is alone on its line, parameters are below it", l.name))
			f.Fix = c.alone(l, line, c.d.In(Span{line.To, m.at.To}))
			if l.maybe {
				f.Message = fmt.Sprintf("this is text, and does nothing: for a step, write @%s alone on its line, and below it %s: …",
					l.name, strings.Join(operations[strings.ToLower(l.name)].needs, ": … or "))
				f.Severity = Information
				if strings.IndexByte(`:([{="`, l.rest[0]) >= 0 { // no sentence goes on so
					f.Severity = Warning
				}
			}
		case l.From > 0, !c.blankAbove(line.From): // in a paragraph, or behind a comment, a rule, a fence or a list
			c.add("CG206", Error, line,
				fmt.Sprintf("no blank line before @%s: this is text, and does nothing", l.name)).Fix =
				&Fix{Title: "Insert a blank line", At: Span{line.From, line.From}, Text: "\n"}
		}
	}
}

// alone returns the fix for text after the name of an operation, which is a parameter or the prompt; nil: that is not evident.
func (c *checker) alone(l meantLine, line Span, below string) *Fix {
	spec, text := operations[strings.ToLower(l.name)], strings.TrimSpace(strings.TrimPrefix(l.rest, ":"))
	if inner, closed := strings.CutSuffix(text, ")"); closed && strings.HasPrefix(text, "(") {
		text = strings.TrimSpace(inner[1:])
	}
	_, key := spec.keys[text]
	parameter := cmp.Or(spec.evident(text), "prompt: "+Quoted(strings.Trim(text, `"`)))
	if _, blocks := spec.keys["block"]; blocks && l.maybe && c.d.Find(text).Block != nil {
		parameter = "block: " + text
	}
	name, _, _ := strings.Cut(parameter, ":")
	switch {
	case l.maybe && (strings.TrimSpace(below) != "" || !slices.Contains(spec.needs, name)),
		!c.blankAbove(line.From), key, strings.HasPrefix(text, "-"), strings.ContainsAny(text, "()[]{}"):
		return nil
	case text == "":
		return &Fix{Title: "Write @" + l.name, At: line, Text: "@" + l.name}
	case !spec.takes(parameter), strings.Contains(below, "\n"+name+":"):
		return nil
	}
	if _, err := yamldoc.Fields([]byte(parameter)); err != nil {
		return nil
	}
	return &Fix{Title: "Write " + name + " below it", At: line, Text: "@" + l.name + "\n" + parameter}
}

// blankAbove reports whether the line above one that begins at an offset is blank, or there is none.
func (c *checker) blankAbove(at int) bool {
	above, ok := c.before(Span{at, at})
	return !ok || strings.TrimSpace(c.d.In(above)) == ""
}

// operation checks one operation, and the lines around it.
func (c *checker) operation(o *Operation) {
	if kept := o.own.alone.Load(); kept != nil {
		for _, f := range *kept {
			c.found = append(c.found, f.moved(o.At.From))
		}
	} else {
		n := len(c.found)
		c.itself(o)
		kept := make([]Finding, 0, len(c.found)-n)
		for _, f := range c.found[n:] {
			kept = append(kept, f.moved(-o.At.From))
		}
		o.own.alone.Store(&kept)
	}
	if _, known := operations[o.Name]; known {
		c.placed(o)
		c.behind(o)
		c.model(o)
	}
}

// model checks that there is the model which an operation names.
func (c *checker) model(o *Operation) {
	if model := o.text("model"); model != "" && c.o.Known != nil && !c.o.Known(model) {
		f := c.add("CG216", Error, o.field("model").Value,
			fmt.Sprintf("settings.toml has no model %s, and ctxledger knows none", chars.Short(model, 60)))
		if n := near(model, c.o.Models); n != "" {
			f.Message += "; did you mean " + n + "?"
			f.Fix = &Fix{Title: "Write " + n, At: f.At, Text: n}
		}
	}
}

// itself checks an operation by itself: what it finds is kept while its text stays.
func (c *checker) itself(o *Operation) {
	spec, known := operations[o.Name]
	if !known {
		f := c.add("CG201", Error, o.NameAt, "there is no operation @"+chars.Short(o.Name, 40))
		if n := near(o.Name, sorted(operations)); n != "" {
			f.Message += "; did you mean @" + n + "?"
			f.Fix = &Fix{Title: "Write @" + n, At: o.NameAt, Text: n}
		}
		return
	}
	c.continued(o)
	c.secret(o)
	seen := map[string]bool{}
	for i := range o.Fields {
		f := &o.Fields[i]
		if seen[f.Key] {
			c.add("CG209", Error, f.At, "the parameter "+f.Key+" is given twice")
		}
		seen[f.Key] = true
		c.parameter(o, spec, f)
	}
	if o.lacks() && !slices.ContainsFunc(o.Fields, func(f Field) bool { // which is said already
		_, known := spec.keys[f.Key]
		return !known && slices.Contains(spec.needs, near(f.Key, sorted(spec.keys)))
	}) {
		c.add("CG213", Error, o.NameAt, fmt.Sprintf("@%s needs %s", o.Name, strings.Join(spec.needs, " or ")))
	}
	if o.text("mode") == "replace" && o.field("to") == nil && spec.merges && !c.d.fractalic() {
		c.add("CG217", Error, o.field("mode").Value,
			"replace without to would delete this operation: name the block, or append").Fix =
			set(o, "Append", "mode", "append")
	}
	if o.Name == "llm" && o.field("context") != nil && o.field("block") != nil {
		c.add("CG215", Hint, o.field("context").At, "context has no effect where block says what is sent").Fix =
			c.removed(o.field("context"))
	}
}

// placed checks the lines around an operation.
func (c *checker) placed(o *Operation) {
	before, ok := c.before(c.line(o.At.From))
	if !ok || strings.TrimSpace(c.d.In(before)) == "" || before.From < c.d.Front.To {
		return
	}
	blank := &Fix{Title: "Insert a blank line", At: Span{o.At.From, o.At.From}, Text: "\n"}
	if o.Index > 0 && before.To <= c.d.Operations[o.Index-1].At.To && before.From >= c.d.Operations[o.Index-1].At.From {
		c.add("CG207", Error, o.NameAt, "no blank line ends the operation before this one").Fix = blank
		return
	}
	c.add("CG206", Hint, o.NameAt, "no blank line before this operation: Fractalic takes it for text").Fix = blank
}

// secret checks whether a parameter has what looks like a secret.
func (c *checker) secret(o *Operation) {
	for i := range o.Fields {
		if f := &o.Fields[i]; len(c.secrets.Find([]byte(f.text()))) > 0 {
			c.add("CG409", Warning, f.Value, "this looks like a secret, and would be sent or stored")
		}
	}
}

// continued checks the lines of an operation.
func (c *checker) continued(o *Operation) {
	for line := c.line(o.At.From); c.after(line) < o.At.To; {
		line = c.line(c.after(line))
		quoted := slices.ContainsFunc(o.Fields, func(f Field) bool {
			return f.Value.From < line.From && line.From < f.Value.To &&
				strings.ContainsRune(`"'`, rune(c.d.In(Span{f.Value.From, f.Value.From + 1})[0]))
		})
		if text := c.d.In(line); strings.HasPrefix(text, "#") && !quoted && !disabled().MatchString(text) {
			f := c.add("CG208", Warning, line, "this is a comment of the operation, not a heading")
			if !slices.ContainsFunc(o.Fields, func(f Field) bool { return f.At.From > line.From }) {
				f.Message += ", which needs a blank line before it"
				f.Fix = &Fix{Title: "Insert a blank line", At: Span{line.From, line.From}, Text: "\n"}
			}
		}
	}
}

// behind checks the text between an operation and what comes next: it may be meant for the operation.
func (c *checker) behind(o *Operation) {
	behind := o.behind()
	text := strings.TrimLeft(c.d.In(behind), " \t\r\n")
	for text != "" && disabled().MatchString(c.d.In(c.line(behind.To-len(text)))) {
		_, text, _ = strings.Cut(text, "\n")
		text = strings.TrimLeft(text, " \t\r\n")
	}
	if text == "" {
		return
	}
	first, said := c.line(behind.To-len(text)), false
	marks := c.d.marks
	for _, m := range marks[sort.Search(len(marks), func(i int) bool { return marks[i].at.From >= behind.From }):] {
		if m.at.From >= behind.To {
			break
		}
		line := c.line(m.at.From)
		if m.kind == textMark && line == first {
			all := meant(c.d.In(m.at), true)
			said = len(all) > 0 && all[0].From == 0 // that it is meant to be one
		}
		name, _, _ := strings.Cut(c.d.In(line), ":")
		_, known := operations[o.Name].keys[name]
		if m.kind != textMark || !known || !isKeyLine(c.d.In(line)) {
			continue
		}
		f := c.add("CG211", Warning, line, fmt.Sprintf("this is text: a blank line above has ended @%s", o.Name))
		if line == first {
			said = true
		}
		if line == first && o.field(name) == nil {
			f.Fix = &Fix{Title: "Move it into the operation", At: Span{o.At.To, line.From}, Text: "\n"}
		}
	}
	if !said {
		c.add("CG205", Warning, first, "text after an operation belongs to the block; "+c.drops())
	}
}

// parameter checks a parameter's name and value.
func (c *checker) parameter(o *Operation, spec operationSpec, f *Field) {
	p, known := spec.keys[f.Key]
	if !known && (f.Key == "to" || f.Key == "mode") {
		c.add("CG219", Warning, f.At, fmt.Sprintf("@%s inserts nothing: %s has no effect", o.Name, f.Key)).Fix =
			c.removed(f)
		return
	}
	if !known {
		x := c.add("CG203", Warning, f.At,
			fmt.Sprintf("@%s has no parameter %s: it is ignored", o.Name, chars.Short(f.Key, 40)))
		if n := near(f.Key, sorted(spec.keys)); n != "" && o.field(n) == nil {
			x.Message += "; did you mean " + n + "?"
			x.Fix = &Fix{Title: "Write " + n, At: f.At, Text: n}
		}
		return
	}
	if f.null {
		if !c.swallowed(f) && (p.kind == blockKind || p.kind == blocksKind) {
			c.add("CG304", Warning, f.At, f.Key+" has no value: this is as if it were not there")
		}
		return
	}
	c.signed(f)
	if wants := p.kind.refuses(f); wants != "" {
		x := c.add("CG212", Error, f.Value, fmt.Sprintf("%s is %s", f.Key, wants))
		n := near(f.text(), p.kind.values())
		if text := strings.ToLower(f.text()); p.kind == boolKind {
			n = cmp.Or(map[string]string{"yes": "true", "on": "true", "no": "false", "off": "false"}[text], n)
		}
		if n != "" {
			x.Fix = &Fix{Title: "Write " + n, At: f.Value, Text: n}
		}
		return
	}
	switch text := f.text(); {
	case p.kind == textKind && c.commented(f):
	case f.Key == "use-header" && text != "" && !strings.EqualFold(text, "none") && !strings.Contains(text, "#"):
		heading := Quoted("# " + text)
		c.add("CG212", Warning, f.Value, "this is no heading, and opens no block: a reference cannot lead there").Fix =
			&Fix{Title: "Write " + heading, At: f.Value, Text: heading, Choice: true}
	case p.kind == toolsKind && strings.Contains(text, ","):
		list := "[" + text + "]"
		c.add("CG214", Hint, f.Value, "read as the list "+list+"; Fractalic takes it for one name").Fix =
			&Fix{Title: "Write the list", At: f.Value, Text: list}
	case o.Name == "goto" && f.Key == "block" && slices.ContainsFunc(o.block, func(r Reference) bool {
		return strings.Contains(r.String(), "*")
	}):
		x := c.add("CG220", Error, f.Value, "@goto goes to one block: a path without *")
		if refs := o.block; len(refs) == 1 && refs[0].Below && !strings.Contains(refs[0].Path, "*") {
			x.Fix = &Fix{Title: "Write " + refs[0].Path, At: refs[0].At, Text: refs[0].Path}
		}
	}
}

// swallowed checks a parameter without a value, which YAML may have taken for a comment.
func (c *checker) swallowed(f *Field) bool {
	line := c.line(f.At.From)
	_, rest, _ := strings.Cut(c.d.In(Span{f.At.To, line.To}), ":")
	value := strings.TrimSpace(rest)
	if !strings.HasPrefix(value, "#") {
		return false
	}
	at := Span{line.To - len(strings.TrimLeft(rest, " \t")), line.To}
	c.add("CG210", Warning, at, "YAML takes this for a comment, so "+f.Key+" has no value: quote it").Fix =
		&Fix{Title: "Quote the value", At: at, Text: Quoted(value)}
	return true
}

// signed checks a value for a word at its beginning that YAML takes for a tag or an anchor, and leaves out.
func (c *checker) signed(f *Field) {
	line := c.line(f.At.From)
	_, rest, _ := strings.Cut(c.d.In(Span{f.At.To, line.To}), ":")
	value := strings.TrimSpace(rest)
	word, more, _ := strings.Cut(value, " ")
	if more == "" || value[0] != '!' && value[0] != '&' || strings.HasPrefix(word, "!!") ||
		strings.ContainsAny(more[:1], "|>[{") {
		return
	}
	at := Span{line.To - len(strings.TrimLeft(rest, " \t")), line.To}
	message := "YAML leaves " + chars.Short(word, 40) + " out, as a tag or an anchor: quote the value"
	c.add("CG210", Warning, at, message).Fix = &Fix{Title: "Quote the value", At: at, Text: Quoted(value)}
}

// commented checks a text without quotes for what YAML takes for a comment, and leaves out.
func (c *checker) commented(f *Field) bool {
	value, _, more := strings.Cut(c.d.In(f.Value), "\n")
	value = strings.TrimRight(value, " \t\r")
	at := strings.Index(value, " #")
	if at < 0 || strings.ContainsRune("\"'|>", rune(value[0])) {
		return false
	}
	x := c.add("CG210", Warning, Span{f.Value.From + at + 1, f.Value.From + len(value)},
		"YAML takes this for a comment, and leaves it out: quote the value")
	if !more {
		x.Fix = &Fix{Title: "Quote the value", At: Span{f.Value.From, f.Value.From + len(value)}, Text: Quoted(value)}
	}
	return true
}

// Quoted returns a text in double quotes, as YAML reads it.
func Quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// refuses says what a value should be, "" where it is that.
func (k kind) refuses(f *Field) string {
	var v any
	if err := f.yaml.Decode(&v); err != nil {
		return "not readable: " + err.Error()
	}
	text, isText := v.(string)
	number, isNumber := asNumber(v)
	_, isTruth := v.(bool)
	switch {
	case k == boolKind && !isTruth:
		return "true or false"
	case k == countKind && (!isNumber || number < 1 || number != float64(int(number))):
		return "a whole number from 1 on"
	case k == shareKind && (!isNumber || number < 0 || number > 1):
		return "a number from 0 to 1"
	case k == modeKind && text != "append" && text != "prepend" && text != "replace":
		return "append, prepend or replace"
	case k == contextKind && text != "auto" && text != "none":
		return "auto or none"
	case k == fileKind && (!isText || !isDocument(text)):
		return "the path of a document, which ends in .md or .ctx"
	case (k == textKind || k == pathKind) && !isText && !isNumber:
		return "a text"
	case k == textsKind && !areTexts(v) && !isText:
		return "a list of texts"
	case k == toolsKind && !isText && !areTexts(v):
		return "none, all, a name, or a list of names"
	case k == blockKind && !isText && !isURI(v, false):
		return "the path of one block"
	case k == blocksKind && !isText && !areTexts(v) && !isURI(v, true):
		return "the path of a block, or a list of paths"
	}
	return ""
}

// isDocument reports whether a path leads to a document, or to a block in one.
func isDocument(path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), func(part string) bool {
		ext := strings.ToLower(filepath.Ext(part))
		return ext == ".md" || ext == ".ctx"
	})
}

func asNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func areTexts(v any) bool {
	list, ok := v.([]any)
	return ok && !slices.ContainsFunc(list, func(x any) bool { _, text := x.(string); return !text })
}

// isURI reports whether a value is {block_uri: …}.
func isURI(v any, several bool) bool {
	m, ok := v.(map[string]any)
	if !ok || len(m) != 1 {
		return false
	}
	_, text := m["block_uri"].(string)
	return text || several && areTexts(m["block_uri"])
}
