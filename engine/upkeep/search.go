package upkeep

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"ctxledger.dev/internal/confedit"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/internal/scrub"
	"ctxledger.dev/kv/held"
	"ctxledger.dev/ledger"
	"ctxledger.dev/workspace"
)

// exportsDir has the files that are written from the ledger and never read back.
const exportsDir = "exports"

// blobsDir is where the store keeps blobs. They are compressed, so they are searched through the store and not as files.
const blobsDir = "blobs"

// removeExports removes the exported files, which are then written again from what is left.
func (l *Upkeep) removeExports() error {
	const op = "engine.forget"
	state, err := safefs.OpenRoot(l.core.State)
	if err != nil {
		return fault.Wrap(fault.Unavailable, op, err)
	}
	defer state.Close() // no longer needed
	names, err := fs.ReadDir(safefs.Files(state), exportsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range names { // one by one: a link in the place of the directory must not empty another one
		err = errors.Join(err, state.RemoveAll(path.Join(exportsDir, e.Name())))
	}
	return fault.Wrap(fault.Unavailable, op, err)
}

// removeFigures removes the figures that audits keep, and what a killed one left of writing them.
func removeFigures(state string) error {
	file := workspace.Figures(state)
	all, err := filepath.Glob(filepath.Join(filepath.Dir(file), "."+filepath.Base(file)+".*"))
	for _, name := range append(all, file) {
		if e := os.Remove(name); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return fault.Wrap(fault.Unavailable, "engine.forget", err)
}

// searchState searches every file of the state directory and every blob for a text. It returns how many it searched, and
// the places that contain the text.
func (l *Upkeep) searchState(ctx context.Context, t scrub.Text) (searched int, left []ledger.LeftPlace, err error) {
	left = []ledger.LeftPlace{}
	err = filepath.WalkDir(l.core.State, func(place string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // gone in the meantime
		case err != nil:
			return err
		case d.IsDir() && place == filepath.Join(l.core.State, blobsDir):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		searched++
		if why := searchFile(ctx, l.core.State, place, t); why != "" && len(left) < maxLeft {
			left = append(left, ledger.LeftPlace{Place: place, Why: why})
		}
		return ctx.Err()
	})
	if err != nil {
		return searched, left, fault.Wrap(fault.Unavailable, "engine.search", err)
	}
	for b, err := range l.core.Store.Blobs(ctx) {
		if err != nil {
			return searched, left, err
		}
		searched++
		holds, err := l.blobHolds(ctx, b.Hash, t)
		if err != nil {
			return searched, left, err
		}
		if holds && len(left) < maxLeft {
			left = append(left, ledger.LeftPlace{
				Place: "blob " + b.Hash, Why: "it was stored while the text was being forgotten: forget it again",
			})
		}
	}
	return searched, left, nil
}

// whyForeign says why a file that is not the file of records holds a text.
const whyForeign = "ctxledger did not write it from the ledger, or wrote it earlier: remove the file if it is not needed"

// searchFile searches a file of a state directory for a text and says why the text is left there, "" when it is not
// there.
func searchFile(ctx context.Context, state, file string, t scrub.Text) string {
	f, _, err := safefs.OpenListed(file)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		return "it cannot be read: " + err.Error()
	}
	defer f.Close() // opened for reading
	row := rowOf(state, file)
	found, err := t.Find(ctx, f)
	if err == nil && !found && row.Name == receipts {
		found, err = inReceipt(ctx, f, t)
	}
	switch {
	case err != nil:
		return "it cannot be read: " + err.Error()
	case !found:
		return ""
	case filepath.Base(file) == held.Ledger:
		return "it is part of an id or a name used by the ledger itself, or it has just been recorded again"
	}
	return cmp.Or(row.Left, whyForeign)
}

// rowOf returns the row of the inventory for a file of a state directory, the zero Place if there is none.
func rowOf(state, file string) Place {
	name, err := filepath.Rel(state, file)
	if err != nil {
		return Place{}
	}
	for _, p := range Inventory() {
		if ok, _ := path.Match(p.Name, filepath.ToSlash(name)); ok && p.Kind == File {
			return p
		}
	}
	return Place{}
}

// inReceipt reports whether the settings that a receipt of install keeps, in base64, hold the text.
func inReceipt(ctx context.Context, f io.ReadSeeker, t scrub.Text) (bool, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	var r struct {
		Before []byte `json:"before"`
	}
	if json.NewDecoder(io.LimitReader(f, 4*confedit.MaxSize)).Decode(&r) != nil {
		return false, nil // it is none
	}
	return t.Find(ctx, bytes.NewReader(r.Before))
}
