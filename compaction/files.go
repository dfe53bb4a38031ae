package compaction

import (
	"cmp"
	"slices"
	"strings"

	"ctxledger.dev/intents"
)

// fileState is what a session did to one file, up to the newest entry of its log, so that nothing is printed as
// current that later work undid.
type fileState struct {
	path      string
	created   int // turn in which it came to be; 0: it was there before, or that is not known
	origin    string
	edits     int
	rewrites  int
	firstEdit int
	lastEdit  int
	moved     string     // "moved here from a.go (turn 5)"
	gone      string     // "deleted (turn 8)" when it is no longer there
	unsure    string     // why its state is not known
	failed    *Operation // the newest failure, until something succeeds
	failures  int
	pending   *Operation
	applied   int   // operations that took effect
	touched   int64 // newest operation
}

// fileTable is the files of a session by their present paths.
type fileTable struct {
	src    *source
	byPath map[string]*fileState
	all    []*fileState
}

// fileStates returns the files that operations of the session named, the most worthy first: those in
// focus, then the most recently touched.
func (s *source) fileStates() []*fileState {
	s.moves = make(map[string]string)
	t := &fileTable{src: s, byPath: make(map[string]*fileState)}
	for i := range s.in.Operations {
		t.take(&s.in.Operations[i])
	}
	all := t.all
	slices.SortStableFunc(all, func(a, b *fileState) int {
		return cmp.Or(s.compareFocus(a.path, b.path), cmp.Compare(b.touched, a.touched),
			strings.Compare(a.path, b.path))
	})
	return all
}

func (t *fileTable) get(p string) *fileState {
	f := t.byPath[p]
	if f == nil {
		f = &fileState{path: p}
		t.byPath[p] = f
		t.all = append(t.all, f)
	}
	return f
}

// under returns the files at a path or below it.
func (t *fileTable) under(p string) []*fileState {
	var out []*fileState
	for _, f := range t.all {
		if f.path == p || strings.HasPrefix(f.path, p+"/") {
			out = append(out, f)
		}
	}
	return out
}

// take adds one operation.
func (t *fileTable) take(op *Operation) {
	if op.Op == intents.OpShell && !op.pending() {
		t.shellActs(op)
	}
	if op.shell() || op.Target == "" {
		return
	}
	if op.Op == intents.OpMove && op.From != "" && op.Status == intents.Applied {
		f := t.get(t.src.path(op.From))
		f.touched = op.Seq
		t.move(f, t.src.path(op.Target), op.Turn)
		return
	}
	f := t.get(t.src.path(op.Target))
	f.touched = op.Seq
	switch {
	case op.pending():
		f.pending = op
	case op.Status == intents.Failed:
		f.failed = op
		f.failures++
	default:
		f.apply(op, t.src.explored.readBefore(f.path, op.Seq))
		if op.Op == intents.OpCopy && op.From != "" {
			f.origin += " " + t.src.path(op.From)
		}
	}
}

// movedChars bounds what is printed of earlier moves of a file.
const movedChars = 300

// move gives a file its new path; its earlier changes stay recorded.
func (t *fileTable) move(f *fileState, to string, turn int) {
	delete(t.src.moves, to)
	if old := t.byPath[to]; old != nil && old != f {
		old.gone = "replaced by " + f.path + " (" + turnRange(turn, turn) + ")"
		old.path += " (the former)"
	}
	earlier := ""
	if f.moved != "" {
		earlier = ", before that " + oneLine(strings.TrimPrefix(f.moved, "moved here "), movedChars)
	}
	f.moved = "moved here from " + f.path + " (" + turnRange(turn, turn) + ")" + earlier
	t.src.moves[f.path] = to
	delete(t.byPath, f.path)
	f.path = to
	t.byPath[to] = f
	f.applied++
	f.gone, f.unsure, f.failed, f.pending = "", "", nil, nil
}

// apply takes one successful operation into account. known says that the file had been read before.
func (f *fileState) apply(op *Operation, known bool) {
	fresh := f.applied == 0 && !known || f.gone != ""
	f.applied++
	f.failed, f.pending, f.unsure = nil, nil, ""
	switch op.Op {
	case intents.OpDelete:
		f.gone = "deleted (" + turnRange(op.Turn, op.Turn) + ")"
		return
	case intents.OpCopy:
		f.created, f.origin = op.Turn, "copied from"
	case intents.OpWrite:
		said := strings.ToLower(op.Outcome)
		if strings.Contains(said, "created") || fresh && !strings.Contains(said, "updated") {
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
	if f.moved != "" {
		parts = append(parts, f.moved)
	}
	if n := f.edits + f.rewrites; n > 0 {
		verb := "edited"
		if f.edits == 0 {
			verb = "rewritten"
		}
		when := turnRange(f.lastEdit, f.lastEdit)
		if f.firstEdit < f.lastEdit {
			when = "to " + when
		}
		parts = append(parts, verb+times(n)+" ("+when+")")
	}
	if f.failed != nil {
		parts = append(parts, "last edit FAILED ("+turnRange(f.failed.Turn, f.failed.Turn)+")")
	}
	if f.pending != nil {
		parts = append(parts, "an edit was INTERRUPTED ("+turnRange(f.pending.Turn, f.pending.Turn)+")")
	}
	if f.unsure != "" {
		parts = append(parts, f.unsure)
	}
	return strings.Join(parts, ", ")
}
