package attribution

import (
	"path"
	"path/filepath"
	"strings"

	"ctxledger.dev/sessions"
)

// MaxPath bounds stored paths; file systems allow 4,096 bytes.
const MaxPath = 4096

// Normal returns a path in the form of the ledger: with slashes, relative to the workspace root inside it ("." is the
// root itself), otherwise absolute. dir is the base of relative paths; "" is the root. The root of a session that ran
// elsewhere (imported from another machine) is its own directory. The result is "" for what cannot be a path.
func (t *Trees) Normal(dir, p string) (rel string, outside bool) {
	for _, root := range []string{t.root, t.homeOf(dir)} {
		if rel, outside = normalIn(root, dir, p); !outside {
			return rel, false
		}
	}
	if _, inside := below(slashes(t.root), slashes(dir)); !inside {
		if rest, ok := below(slashes(dir), rel); ok {
			return rest, false
		}
	}
	return rel, true
}

// normalIn is Normal for a single root.
func normalIn(root, dir, p string) (rel string, outside bool) {
	if p == "" || len(p) > MaxPath || strings.ContainsAny(p, "\x00\n") {
		return "", false
	}
	p, dir, root = slashes(p), slashes(dir), slashes(root)
	if dir == "" {
		dir = root
	}
	if !isAbs(p) {
		p = path.Join(dir, p)
	}
	p = path.Clean(p)
	if rest, ok := below(root, p); ok {
		return rest, false
	}
	return p, isAbs(p)
}

// below returns p relative to dir, if it is dir or inside it. Both have slashes.
func below(dir, p string) (string, bool) {
	if dir == "" {
		return "", false
	}
	dir = path.Clean(dir)
	if p == dir {
		return ".", true
	}
	rest, ok := strings.CutPrefix(p, strings.TrimSuffix(dir, "/")+"/")
	return rest, ok && rest != ""
}

// slashes returns a path with slashes. It converts those of a Windows drive on every system, since sessions move
// between machines.
func slashes(p string) string {
	if isDrive(p) {
		return strings.ReplaceAll(p, `\`, "/")
	}
	return filepath.ToSlash(p)
}

// isAbs reports whether a path with slashes is absolute, on any system.
func isAbs(p string) bool { return strings.HasPrefix(p, "/") || isDrive(p) }

// isDrive reports whether a path starts with a Windows drive and a separator.
func isDrive(p string) bool {
	return len(p) > 2 && p[1] == ':' && (p[2] == '/' || p[2] == '\\') && ('a' <= p[0]|0x20 && p[0]|0x20 <= 'z')
}

// KeptPath returns a path of a call in the form of the ledger. It is not masked, because it identifies the file,
// except when only the original spelling reveals that it contains a secret, as in a URL: later output could not mask
// it any more.
func (t *Trees) KeptPath(s sessions.Session, p string) string {
	kept, _ := t.pathOf(s, p)
	shown := t.masks.String(p)
	inside := isAbs(slashes(p)) && !isAbs(kept) // what was masked may have been above the root
	if shown == p || inside || t.masks.String(kept) != kept {
		return kept
	}
	kept, _ = t.pathOf(s, shown)
	return kept
}
