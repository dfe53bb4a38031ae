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
	Before  []byte            `json:"before,omitempty"` // the file as it would be without us: it has no entry of ours
	After   string            `json:"after"`            // SHA-256 of the file as it was left
	Dirs    []string          `json:"dirs,omitempty"`   // that were made for it, the innermost first
	Wrote   []json.RawMessage `json:"wrote,omitempty"`  // values of entries in a JSON file, of all times
	Added   string            `json:"added,omitempty"`  // to a TOML file
}

// receiptVersion is the form of receipts.
const receiptVersion = 2

// maxReceipt bounds a receipt, in bytes: a configuration in base64, and some.
const maxReceipt = 2*confedit.MaxSize + 1<<20

// receipts is their directory in the state directory.
const receipts = "installed"

// receiptFile returns the path of the receipt of a configuration.
func (m Machine) receiptFile(real string) string {
	return filepath.Join(m.State, receipts, digest([]byte(real))[:32]+".json")
}

// stored returns the receipt of a configuration, nil if there is none that can be read.
func (m Machine) stored(real string) *receipt {
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

// left reports whether a text is what the edit left.
func (r *receipt) left(text []byte) bool { return r != nil && r.After == digest(text) }

// former returns what the file held before our entries came.
func (r *receipt) former() confedit.Former {
	if r == nil {
		return confedit.FormerUnknown
	}
	return confedit.FormerText(r.Before)
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
	if err := privatefile.Write(path, raw); err != nil {
		return err
	}
	if m.kept != nil {
		m.kept()
	}
	return nil
}

// wrote reports whether a value of an entry is one that was written.
func (r *receipt) wrote(found json.RawMessage) bool {
	if r == nil {
		return false
	}
	if g := groupOf(found); g.has(ours) {
		found = g.ourPart()
	}
	return slices.ContainsFunc(r.Wrote, func(own json.RawMessage) bool { return confedit.SameValue(own, found) })
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
