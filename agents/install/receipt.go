package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/confedit"
	"ctxledger.dev/internal/privatefile"
	"ctxledger.dev/internal/safefs"
)

// receipt says what was done to a configuration, so that it can be undone. It lies in the state directory, readable by
// the user alone: it has the whole file as it was.
type receipt struct {
	Version int               `json:"version"`
	Agent   sessionfile.Agent `json:"agent"`
	Path    string            `json:"path"` // of the file, without symbolic links
	Existed bool              `json:"existed"`
	Before  []byte            `json:"before,omitempty"` // the file as it was
	After   string            `json:"after"`            // SHA-256 of the file as it was left
	Dirs    []string          `json:"dirs,omitempty"`   // that were made for it, the innermost first
	Undo    []confedit.Undo   `json:"undo,omitempty"`   // of a JSON file, in the order of the edits
	Added   string            `json:"added,omitempty"`  // to a TOML file
}

// receiptVersion is the form of receipts that this program writes and reads.
const receiptVersion = 1

// maxReceipt bounds a receipt, in bytes: a configuration in base64, and some.
const maxReceipt = 2*confedit.MaxSize + 1<<20

// receiptFile returns the path of the receipt of a configuration.
func (m Machine) receiptFile(real string) string {
	return filepath.Join(m.State, "installed", digest([]byte(real))[:32]+".json")
}

// receipt returns the receipt of a configuration, nil if there is none that can be read.
func (m Machine) receipt(real string) *receipt {
	raw, err := safefs.ReadFile(m.receiptFile(real), maxReceipt)
	if err != nil {
		return nil
	}
	var r receipt
	if json.Unmarshal(raw, &r) != nil || r.Version != receiptVersion || r.Path != real {
		return nil
	}
	return &r
}

// keep stores a receipt, or removes that of a path if r is nil.
func (m Machine) keep(real string, r *receipt) error {
	path := m.receiptFile(real)
	if r == nil {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return err
		}
		return nil
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return privatefile.Write(path, raw)
}

// wrote reports whether a value of an entry is one that a receipt says was written.
func (r *receipt) wrote(e confedit.Entry, found json.RawMessage) bool {
	if r == nil {
		return false
	}
	for _, u := range r.Undo {
		if slices.Equal(u.Path, e.Path) && u.List == e.List && sameValue(u.Value, found) {
			return true
		}
	}
	return false
}

// knows reports whether a receipt is about an entry.
func (r *receipt) knows(e confedit.Entry) bool {
	return r != nil && slices.ContainsFunc(r.Undo, func(u confedit.Undo) bool {
		return slices.Equal(u.Path, e.Path) && u.List == e.List
	})
}

// sameValue compares a value with one of a file.
func sameValue(a, found json.RawMessage) bool {
	text := append(append([]byte(`{"v":`), found...), '}')
	state, _, err := confedit.Find(text, confedit.Entry{Path: []string{"v"}, Value: a}, mine)
	return err == nil && state == confedit.Same
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
