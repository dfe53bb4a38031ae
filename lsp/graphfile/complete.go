package graphfile

import (
	"fmt"
	"path"
	"strings"

	"ctxledger.dev/graph"
	"ctxledger.dev/internal/chars"
)

// Item is something that can be written at a place.
type Item struct {
	graph.Span        // that it replaces
	Label      string // that it has in a list
	Text       string // that it inserts
	Filter     string // that begins with what is typed there
	Detail     string // a line; "": none
	Value      bool   // a value, not a name
}

// mostItems is how many items are offered: what is typed makes them fewer.
const mostItems = 100

// Complete returns what can be written at a byte: names of operations, their parameters, and values, the most useful ones
// first. More says that there are further items that begin with something else. list returns the documents in a directory below that of the document,
// for paths; nil: none is known.
func Complete(f File, offset int, list func(dir string) []string) (items []Item, more bool) {
	c := completer{File: f, list: list}
	from, to := f.line(offset)
	c.typed = f.In(graph.Span{From: from, To: offset})
	switch o := f.writing(offset); {
	case strings.HasPrefix(c.typed, "@") && strings.Trim(c.typed[1:], nameSigns) == "":
		if f.begins(from, to) {
			c.at = graph.Span{From: from + 1, To: offset}
			c.prefix = c.typed[1:]
			for _, k := range graph.KnownOperations() {
				c.add(k.Name, "", k.Doc, false)
			}
		}
	case o == nil:
	default:
		c.operation(o, from, offset)
	}
	return c.items, c.more
}

// nameSigns are what names of operations and parameters are made of.
const nameSigns = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// completer collects items.
type completer struct {
	File
	list   func(dir string) []string
	typed  string     // the line up to the cursor
	at     graph.Span // what an item replaces
	prefix string     // what is there
	open   string     // what is in at before prefix: a bracket, a quote
	space  string     // that a value right after its colon needs
	items  []Item
	more   bool
}

// add offers an item, if it has what is typed.
func (c *completer) add(label, rest, detail string, value bool) {
	switch {
	case !strings.Contains(strings.ToLower(label), strings.ToLower(c.prefix)):
	case len(c.items) == mostItems:
		c.more = true
	default:
		c.items = append(c.items, Item{c.at, label, c.space + c.open + label + rest, c.open + label, detail, value})
	}
}

// begins reports whether an operation begins in a line if a known one is written there.
func (f File) begins(from, to int) bool {
	d := f.Edit(graph.Span{From: from, To: to}, "@llm")
	_, o := d.At(from)
	return o != nil && o.At.From == from
}

// writing returns the operation that a line belongs to, or would belong to if something were written in it; nil: none.
func (f File) writing(offset int) *graph.Operation {
	if _, o := f.At(offset); o != nil {
		return o
	}
	from, to := f.line(offset)
	if from == 0 || strings.TrimSpace(f.In(graph.Span{From: from, To: to})) != "" {
		return nil
	}
	_, o := f.At(max(from-1, 0))
	return o
}

// operation offers what can be written in a line of an operation.
func (c *completer) operation(o *graph.Operation, from, offset int) {
	if from <= o.At.From { // the line of the name
		return
	}
	known := graph.KnownParameters(o.Name)
	if strings.Trim(c.typed, nameSigns) == "" {
		c.at, c.prefix = graph.Span{From: from, To: offset}, c.typed
		given := "\n" + c.In(o.At)
		for _, k := range known {
			if !strings.Contains(given, "\n"+k.Name+":") || k.Name == c.typed {
				c.add(k.Name, ": ", k.Doc, false)
			}
		}
		return
	}
	key, value := c.key(o, from)
	for _, k := range known {
		if k.Name != key {
			continue
		}
		c.at = graph.Span{From: offset - len(value), To: offset}
		i := strings.LastIndexAny(value, " \t[,\"'") + 1
		if c.prefix = value[i:]; c.typed == key+":"+value && strings.IndexAny(value, " \t") != 0 {
			c.space, c.open = " ", value[:i]
		} else {
			c.at.From += i
		}
		c.values(o, k)
	}
}

