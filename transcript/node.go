package transcript

import (
	"slices"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/jsonspan"
)

// member is one member of an object.
type member struct {
	name string
	key  Span // with its quotes
	val  Span
}

// node is an object of a document whose members are read. Duplicate names are refused: two readers
// would see two different messages.
type node struct {
	src     []byte
	at      Span
	members []member
}

// readDocument reads the object that src is.
func readDocument(src []byte, what string) (node, error) {
	return readWith(src, what, func(n *node, w *jsonspan.Walker) error { return n.read(w, what) })
}

// readWithin is readDocument that calls within in front of each value, which may pass over it.
func readWithin(src []byte, what string, within func(name string, w *jsonspan.Walker)) (node, error) {
	return readWith(src, what, func(n *node, w *jsonspan.Walker) error {
		var seen map[string]bool
		for key := range w.Inside {
			w.Peek()
			name, from := n.text(key), w.Pos()
			if within(name, w); w.Pos() == from {
				w.Value()
			}
			if err := n.add(member{name, key, Span{From: from, To: w.Pos()}}, &seen, what); err != nil {
				return err
			}
		}
		return syntax(w.Err())
	})
}

func readWith(src []byte, what string, read func(n *node, w *jsonspan.Walker) error) (node, error) {
	w := jsonspan.New(src, maxDepth)
	if w.Peek() != '{' {
		at, err := document(src)
		if err == nil {
			err = invalid(at.From, "%s is not an object", what)
		}
		return node{}, err
	}
	n := node{src: src, at: Span{From: w.Pos()}}
	if err := read(&n, w); err != nil {
		return n, err
	}
	n.at.To = w.Pos()
	return n, syntax(w.End())
}

// readNode reads the object at a span.
func readNode(src []byte, at Span, what string) (node, error) {
	if at.Empty() {
		return node{src: src, at: at}, invalid(at.From, "%s is not an object", what)
	}
	return nextNode(walk(src, at), src, what)
}

// nextNode reads the object ahead.
func nextNode(w *jsonspan.Walker, src []byte, what string) (node, error) {
	first := w.Peek()
	n := node{src: src, at: Span{From: w.Pos()}}
	if first != '{' {
		return n, invalid(n.at.From, "%s is not an object", what)
	}
	err := n.read(w, what)
	n.at.To = w.Pos()
	return n, err
}

// eachNode calls take with each element of the array ahead, which are objects.
func eachNode(w *jsonspan.Walker, src []byte, what string, take func(node) error) error {
	count := 0
	for range w.Inside {
		if count++; count > maxElements {
			return tooMany(w.Pos())
		}
		n, err := nextNode(w, src, what)
		if err == nil {
			err = take(n)
		}
		if err != nil {
			return err
		}
	}
	return syntax(w.Err())
}

// read takes the members of the object ahead.
func (n *node) read(w *jsonspan.Walker, what string) error {
	var seen map[string]bool
	for key, val := range w.Members {
		if err := n.add(member{n.text(key), key, val}, &seen, what); err != nil {
			return err
		}
	}
	return syntax(w.Err())
}

// add takes a member. seen are the names of an object of many members.
func (n *node) add(m member, seen *map[string]bool, what string) error {
	if len(n.members) >= manyMembers && *seen == nil {
		*seen = n.names()
	}
	if (*seen)[m.name] || *seen == nil && n.has(m.name) {
		return invalid(m.key.From, "%s has two members %q", what, m.name)
	}
	if *seen != nil {
		(*seen)[m.name] = true
	}
	n.members = append(n.members, m)
	return nil
}

// manyMembers is from how many members on a map finds a name sooner than looking at each.
const manyMembers = 16

// names returns the names of the members read so far.
func (n node) names() map[string]bool {
	all := make(map[string]bool, 2*len(n.members))
	for _, m := range n.members {
		all[m.name] = true
	}
	return all
}

// has reports whether there is a member of this name.
func (n node) has(name string) bool {
	return slices.ContainsFunc(n.members, func(m member) bool { return m.name == name })
}

// get returns the span of a member's value; the zero Span when there is none.
func (n node) get(name string) Span {
	for _, m := range n.members {
		if m.name == name {
			return m.val
		}
	}
	return Span{}
}

// take returns the splices that take members out, each with one comma.
func (n node) take(names ...string) []splice {
	spans, drop := make([]Span, len(n.members)), make([]bool, len(n.members))
	for i, m := range n.members {
		spans[i] = Span{From: m.key.From, To: m.val.To}
		drop[i] = slices.Contains(names, m.name)
	}
	return without(spans, drop)
}

// first returns the first byte of a value, 0 for the zero Span: it shows the type of the value.
func (n node) first(at Span) byte {
	if at.Empty() {
		return 0
	}
	return n.src[at.From]
}

// text returns the text of the string literal at a span.
func (n node) text(at Span) string { return textAt(n.src, at) }

// str returns a string member. One that is absent is "" and, when needed, an error.
func (n node) str(name string, needed bool) (string, error) {
	at := n.get(name)
	switch n.first(at) {
	case '"':
		return n.text(at), nil
	case 0:
		if needed {
			return "", invalid(n.at.From, "no %q here", name)
		}
		return "", nil
	}
	return "", invalid(at.From, "%q is not a string", name)
}

// elements returns the spans of the elements of the array at a span.
func elements(src []byte, at Span) ([]Span, error) {
	var spans []Span
	w := walk(src, at)
	for elem := range w.Elements {
		if len(spans) == maxElements {
			return nil, tooMany(elem.From)
		}
		spans = append(spans, elem)
	}
	return spans, syntax(w.Err())
}

func tooMany(at int) error {
	return fault.New(fault.TooLarge, op, "byte %d: an array of more than %d elements", at, maxElements)
}

// maxElements bounds the parts of a message and the messages of a conversation: what is kept of one is
// many times longer than the shortest one is.
const maxElements = 100_000
