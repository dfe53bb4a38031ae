package records

import (
	"context"
	"path"
	"strings"

	"ctxledger.dev/changes"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
)

// Bounds on the texts before and after an edit.
const (
	maxSide  = 128 << 10 // bytes; a longer one has no document: shown in full, it would not fit one
	interval = "⋯"       // the line between the places of one call's edits, in both texts
)

// Diff is the addresses of the texts before and after a change; both are empty where the record does not declare both.
type Diff struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

// Diff returns the addresses of the texts that the call of a change declares: what it replaces and what by. The ledger
// keeps no files, so it is not the whole file.
//
// Errors: invalid for an address that is not a change's; those of the ledger.
func (r Reader) Diff(ctx context.Context, a Address) (Diff, error) {
	if a.Kind != KindChange {
		return Diff{}, fault.New(fault.Invalid, "records.diff", "a %q has no before and after text", a.Kind)
	}
	c, err := r.changeOf(ctx, a.ID)
	if err != nil {
		return Diff{}, err
	}
	if _, ok, err := r.sides(ctx, c); err != nil || !ok {
		return Diff{}, err
	}
	name, err := r.mask(ctx, flat(c.Path))
	if err != nil {
		return Diff{}, err
	}
	title := fileTab(path.Base(shown(name)))
	before, after := Address{Kind: KindBefore, ID: a.ID, Title: title}, Address{Kind: KindAfter, ID: a.ID, Title: title}
	return Diff{before.String(), after.String()}, nil
}

// sideText returns the text before or after a change. Errors: not_found if the record does not declare both.
func (r Reader) sideText(ctx context.Context, a Address) (string, error) {
	c, err := r.changeOf(ctx, a.ID)
	if err != nil {
		return "", err
	}
	s, ok, err := r.sides(ctx, c)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", fault.New(fault.NotFound, "records.diff", "change %s has no before and after text", a.ID)
	}
	text := s.before
	if a.Kind == KindAfter {
		text = s.after
	}
	text, _, err = r.document(ctx, text, true)
	return text, err
}

// sides are the texts before and after the edits of a call in one file.
type sides struct{ before, after string }

// sides returns what the call of a change declares about its file. It reports whether that is both texts, and short
// enough to be shown in full.
func (r Reader) sides(ctx context.Context, c changes.Change) (sides, bool, error) {
	if c.Session == "" || c.Intent == "" || c.Op == changes.Deleted {
		return sides{}, false, nil
	}
	in, err := r.intentOf(ctx, c)
	if err != nil || in == nil {
		return sides{}, false, err
	}
	raw, err := r.rawArguments(ctx, *in)
	if err != nil {
		return sides{}, false, err
	}
	s, ok := sidesOf(editsOf(c.Path, intents.Edits(in.Name, raw)), isNew(c, *in))
	return s, ok, nil
}

// isNew reports whether it is known that a change created its file, because somebody looked before. That the ledger has
// no earlier record of the file is not enough.
func isNew(c changes.Change, in intents.Intent) bool {
	return c.Op == changes.Created && (c.Source == changes.Observed || in.PreHash == intents.Absent)
}

// names reports whether a path as a call gives it may be that of a file, relative to its tree or not.
func names(given, file string) bool {
	given = path.Clean(strings.ReplaceAll(given, `\`, "/"))
	return given == file || strings.HasSuffix(given, "/"+file)
}

// editsOf returns the edits in a file of those of a call: of several files whose paths end like that one, the one with
// the shortest path.
func editsOf(file string, all []intents.Edit) []intents.Edit {
	found, best := []intents.Edit(nil), ""
	for _, e := range all {
		if !names(e.Path, file) {
			continue
		}
		if best == "" || len(e.Path) < len(best) {
			found, best = nil, e.Path
		}
		if e.Path == best {
			found = append(found, e)
		}
	}
	return found
}

// sidesOf joins the edits of a file. A new file has no text before; of one that is written whole, that is not known.
func sidesOf(edits []intents.Edit, created bool) (s sides, ok bool) {
	for i, e := range edits {
		if e.Whole && (!created || len(edits) > 1) {
			return sides{}, false
		}
		if i > 0 {
			s.before += interval + "\n"
			s.after += interval + "\n"
		}
		s.before += ended(e.Old)
		s.after += ended(e.New)
		if len(s.before) > maxSide || len(s.after) > maxSide {
			return sides{}, false
		}
	}
	return s, s.before != s.after
}

// ended returns a text that ends with the end of a line, unless it is empty.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}
