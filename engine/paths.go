package engine

import (
	"path"
	"path/filepath"
	"strings"
)

// maxPath bounds the paths that are kept; file systems allow 4,096 bytes.
const maxPath = 4096

// normal returns a path as the ledger keeps it: with slashes, relative to the workspace root when
// it lies inside, else absolute. dir is what relative paths are relative to; "" is the root.
// "" comes back for what cannot be a path.
func (l *Local) normal(dir, p string) (rel string, outside bool) {
	if p == "" || len(p) > maxPath || strings.ContainsAny(p, "\x00\n") {
		return "", false
	}
	p = filepath.ToSlash(p)
	if !isAbs(p) {
		if dir == "" {
			dir = l.root
		}
		p = path.Join(filepath.ToSlash(dir), p)
	}
	p = path.Clean(p)
	root := filepath.ToSlash(l.root)
	if rest, ok := strings.CutPrefix(p, strings.TrimSuffix(root, "/")+"/"); ok && root != "" {
		return rest, false
	}
	if dir = path.Clean(filepath.ToSlash(dir)); root == "" || !strings.HasPrefix(dir, root) {
		// A session that ran elsewhere (imported from another machine): its own directory counts.
		if rest, ok := strings.CutPrefix(p, strings.TrimSuffix(dir, "/")+"/"); ok && dir != "." {
			return rest, false
		}
	}
	return p, isAbs(p)
}

// isAbs reports whether a path with slashes is absolute, on any system: sessions travel.
func isAbs(p string) bool {
	return strings.HasPrefix(p, "/") || len(p) > 2 && p[1] == ':' && p[2] == '/'
}
