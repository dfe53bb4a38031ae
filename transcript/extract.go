package transcript

import (
	"strings"

	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/internal/limits"
)

// Facts is what a message names that is worth finding it by.
type Facts struct {
	Paths []string // file paths, at most limits.EntryPaths, slashes forward, without line numbers
	Names []string // identifiers, error codes, ids, exit codes: at most limits.EntryNames
}

// Extract finds the file paths and the identifiers that a message's texts, calls and results name, in
// order of first appearance. It takes time linear in the size of the message; reasoning is not read.
func Extract(m Message) Facts {
	x := &extractor{paths: newSet(limits.EntryPaths), names: newSet(limits.EntryNames)}
	for _, p := range m.Parts {
		switch p.Kind {
		case KindText, KindResult:
			x.text(p.Text)
		case KindCall:
			x.args(jsonspan.New(p.Args, maxDepth), p.Args)
		}
	}
	return Facts{Paths: x.paths.list, Names: x.names.list}
}

// extractor collects facts.
type extractor struct {
	paths, names *set
}

func (x *extractor) full() bool { return x.paths.full() && x.names.full() }

// args reads the arguments of a call: every string in them is text, except where its member's name
// says that it is a path. They passed a walker when the message was decoded, so there is no error to return.
func (x *extractor) args(w *jsonspan.Walker, src []byte) {
	for name := range w.Inside {
		switch c := w.Peek(); {
		case x.full():
			return
		case c == '{' || c == '[':
			x.args(w, src)
		case c != '"':
		case name.Empty():
			x.text(textAt(src, w.Value()))
		default:
			x.arg(textAt(src, name), textAt(src, w.Value()))
		}
	}
}

// arg reads a string that is a member of the arguments.
func (x *extractor) arg(name, value string) {
	if pathKey(name) && pathValue(value) {
		x.paths.add(cleanPath(value))
	} else {
		x.text(value)
	}
}

// pathKey reports whether a member of this name holds a path.
func pathKey(key string) bool {
	key = strings.ToLower(key)
	return strings.Contains(key, "path") || strings.Contains(key, "file") || strings.HasSuffix(key, "dir") ||
		key == "directory" || key == "cwd" || key == "folder"
}

// pathValue reports whether a value under such a key can be one: not a listing, not an address.
func pathValue(v string) bool {
	return v != "" && len(v) <= maxToken && !strings.ContainsAny(v, "\n\r\x00*?") && !strings.Contains(v, "://")
}

// set is a list without duplicates that stops growing at its limit.
type set struct {
	list  []string
	seen  map[string]bool
	limit int
}

func newSet(limit int) *set { return &set{seen: map[string]bool{}, limit: limit} }

func (s *set) full() bool { return len(s.list) >= s.limit }

func (s *set) add(v string) {
	if v == "" || s.full() || s.seen[v] {
		return
	}
	v = strings.Clone(v) // the caller's text must not stay in memory for the sake of one name
	s.seen[v] = true
	s.list = append(s.list, v)
}
