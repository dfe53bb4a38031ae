package compaction

import (
	"cmp"
	"slices"
	"strings"
)

// fileState is what a session did to one file, up to the newest entry of its log, so that nothing
// that later work undid is told as current.
type fileState struct {
	path      string
	created   int // turn in which it came to be; 0: it was there before, or that is not known
	origin    string
	edits     int
	rewrites  int
	firstEdit int
	lastEdit  int
	gone      string     // "deleted (turn 8)" when it is no longer there
	failed    *Operation // the newest failure, until something succeeds
	failures  int
	pending   *Operation
	applied   int   // operations that took effect
	inRange   bool  // some of them in the compacted range
	touched   int64 // newest operation
}

// fileStates returns the files that operations of the compacted range named, the most worthy first:
// those in focus, then the most recently touched.
func (s *source) fileStates() []*fileState {
	byPath := make(map[string]*fileState)
	var all []*fileState
	get := func(p string) *fileState {
		p = s.path(p)
		f := byPath[p]
		if f == nil {
			f = &fileState{path: p}
			byPath[p] = f
			all = append(all, f)
		}
		return f
	}
	for i := range s.in.Operations {
		op := &s.in.Operations[i]
		if op.shell() || op.Target == "" {
			continue
		}
		f := get(op.Target)
		f.touched = op.Seq
		f.inRange = f.inRange || op.Seq <= s.last
		switch {
		case op.pending():
			f.pending = op
		case op.Status == statusFailed:
			f.failed = op
			f.failures++
		default:
			f.apply(op, s.explored.readBefore(f.path, op.Seq))
			if op.Op == opMove && op.From != "" {
				from := get(op.From)
				from.gone = "moved to " + f.path + " (" + turnRange(op.Turn, op.Turn) + ")"
				from.applied++
				from.touched = op.Seq
				from.inRange = from.inRange || op.Seq <= s.last
				from.failed, from.pending = nil, nil
			}
			if op.From != "" {
				f.origin += " " + s.path(op.From)
			}
		}
	}
	all = slices.DeleteFunc(all, func(f *fileState) bool { return !f.inRange })
	slices.SortStableFunc(all, func(a, b *fileState) int {
		if fa, fb := s.focused(a.path), s.focused(b.path); fa != fb {
			return boolFirst(fa)
		}
		return cmp.Or(cmp.Compare(b.touched, a.touched), strings.Compare(a.path, b.path))
	})
	return all
}

func boolFirst(first bool) int {
	if first {
		return -1
	}
	return 1
}

// apply takes one successful operation into account. known says that the file had been read before.
func (f *fileState) apply(op *Operation, known bool) {
	fresh := f.applied == 0 && !known || f.gone != ""
	f.applied++
	f.failed, f.pending = nil, nil
	switch op.Op {
	case opDelete:
		f.gone = "deleted (" + turnRange(op.Turn, op.Turn) + ")"
		return
	case opMove:
		f.created, f.origin = op.Turn, "moved here from"
	case opCopy:
		f.created, f.origin = op.Turn, "copied from"
	case opWrite:
		told := strings.ToLower(op.Outcome)
		if strings.Contains(told, "created") || fresh && !strings.Contains(told, "updated") {
			f.reset()
			f.created, f.origin = op.Turn, "created"
		} else {
			f.rewrites++
			f.edited(op.Turn)
		}
	default:
		f.edits++
		f.edited(op.Turn)
	}
	f.gone = ""
}

func (f *fileState) reset() { f.edits, f.rewrites, f.firstEdit, f.lastEdit = 0, 0, 0, 0 }

func (f *fileState) edited(turn int) {
	if f.firstEdit == 0 {
		f.firstEdit = turn
	}
	f.lastEdit = turn
}

// done says what was done to the file, in words: "created (turn 2), edited ×4 (turns 3–7)".
func (f *fileState) done() string {
	if f.gone != "" {
		return f.gone
	}
	var parts []string
	if f.created > 0 {
		parts = append(parts, f.origin+" ("+turnRange(f.created, f.created)+")")
	}
	if n := f.edits + f.rewrites; n > 0 {
		verb := "edited"
		if f.edits == 0 {
			verb = "rewritten"
		}
		parts = append(parts, verb+times(n)+" ("+turnRange(f.firstEdit, f.lastEdit)+")")
	}
	if f.failed != nil {
		parts = append(parts, "last edit FAILED ("+turnRange(f.failed.Turn, f.failed.Turn)+")")
	}
	if f.pending != nil {
		parts = append(parts, "an edit was INTERRUPTED ("+turnRange(f.pending.Turn, f.pending.Turn)+")")
	}
	return strings.Join(parts, ", ")
}
