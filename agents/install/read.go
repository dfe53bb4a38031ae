package install

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/internal/confedit"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
)

const opRead = "install.read"

// writable are the bits without which a file or a directory is read-only to its owner.
const writable = 0o200

// read returns a configuration. A symbolic link is followed as long as it stays in the home, or in the tree for the scope
// Project. Errors: denied for a link that leads elsewhere, invalid for no regular file, too_large.
func (m Machine) read(h registry.Agent, s registry.Scope, path string) (present, error) {
	real, err := resolve(path)
	if err != nil {
		return present{}, err
	}
	base, ok := m.inside(h, s, real)
	if !ok {
		return present{}, fault.New(fault.Denied, opRead, "%s links to %s, outside %s", path, real, m.base(s)).
			WithHint("edit that file yourself, or replace the link with a file")
	}
	p := present{real: real, base: base, mode: 0o600}
	root, err := safefs.OpenRoot(base)
	if err != nil {
		return present{}, fault.Wrap(fault.Unavailable, opRead, err)
	}
	defer root.Close() // only read
	p.text, p.mode, p.exists, err = content(root, p.rel())
	return p, err
}

// rel returns the path from the base.
func (p present) rel() string {
	rel, err := filepath.Rel(p.base, p.real)
	if err != nil { // it lies below
		return p.real
	}
	return rel
}

// content returns the text and the mode of a file below a directory, if there is one.
func content(root *os.Root, rel string) (text []byte, mode fs.FileMode, exists bool, err error) {
	f, info, err := safefs.OpenIn(root, rel, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0o600, false, nil
	}
	if err != nil {
		return nil, 0, false, fault.Wrap(fault.CodeOf(err), opRead, err)
	}
	defer f.Close() // only read
	text, err = io.ReadAll(io.LimitReader(f, confedit.MaxSize+1))
	if err == nil && len(text) > confedit.MaxSize {
		err = fault.New(fault.TooLarge, opRead, "it has more than %d bytes", confedit.MaxSize)
	}
	return text, info.Mode().Perm(), true, fault.Wrap(fault.CodeOf(err), opRead, err)
}

// base is the directory that edits of a scope stay in.
func (m Machine) base(s registry.Scope) string {
	if s == registry.Project {
		return m.Root
	}
	return m.Home
}

// inside returns the directory below which a path without links may be edited in a scope: the home, the tree, or a
// directory outside the home that the user named with a variable of the agent. ok is false for other paths.
func (m Machine) inside(h registry.Agent, s registry.Scope, real string) (base string, ok bool) {
	bases := []string{m.base(s)}
	if dir := h.Dir(m.Env); s == registry.User && !below(dir, m.Home) {
		bases = append(bases, dir)
	}
	for _, base := range bases {
		if base == "" {
			continue
		}
		if resolved, err := filepath.EvalSymlinks(base); err == nil {
			base = resolved
		}
		if below(real, base) {
			return base, true
		}
	}
	return "", false
}

// below reports whether a path lies below a directory.
func below(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// resolve returns a path without symbolic links. What does not exist yet is taken as it is, but a link to nothing is an
// error.
func resolve(path string) (string, error) {
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fault.Wrap(fault.Denied, opRead, err)
		}
		if _, err := os.Lstat(at); err == nil {
			return "", fault.New(fault.Invalid, opRead, "%s is a dangling link", at).
				WithHint("remove it or create its target")
		}
		if filepath.Dir(at) == at {
			return "", fault.New(fault.NotFound, opRead, "the directory of %s does not exist", path)
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// canWrite refuses a file that is read-only, or lies in a directory that is.
func canWrite(p present) error {
	if p.exists && p.mode&writable == 0 {
		return readOnly(p.real)
	}
	for dir := filepath.Dir(p.real); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		switch {
		case err == nil && !info.IsDir():
			return fault.New(fault.Invalid, opRead, "%s is not a directory", dir)
		case err == nil && info.Mode()&writable == 0:
			return readOnly(dir)
		case err == nil:
			return nil
		case filepath.Dir(dir) == dir:
			return fault.Wrap(fault.Unavailable, opRead, err)
		}
	}
}

func readOnly(path string) error {
	return fault.New(fault.Denied, opRead, "%s is read-only", path).
		WithHint("`chmod u+w '%s'`, or add the entry wherever the file is generated", path)
}
