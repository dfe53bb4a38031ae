// Package files reads the context graphs of a workspace: never a file outside of it, through a link neither.
package files

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/graph"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/tokens"
)

// Max is the largest document, in bytes.
const Max = 8 << 20

// Reader reads documents below a directory. Each is read once.
type Reader struct {
	tree       *safefs.Tree
	settings   graph.Settings
	read       map[string]*graph.Document
	settingsOf map[string]fractalic                     // by folder
	open       func(name string) (text string, ok bool) // see Prefer; nil: nothing is open
}

// Open returns a reader of the documents below a directory, by the settings of its workspace. Errors: those of safefs.Open.
func Open(root string, settings graph.Settings) (*Reader, error) {
	tree, err := safefs.Open(root)
	if err != nil {
		return nil, err
	}
	return &Reader{tree: tree, settings: settings, read: map[string]*graph.Document{},
		settingsOf: map[string]fractalic{}}, nil
}

// Parse reads a document from its text. name is the file's path below the directory.
func (r *Reader) Parse(name, text string) *graph.Document {
	s := r.settings
	s.Visible = r.fractalicOf(path.Dir(name)).visible
	return s.Parse(name, text)
}

// Options returns what graph.Check has to know of the surroundings of a document: models are those that are known, standard is
// the one of operations that name none, and counter counts for a model.
func (r *Reader) Options(d *graph.Document, models *tokens.Registry, standard string,
	counter func(model string) tokens.Counter) graph.Options {
	theirs := r.fractalicOf(path.Dir(d.Path))
	meant := func(named string) string { return cmp.Or(theirs.models[plainName(named)].name, named, standard) }
	o := graph.Options{Read: r.Read, Exists: r.Exists, Model: meant, Window: func(named string) int {
		window, _ := models.Window(meant(named))
		return cmp.Or(window, theirs.models[plainName(named)].window)
	}, Count: func(named string) graph.Counting { return Counting(counter(meant(named))) }}
	for _, m := range theirs.models {
		o.Models = append(o.Models, m.alias)
	}
	slices.Sort(o.Models)
	o.Models = slices.Compact(o.Models)
	if theirs.found { // else there are no aliases: any name may be a model's
		o.Known = func(named string) bool {
			_, ours := models.Lookup(named)
			return ours || theirs.models[plainName(named)].name != ""
		}
	}
	return o
}

// Counting returns how a counter counts.
func Counting(c tokens.Counter) graph.Counting {
	name := c.Encoding().String()
	if !c.Exact() && c.Model() != "" {
		name = "as " + c.Model()
	}
	return graph.Counting{Of: func(text string) int { return c.Count(text).N }, Exact: c.Exact(), Name: name}
}

// Prefer has the text of documents read that are open somewhere, in the place of their files. name is a path below the
// directory.
func (r *Reader) Prefer(open func(name string) (text string, ok bool)) { r.open = open }

// Close ends reading.
func (r *Reader) Close() error { return r.tree.Close() }

// Read returns the document to which a path in another one leads; from is the other one's path below the directory, "" the
// directory itself. What stands behind the file in a path, a block, is left out. Errors: graph.ErrOutside; not_found;
// too_large; unavailable.
func (r *Reader) Read(from, to string) (*graph.Document, error) {
	name, err := below(from, file(to))
	if err != nil {
		return nil, err
	}
	if d := r.read[name]; d != nil {
		return d, nil
	}
	if r.open != nil {
		if text, ok := r.open(name); ok {
			return r.Parse(name, text), nil
		}
	}
	switch size, err := r.stat(name); {
	case err != nil:
		return nil, err
	case size > Max:
		return nil, fault.New(fault.TooLarge, "graph.read", "%s has %d bytes, the limit is %d", name, size, Max)
	}
	text := r.tree.Read(name, Max)
	if text == nil {
		return nil, fault.New(fault.Unavailable, "graph.read", "%s cannot be read", name)
	}
	d := r.Parse(name, string(text))
	r.read[name] = d
	return d, nil
}

// Exists returns why a file to which a path in a document leads cannot be read, as Read; nil: it can.
func (r *Reader) Exists(from, to string) error {
	name, err := below(from, to)
	if err == nil {
		_, err = r.stat(name)
	}
	return err
}

// below returns the path below the directory to which one in a file there leads. Errors: graph.ErrOutside.
func below(from, to string) (string, error) {
	name := filepath.Join(filepath.Dir(filepath.FromSlash(from)), filepath.FromSlash(to))
	if filepath.IsAbs(filepath.FromSlash(to)) || !filepath.IsLocal(name) {
		return "", graph.ErrOutside
	}
	return filepath.ToSlash(name), nil
}

// stat returns the size of a file. Errors: graph.ErrOutside; not_found; those of safefs.Tree.Stat.
func (r *Reader) stat(name string) (size int64, err error) {
	switch info, err := r.tree.Stat(name); {
	case err != nil:
		return 0, err
	case info.Kind == safefs.Absent:
		return 0, fault.New(fault.NotFound, "graph.read", "%s does not exist", name)
	case info.Kind == safefs.Dir:
		return 0, fault.New(fault.NotFound, "graph.read", "%s is a directory: name a file in it", name)
	case info.Kind == safefs.Other:
		return 0, graph.ErrOutside // or nothing that can be read
	default:
		return info.Size, nil
	}
}

// file returns the part of a path that names a file.
func file(path string) string {
	for _, ext := range []string{".md/", ".ctx/"} {
		if before, _, found := strings.Cut(path, ext); found {
			return before + ext[:len(ext)-1]
		}
	}
	return path
}
