package config

import (
	"errors"
	"io/fs"
	"path/filepath"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/privatefile"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/internal/yamldoc"
)

// document is one configuration file.
type document struct {
	name   string // as shown to people
	dir    string // what paths in it are relative to; its programs run there
	user   bool   // the user's own
	table  bool   // a table of prices, and no settings
	own    string // the path of the user's own, for hints; "" if it is not known
	data   []byte // nil: there is none
	fields []yamldoc.Field
	places places
}

// source returns the position of a field.
func (d document) source(f yamldoc.Field) Source {
	return Source{File: d.name, Line: f.Line, Dir: d.dir, user: d.user}
}

// readWorkspace reads the configuration of a workspace; root "" has none. No link out of it is followed. Errors:
// invalid for what is not a regular file; too_large; denied for what cannot be read.
func readWorkspace(root string) (document, error) {
	d := document{name: File, dir: root}
	if root == "" {
		return d, nil
	}
	data, err := readIn(root, File)
	d.data = data
	return d, err
}

// readUser reads the user's own configuration. Errors: those of readWorkspace; denied for a file that others can
// write, and for one inside the workspace: that would let the workspace speak for its user.
func readUser(e env.Env, root string) (document, error) { return readOwn(UserFile(e), root) }

// readOwn reads a file of the user's own. name "" has none.
func readOwn(name, root string) (document, error) {
	const op = "config.load"
	d := document{name: name, user: true}
	if d.name == "" {
		return d, nil
	}
	d.dir = filepath.Dir(d.name)
	path, err := filepath.EvalSymlinks(d.name) // people keep such files elsewhere and link to them
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err != nil {
		return d, fault.Wrap(fault.Denied, op, err)
	}
	dir, err := filepath.EvalSymlinks(d.dir)
	if err != nil {
		return d, fault.Wrap(fault.Denied, op, err)
	}
	if root != "" && (contains(root, path) || contains(root, dir)) {
		return d, fault.New(fault.Denied, op, "your own configuration is inside this workspace, which cannot "+
			"decide for you").
			WithHint("keep it outside %s", root)
	}
	for _, p := range []string{path, filepath.Dir(path), dir} {
		if err := privatefile.Check(p); err != nil {
			return d, err
		}
	}
	d.data, err = readIn(filepath.Dir(path), filepath.Base(path))
	return d, err
}

// contains reports whether a path lies in a directory, or is it.
func contains(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// readIn reads a regular file of a directory: nil if there is none.
func readIn(dir, name string) ([]byte, error) {
	const op = "config.load"
	tree, err := safefs.Open(dir)
	if err != nil {
		return nil, fault.Wrap(fault.Denied, op, err)
	}
	defer tree.Close() // opened for reading
	info, err := tree.Stat(name)
	switch {
	case err != nil:
		return nil, fault.Wrap(fault.Denied, op, err)
	case info.Kind == safefs.Absent:
		return nil, nil
	case info.Kind != safefs.File:
		return nil, fault.New(fault.Invalid, op, "it is not a regular file, or is reached through a link that points outside")
	case info.Size > yamldoc.Max:
		return nil, fault.New(fault.TooLarge, op, "it has %d bytes, more than the limit of %d", info.Size, yamldoc.Max)
	}
	data := tree.Read(name, yamldoc.Max)
	if data == nil {
		return nil, fault.New(fault.Denied, op, "it cannot be read")
	}
	return data, nil
}
