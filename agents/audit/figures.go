package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"fmt"
	"os"
	"time"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/privatefile"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/report"
)

// maxFigures bounds the file of figures, in bytes: some ten thousand session files have so many.
const maxFigures = 64 << 20

// figures are what earlier audits found in session files, so that a file is read again only when it has changed: numbers, ids,
// names of tools, models and files, and the examples of what compactions lost, masked. No title and no message is among them.
type figures struct {
	Form  [sha256.Size]byte // of everything else that they depend on
	Files map[string]figure // by path
}

// figure is what was found in a file that had the stamp.
type figure struct {
	Stamp stamp
	Found finding
}

// stamp is what a file had when it was read.
type stamp struct {
	Size, Modified int64
	Subagents      uint64 // of the session, that have files of their own: their names
}

// finding is what was found in a session file.
type finding struct {
	Requests  []sighting
	Compacted bool
	Copied    []uint64 // requests that other files count
	Damage    Damage
	Measured  *report.Measured // nil: nothing counts
}

// form returns what figures depend on besides files: what is written of them, the program and the prices.
func (o Options) form() [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "beginnings %s %x", o.Program, o.Models.Digest()))
}

// load returns the figures that are kept. What is damaged, or of another form, is none.
func (o Options) load() figures {
	if o.Figures == "" {
		return figures{}
	}
	none := figures{Form: o.form(), Files: map[string]figure{}}
	raw, err := safefs.ReadFile(o.Figures, maxFigures)
	if err != nil || len(raw) < sha256.Size || privatefile.Check(o.Figures) != nil {
		return none
	}
	var found figures
	said, text := raw[:sha256.Size], raw[sha256.Size:]
	sum := sha256.Sum256(text)
	if !bytes.Equal(sum[:], said) || gob.NewDecoder(bytes.NewReader(text)).Decode(&found) != nil ||
		found.Form != none.Form {
		return none
	}
	return found
}

// save keeps the figures of the files that were read, and those of others that are still there. An audit does not need it.
func (w *work) save() {
	if w.Figures == "" || !w.anew.Load() {
		return
	}
	for path := range w.known.Files {
		if _, err := os.Lstat(path); err != nil {
			delete(w.known.Files, path)
		}
	}
	for i, f := range w.read {
		if src := w.files[i]; f.done && f.err == nil && !src.named {
			if f.Measured != nil {
				m := *f.Measured
				m.Title = ""
				f.Measured = &m
			}
			w.known.Files[src.path] = figure{src.stamp, f.finding}
		}
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(w.known); err != nil || b.Len() > maxFigures-sha256.Size {
		return
	}
	sum := sha256.Sum256(b.Bytes())
	_ = privatefile.Write(w.Figures, append(sum[:], b.Bytes()...)) // see above
}

// recall takes what is known of a file that has not changed, and reports whether there is such a thing.
func (w *work) recall(i int, about sessionfile.About) bool {
	src := w.files[i]
	old, ok := w.known.Files[src.path]
	if !ok || old.Stamp != src.stamp || src.named {
		return false
	}
	w.read[i].finding = old.Found
	if m := old.Found.Measured; m != nil {
		m.Title = about.Session.Title
	}
	w.advance(src.size)
	return true
}

// stampOf returns the stamp of a file, but for its subagents.
func stampOf(size int64, modified time.Time) stamp {
	return stamp{Size: size, Modified: modified.UnixNano()}
}
