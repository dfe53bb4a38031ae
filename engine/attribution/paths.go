package attribution

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ctxledger.dev/internal/paths"
	"ctxledger.dev/sessions"
)

// MaxPath bounds stored paths; file systems allow 4,096 bytes.
const MaxPath = 4096

// Normal returns a path in the form of the ledger: relative to the workspace root inside it ("." is the root itself),
// otherwise absolute, in the one spelling of package paths. dir is the base of relative paths; "" is the root. The root
// of a session that ran elsewhere (imported from another machine) is its own directory. The result is "" for what cannot
// be a path.
func (t *Trees) Normal(dir, p string) (rel string, outside bool) {
	for _, root := range []string{t.root, t.homeOf(dir)} {
		if rel, outside = normalIn(root, dir, p); !outside {
			return rel, false
		}
	}
	if _, inside := paths.Below(t.root, dir); !inside {
		if rest, ok := paths.Below(dir, rel); ok {
			return rest, false
		}
	}
	return rel, true
}

// NameIn returns a path as the log of a session names it, and whether it is inside of the tree that the session worked on,
// which may be on another machine.
func (t *Trees) NameIn(s sessions.Session, p string) (name string, inside bool) {
	name, outside := t.pathOf(s, p, false)
	return name, !outside && name != ""
}

// normalIn is Normal for a single root.
func normalIn(root, dir, p string) (rel string, outside bool) {
	if p == "" || len(p) > MaxPath || strings.ContainsAny(p, "\x00\n") {
		return "", false
	}
	p = paths.Abs(cmp.Or(dir, root), p)
	if rest, ok := paths.Below(root, p); ok {
		return rest, false
	}
	return p, paths.IsAbs(p)
}

// Real returns the path of the file that a path in a tree, "" being the workspace, leads to through symbolic links, so that
// a file has one. What leads out of the tree, or nowhere, keeps its path. It opens nothing.
func (t *Trees) Real(tree, name string) string { return t.real(tree, name, false) }

// real is Real, or with entry the same for what is moved or deleted: a link itself.
func (t *Trees) real(tree, name string, entry bool) string {
	top, at, rest := cmp.Or(tree, t.root), filepath.FromSlash(name), ""
	if !paths.IsAbs(name) {
		at = filepath.Join(top, at)
	}
	if top == "" || !filepath.IsAbs(at) || free(top, name, entry) {
		return name
	}
	for {
		if real, err := filepath.EvalSymlinks(at); err == nil && (!entry || rest != "") {
			if in, ok := paths.Below(top, filepath.ToSlash(filepath.Join(real, rest))); ok {
				return in
			}
			return name
		}
		up := filepath.Dir(at)
		if up == at {
			return name
		}
		at, rest = up, filepath.Join(filepath.Base(at), rest)
	}
}

// free reports whether a path in a tree leads through no symbolic link below it, as nearly all do: then it is the file's own,
// whatever leads to the tree.
func free(top, name string, entry bool) bool {
	if paths.IsAbs(name) {
		return false
	}
	at := top
	for rest, more := name, true; more; {
		var element string
		element, rest, more = strings.Cut(rest, "/")
		at = filepath.Join(at, element)
		info, err := os.Lstat(at)
		if err != nil {
			return errors.Is(err, fs.ErrNotExist)
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return entry && !more
		}
	}
	return true
}

// KeptPath returns a path of a call in the form of the ledger: of the file that it leads to, or with entry of what is moved or
// deleted. It is not masked, because it identifies the file, except when only the original spelling reveals that it contains
// a secret, as in a URL: later output could not mask it any more.
func (t *Trees) KeptPath(s sessions.Session, p string, entry bool) string {
	kept, _ := t.pathOf(s, p, entry)
	shown := t.masks.String(p)
	inside := paths.IsAbs(p) && !paths.IsAbs(kept) // what was masked may have been above the root
	if shown == p || inside || t.masks.String(kept) != kept {
		return kept
	}
	kept, _ = t.pathOf(s, shown, entry)
	return kept
}