// key returns the parameter whose value a line is in, and what is typed of it in that line.
func (c *completer) key(o *graph.Operation, from int) (key, value string) {
	line := c.typed
	for at := from; at > o.At.From; {
		name, rest, found := strings.Cut(line, ":")
		if found && name != "" && strings.Trim(name, nameSigns) == "" {
			if at == from {
				return name, rest
			}
			return name, c.typed
		}
		begin, end := c.line(at - 1)
		at, line = begin, c.In(graph.Span{From: begin, To: end})
	}
	return "", ""
}

// values offers the values of a parameter.
func (c *completer) values(o *graph.Operation, k graph.Known) {
	for _, v := range k.Values {
		c.add(v, "", "", true)
	}
	switch {
	case k.Blocks && o.Name == "import" && k.Name == "block":
		if other := c.other(o); other != nil {
			c.blocks(other, true)
		}
	case k.Blocks:
		c.inserted(o, false)
		c.blocks(c.Document, o.Name != "goto" && k.Name != "to")
		c.inserted(o, true)
	case k.Document:
		c.documents()
	case k.Name == "model":
		for _, name := range c.Around.Models {
			c.add(name, "", "", true)
		}
	case k.Name == "use-header":
		c.add("none", "", "no heading", true)
	}
}

// inserted offers the blocks that other operations insert: before an operation runs, or later.
func (c *completer) inserted(o *graph.Operation, later bool) {
	for _, by := range c.Operations {
		if by.Index == o.Index {
			continue
		}
		for _, name := range c.names(by) {
			if name == "" || c.Find(name).Block != nil || c.Around.Costs.Inserter(name) != by ||
				c.Around.Costs.Before(o, name) == later {
				continue
			}
			detail := "inserted by @%s on line %d"
			if later {
				detail = "not there yet: " + detail + ", later"
			}
			line, _ := c.Place(by.At.From)
			c.add(name, "", fmt.Sprintf(detail, by.Name, line), true)
		}
	}
}

// names returns the names of the blocks that an operation inserts.
func (c *completer) names(by *graph.Operation) (names []string) {
	other := c.other(by)
	if by.Name != "import" || other == nil {
		id, _ := by.Inserts()
		return []string{id}
	}
	blocks := other.Blocks[1:]
	for _, r := range by.Selects() {
		blocks = other.Select(r)
	}
	for _, b := range blocks {
		names = append(names, b.Name())
	}
	return names
}

// blocks offers the paths of blocks; below says that those of all below them are offered, too.
func (c *completer) blocks(d *graph.Document, below bool) {
	typed := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(c.prefix, "*"), "/"))
	path := strings.Contains(strings.TrimSuffix(c.prefix, "/*"), "/")
	fits := map[*graph.Block]bool{} // as it, or a block that it is in, has what is typed in its name
	for _, b := range d.Blocks[1:] {
		if c.more {
			return
		}
		own := b.Name()
		if path {
			own = b.URI()
		}
		if !fits[b.Parent] && !strings.Contains(strings.ToLower(own), typed) {
			continue
		}
		if fits[b] = true; b.System {
			continue
		}
		name := d.Reaches(b)
		if strings.Contains(c.prefix, "/") {
			name = b.URI()
		}
		if name == "" || d.Find(name).Block != b {
			continue
		}
		detail := called(b.Title)
		if d == c.Document {
			detail += " · " + c.Said(c.Around.Costs.Size(b)).Tokens()
		}
		c.add(name, "", detail, true)
		if n := len(d.Below(b)); below && n > 0 {
			c.add(name+"/*", "", chars.Plural(n, "block")+" below "+called(b.Title), true)
		}
	}
}

// documents offers paths of documents.
func (c *completer) documents() {
	if c.list == nil {
		return
	}
	dir := c.prefix[:strings.LastIndexByte(c.prefix, '/')+1]
	for _, name := range c.list(path.Clean(dir)) {
		c.add(dir+name, "", "", true)
	}
}
