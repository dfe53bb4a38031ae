package graph

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/redact"
)

// Options are what Check knows of the world around a document. What is nil is not checked.
type Options struct {
	// Window returns the size of a model's window in tokens; 0: not known. "" is the model of operations that name none.
	Window func(model string) int
	// Model returns the model that a name means: it may be an alias.
	Model func(named string) string
	// Known reports whether there is a model of a name.
	Known func(model string) bool
	// Models are names that an operation may give, as settings.toml has them.
	Models []string
	// Read returns the document to which a path in another one leads. Errors: ErrOutside; others are shown.
	Read func(from, path string) (*Document, error)
	// Exists returns why a file to which a path in a document leads cannot be read, as Read does; nil: it can.
	Exists func(from, path string) error
	// Count returns how texts are counted for a model that an operation names, as it is written there; "" is that of operations
	// that name none.
	Count func(named string) Counting
	// Kept is what the counts of texts that edits leave as they are are kept for: as long as it is the same; nil: for nothing.
	Kept any
	// Costs are those of the document, counted with Count; nil: they are counted.
	Costs *Costs
}

// Check returns what is to be known about a context graph, in the order of the text. A finding is left out where the line before it says
// <!-- ctx-disable-next-line CODE --> or # ctx-disable-next-line CODE.
func Check(d *Document, o Options) []Finding {
	found := Found(d, o)
	Sort(found)
	return found
}

// Sort sorts findings in the order of the text.
func Sort(found []Finding) {
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.At.From, b.At.From), cmp.Compare(a.Code, b.Code))
	})
}

// Found is Check in no order: there may be thousands, of which few are shown.
func Found(d *Document, o Options) []Finding {
	c := checker{d: d, o: o, jumps: d.grows().jumps, secrets: redact.New(nil), made: createdBy(d, o.Read),
		reads: map[string]bool{}}
	for _, op := range d.Operations {
		if file := op.text("file"); file != "" {
			c.reads[path.Clean(filepath.ToSlash(file))] = true
		}
	}
	c.structure()
	for _, op := range d.Operations {
		c.found = append(c.found, op.findings...)
		c.operation(op)
		c.references(op)
	}
	c.flow()
	if o.Count != nil || o.Costs != nil {
		c.tokens()
	}
	for i := range c.found {
		if fix := c.found[i].Fix; c.keyed && fix != nil && strings.HasPrefix(fix.Text, " {id=") {
			c.found[i].Fix = nil
		}
		c.found[i].Severity = cmp.Or(d.settings.Severities[c.found[i].Code], c.found[i].Severity)
	}
	c.found = slices.DeleteFunc(c.found, func(f Finding) bool {
		return f.Severity == Off || d.silences && c.silenced(f)
	})
	if d.source.has("\r\n") {
		ends := strings.NewReplacer("\r\n", "\r\n", "\n", "\r\n")
		for i, f := range c.found {
			if f.Fix != nil {
				c.found[i] = f.moved(0)
				c.found[i].Fix.Text = ends.Replace(f.Fix.Text)
			}
		}
	}
	return c.found
}

// checker collects findings.
type checker struct {
	d       *Document
	o       Options
	found   []Finding
	jumps   jumps
	secrets *redact.Redactor
	made    *created
	reads   map[string]bool // the files that operations read
	names   []string        // of all blocks, and those that operations insert; nil: not needed yet
	lost    int             // references that lead nowhere
	keyed   bool            // a reference is a key, which an id would change
}

func (c *checker) add(code string, severity Severity, at Span, message string) *Finding {
	c.found = append(c.found, Finding{Code: code, Severity: severity, At: at, Message: message})
	return &c.found[len(c.found)-1]
}

// set returns the fix that gives an operation a parameter, which changes what it does.
func set(o *Operation, title, key, value string) *Fix {
	for i := range o.Fields {
		if f := &o.Fields[i]; f.Key == key {
			if f.null {
				return nil
			}
			return &Fix{Title: title, At: f.Value, Text: value, Choice: true}
		}
	}
	return &Fix{Title: title, At: Span{o.At.To, o.At.To}, Text: "\n" + key + ": " + value, Choice: true}
}

// removed returns the fix that leaves a parameter out; nil: it does not begin a line.
func (c *checker) removed(f *Field) *Fix {
	before, ok := c.before(f.At)
	if !ok || c.line(f.At.From).From != f.At.From {
		return nil
	}
	return &Fix{Title: "Remove " + f.Key, At: Span{before.To, f.Value.To}}
}

// line returns the line of an offset without its end.
func (c *checker) line(at int) Span {
	line, _ := c.d.Line(at)
	return line
}

// after returns where the line behind one begins, or where the text ends.
func (c *checker) after(line Span) int {
	_, next := c.d.Line(line.To)
	return next
}

// before returns the line before one; ok is false for the first.
func (c *checker) before(line Span) (Span, bool) {
	if line.From == 0 {
		return Span{}, false
	}
	return c.line(line.From - 1), true
}

// silenced reports whether the last line with text before a finding's says that it is not wanted: in Markdown or, inside of an
// operation, in YAML.
func (c *checker) silenced(f Finding) bool {
	before, ok := c.before(c.line(f.At.From))
	for ok && strings.TrimSpace(c.d.In(before)) == "" { // an operation has a blank line before it
		before, ok = c.before(before)
	}
	if !ok {
		return false
	}
	m := disabled().FindStringSubmatch(c.d.In(before))
	return m != nil && slices.Contains(strings.FieldsFunc(m[1], func(r rune) bool { return r == ' ' || r == ',' }),
		f.Code)
}

// silences is what lines have that silence a finding.
const silences = "ctx-disable-next-line"

var disabled = pattern.Lazy(`^\s*(?:<!--|#)\s*` + silences + `\s+([A-Z0-9, ]+?)\s*(?:-->)?\s*$`)
