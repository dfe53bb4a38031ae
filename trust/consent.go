package trust

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/privatefile"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/workspace"
)

// Consent is what a person has confirmed for one tree.
type Consent struct {
	Version int       `json:"version"` // of this form
	Given   time.Time `json:"given"`
	Ask     Ask       `json:"ask"`
}

// maxConsent bounds a consent on the disk, in bytes: 64 arguments of 2,000 bytes and a template, escaped.
const maxConsent = 1 << 20

// version is the form of a Consent that is written. One of another form does not count.
const version = 1

// directory returns where consents are kept.
func directory(ws workspace.Workspace) string { return filepath.Join(ws.UserState, "trust") }

// fileOf returns where the consent for a tree is kept.
func fileOf(ws workspace.Workspace, root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(directory(ws), hex.EncodeToString(sum[:])[:32]+".json")
}

// readConsent returns the consent for a tree: nil for none that counts.
func readConsent(ws workspace.Workspace, root string) *Consent {
	c := readFile(fileOf(ws, root))
	if c == nil || c.Ask.Root != root {
		return nil
	}
	return c
}

// readFile reads a consent: nil for what is none, or what others could have written.
func readFile(path string) *Consent {
	if privatefile.Check(path) != nil || privatefile.Check(filepath.Dir(path)) != nil {
		return nil
	}
	raw, err := safefs.ReadFile(path, maxConsent)
	if err != nil {
		return nil
	}
	var c Consent
	if json.Unmarshal(raw, &c) != nil || c.Version != version {
		return nil
	}
	return &c
}

// give records a consent.
func give(ws workspace.Workspace, c Consent) error {
	raw, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fault.Wrap(fault.Internal, "trust.give", err)
	}
	return privatefile.Write(fileOf(ws, c.Ask.Root), append(raw, '\n'))
}

// List returns the consents that count, by the roots of their trees. Errors: unavailable.
func List(ws workspace.Workspace) ([]Consent, error) {
	entries, err := os.ReadDir(directory(ws))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Wrap(fault.Unavailable, "trust.list", err)
	}
	list := []Consent{}
	for _, e := range entries {
		if c := readFile(filepath.Join(directory(ws), e.Name())); c != nil &&
			fileOf(ws, c.Ask.Root) == filepath.Join(directory(ws), e.Name()) {
			list = append(list, *c)
		}
	}
	slices.SortFunc(list, func(a, b Consent) int { return cmp.Compare(a.Ask.Root, b.Ask.Root) })
	return list, nil
}

// Revoke takes back the consent for a tree. Errors: not_found when there is none; unavailable.
func Revoke(ws workspace.Workspace, root string) error {
	err := os.Remove(fileOf(ws, root))
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.NotFound, "trust.revoke", "nothing was confirmed for %s",
			quote(root)).WithHint("`ctxledger config trust --list` shows what was")
	}
	return fault.Wrap(fault.Unavailable, "trust.revoke", err)
}
