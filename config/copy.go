package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	"ctxledger.dev/internal/privatefile"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/internal/yamldoc"
)

// copyOf returns where the last valid version of a document is kept, for the tree that it holds in; "" without a
// state directory. Worktrees share one, so the name has the tree in it.
func copyOf(state string, d document, root string) string {
	if state == "" {
		return ""
	}
	name := "user"
	if !d.user {
		sum := sha256.Sum256([]byte(root))
		name = hex.EncodeToString(sum[:])[:16]
	}
	return filepath.Join(state, "settings-"+name+".yaml")
}

// keep keeps a valid document as the last valid version. One that cannot be kept is not there when it is needed, which
// is said then. A state directory that does not exist is not made: nothing was recorded yet.
func (d document) keep(path string) {
	if path == "" {
		return
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return
	}
	if kept, err := safefs.ReadFile(path, yamldoc.Max); err == nil && bytes.Equal(kept, d.data) {
		return
	}
	if d.data == nil {
		_ = os.Remove(path) // mostly there is none
		return
	}
	_ = privatefile.Write(path, d.data) // see above
}

// kept returns the last valid version of a document. Its summarizer is not to be used: what runs a program or opens a
// connection is taken from the present file alone.
func (d document) kept(path string) (document, bool) {
	d.data, d.fields, d.places = nil, nil, places{}
	if path == "" {
		return d, false
	}
	data, err := readIn(filepath.Dir(path), filepath.Base(path))
	if err != nil || data == nil {
		return d, false
	}
	d.data = data
	return d, failed(d.check()) == nil // by the rules of today
}
