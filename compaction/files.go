package compaction

import (
	"cmp"
	"slices"
	"strings"

	"ctxledger.dev/compaction/effects"
	"ctxledger.dev/intents"
)

// fileState is what a session did to one file, net of what was undone, up to the newest entry of its log.
type fileState struct {
	effects.File
	failed   *Operation // the newest failure, until something succeeds
	failures int
	pending  *Operation
}

// affected reports whether the session did anything to the file that took effect, whatever became of it: effects.Changed
// is one of the states that it can be in.
func (f *fileState) affected() bool { return f.State != "" }

// gone reports whether the file is no longer there.
func (f *fileState) gone() bool { return f.State == effects.Deleted }

// undone reports whether what the session did to the file is gone for certain.
func (f *fileState) undone() bool { return f.State == effects.Undone && !f.Maybe }

// fileStates returns the files that operations of the session named, the most worthy first: those in focus, then the
// most recently touched.
func (w *work) fileStates() ([]*fileState, error) {
	tracker := &effects.Tracker{Dir: w.in.Session.Dir}
	trouble := make(map[string]*fileState) // what failed or is pending, by path
	for i := range w.in.Operations {
		op := &w.in.Operations[i]
		if w.in.talk.never[op.CallID] {
			continue
		}
		if op.Op == intents.OpShell || op.Op == intents.OpCommit {
			trackCommand(tracker, op)
			continue
		}
		if op.Target == "" {
			continue
		}
		switch f := trouble[w.in.path(op.Target)]; {
		case op.Status == intents.Applied:
			delete(trouble, w.in.path(op.Target))
			if err := w.track(tracker, op); err != nil {
				return nil, err
			}
		case f == nil:
			f = &fileState{File: effects.File{Path: w.in.path(op.Target)}}
			trouble[f.Path] = f
			fallthrough
		default:
			trouble[w.in.path(op.Target)].note(op)
		}
	}
	return w.sorted(tracker.Files(), trouble), nil
}

// note takes an operation without a known success.
func (f *fileState) note(op *Operation) {
	f.Seq = op.Seq
	if op.pending() {
		f.pending = op
		return
	}
	f.failed = op
	f.failures++
}

// trackCommand follows what a command did to files. Of a command that the ledger cut, only whole lines count.
func trackCommand(t *effects.Tracker, op *Operation) {
	command := op.Command
	if op.pending() || op.Status == intents.Failed && command == "" {
		return
	}
	if op.CommandCut() {
		command = command[:max(0, strings.LastIndexByte(command, '\n'))]
	}
	if op.Op == intents.OpCommit {
		command = "git commit -am x"
	}
	t.Shell(op.Turn, op.Seq, command, op.Status == intents.Applied && (op.ExitCode == nil || *op.ExitCode == 0))
}

// track follows one operation that succeeded.
func (w *work) track(t *effects.Tracker, op *Operation) error {
	path := w.in.path(op.Target)
	switch op.Op {
	case intents.OpDelete:
		t.Delete(op.Turn, op.Seq, path)
	case intents.OpMove:
		t.Move(op.Turn, op.Seq, w.in.path(op.From), path)
	case intents.OpCopy:
		t.Copy(op.Turn, op.Seq, w.in.path(op.From), path)
	default:
		return w.trackEdits(t, op, path)
	}
	return nil
}

// trackEdits follows the edits of one call.
func (w *work) trackEdits(t *effects.Tracker, op *Operation, path string) error {
	edits, err := w.in.editsOf(op)
	if err != nil {
		return err
	}
	said := strings.ToLower(op.Outcome)
	if w.explored.readBefore(path, op.Seq) || strings.Contains(said, "updated") {
		t.Known(path, "")
	}
	switch { // of arguments that are not known, or were forgotten
	case len(edits) > 0:
	case op.Op == intents.OpWrite:
		edits = []intents.Edit{{Path: op.Target, Whole: true}}
	default:
		t.Touch(op.Turn, op.Seq, path)
	}
	for _, e := range edits {
		at := path
		if len(edits) > 1 && e.Path != edits[0].Path {
			at = w.in.path(e.Path)
		}
		t.Edit(op.Turn, op.Seq, effects.Edit{Path: at, Old: e.Old, New: e.New, Whole: e.Whole, All: e.All,
			Created: e.Whole && strings.Contains(said, "created")})
	}
	return nil
}

// sorted joins what is known of each file.
func (w *work) sorted(files []effects.File, trouble map[string]*fileState) []*fileState {
	w.moves = make(map[string]string)
	var all []*fileState
	for _, f := range files {
		f.Path = w.in.path(f.Path)
		st := &fileState{File: f}
		if f.From != "" {
			w.moves[w.in.path(f.From)] = f.Path
		}
		if t := trouble[f.Path]; t != nil {
			st.failed, st.failures, st.pending = t.failed, t.failures, t.pending
			st.Seq = max(st.Seq, t.Seq)
			delete(trouble, f.Path)
		}
		all = append(all, st)
	}
	for _, t := range trouble {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *fileState) int {
		return cmp.Or(w.focus.compare(a.Path, b.Path), cmp.Compare(b.Seq, a.Seq), strings.Compare(a.Path, b.Path))
	})
	return all
}
