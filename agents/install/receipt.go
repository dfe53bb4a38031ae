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
	Undo    []undo            `json:"undo,omitempty"`   // of version 1
}

// undo is what version 1 noted of an entry in a JSON file.
type undo struct {
	confedit.Entry
	Was  *string `json:"was,omitempty"`  // the value that it replaced, as it was written
	Made int     `json:"made,omitempty"` // how many of the values that hold it were made, from the innermost
}

// receiptVersion is the form of receipts that this program writes. It reads version 1, too, in which Before may have entries
// of ours.
const receiptVersion = 2

// maxReceipt bounds a receipt, in bytes: a configuration in base64, and some.
const maxReceipt = 2*confedit.MaxSize + 1<<20

// receipts is their directory in the state directory.
const receipts = "installed"

// receiptFile returns the path of the receipt of a configuration.
func (m Machine) receiptFile(real string) string {
	return filepath.Join(m.State, receipts, digest([]byte(real))[:32]+".json")
}

// receipt returns the receipt of a configuration, nil if there is none that can be read. That of an earlier version is
// made one of this.
func (m Machine) receipt(real string, f File) *receipt {
	r := m.stored(real)
	if r == nil {
		return nil
	}
	text, existed := r.Before, r.Existed
	var err error
	switch {
	case f.Table != nil:
		text, _, err = edit{file: f}.withoutTables(text)
	case f.Whole != "" && programIn(bridgeProgram(string(text))) != "":
		text, existed = nil, false
	case f.Whole == "" && r.Version == 1:
		text, _, err = f.stripped(text, r.made())
	case f.Whole == "":
		text, _, err = f.stripped(text, confedit.FormerUnknown)
	}
	if err == nil { // else it was no such file, and is given back as it was
		r.Before, r.Existed = text, existed
	}
	for _, u := range r.Undo {
		r.Wrote = append(r.Wrote, u.Value)
	}
	r.Version, r.Undo = receiptVersion, nil
	return r
}

// stored returns the receipt of a configuration as it was written, nil if there is none that can be read.
func (m Machine) stored(real string) *receipt {
	raw, err := safefs.ReadFile(m.receiptFile(real), maxReceipt)
	if err != nil {
		return nil
	}
	var r receipt
	if json.Unmarshal(raw, &r) != nil || r.Version < 1 || r.Version > receiptVersion || r.Path != real {
		return nil
	}
	return &r
}

// made returns what a receipt of version 1 says of what was there before: nothing where it made objects and lists, and
// what it replaced.
func (r *receipt) made() confedit.Former {
	return func(path []string) (json.RawMessage, bool) {
		for _, u := range r.Undo {
			inner := len(u.Path) // the depth of what holds the entry
			if !u.List {
				inner--
			}
			n := len(path)
			switch {
			case u.Was != nil && n > inner && slices.Equal(u.Path, path):
				if was := json.RawMessage(*u.Was); ownerOf(was) != ours {
					return was, true
				}
			case n > inner-u.Made && n <= inner && slices.Equal(u.Path[:n], path):
				return nil, true
			}
		}
		return nil, false
	}
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
