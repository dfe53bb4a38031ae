package effects

import (
	"cmp"
	"slices"
	"strings"

	"ctxledger.dev/internal/paths"
)

// State is what became of a file since the session began.
type State string

// The states of a file.
const (
	Created State = "created" // it was not there before
	Changed State = "changed"
	Deleted State = "deleted" // it was there before
	Moved   State = "moved"   // from From, and perhaps changed; it was there before
	Undone  State = "undone"  // what the session did to it is gone; a file that the session created is gone
)

// File is the net effect of a session on one file.
type File struct {
	Path  string // relative to the session's directory if it is below, else absolute
	From  string // where it was moved from, or copied from
	State State

	// By and ByTurn tell what deleted the file or undid edits of it: "git checkout", "rm", "edit" for a later edit.
	// With a State of Changed or Created, only some edits were undone.
	By     string
	ByTurn int
	Maybe  bool // By may have undone edits or deleted the file: State does not assume that
	Lost   int  // edits that were undone for certain

	FirstTurn, LastTurn int   // turns of the first and the last edit; 0: no edit
	Edits               int   // all edits, the undone ones included
	Seq                 int64 // of the newest operation on the file

	Change // net: of names that came and went there is nothing
}

// Tracker follows the files of one session. Its methods take the operations that succeeded, in their order; Shell
// takes failed commands as well. The zero value is ready; a session's turns count from 1.
type Tracker struct {
	// Dir is the session's directory, absolute; commands without a cd run there.
	Dir string

	paths    map[string]*file
	all      []*file // in order of appearance
	roots    []string
	absolute bool // some file has an absolute path
	stashed  int  // how many entries git's stash has, of the session, at most
}

// cause is a command or an edit that takes effects away.
type cause struct {
	by   string
	turn int
	seq  int64
	sure bool
}

// file is one path with its contents, as far as they are known: before the session, now, in git's index and in HEAD.
type file struct {
	path, from              string
	root                    string // of its work tree, when so many roots were known:
	roots                   int
	base, work, index, head version
	first, last, edits      int
	seq                     int64
	undo                    cause // the newest that took effects away
	lost                    int
	maybe                   cause // may have taken effects away since
	vague                   bool  // an add or commit may have failed: index and HEAD are not known
	baseText                bool  // base.text is known
	moved                   bool  // base is that of from
	listed                  bool  // an operation of the session named it, beyond reading
}

// maxFiles bounds the files of a session: those that come up later are not listed.
const maxFiles = 5000

func (t *Tracker) file(p string) *file {
	f := t.paths[p]
	if f == nil {
		if t.paths == nil {
			t.paths = make(map[string]*file)
		}
		f = &file{path: p}
		f.base.exists = true
		f.work, f.index, f.head = f.base, f.base, f.base
		if len(t.all) < maxFiles {
			t.paths[p] = f
			t.absolute = t.absolute || paths.IsAbs(p)
			t.all = append(t.all, f)
		}
	}
	return f
}

// key returns the name of a path here: relative to the session's directory if it is below.
func (t *Tracker) key(dir, p string) string {
	full := paths.Abs(t.Dir, p)
	if dir != "" && !paths.IsAbs(p) {
		full = paths.Abs(t.Dir, dir+"/"+p)
	}
	if rest, ok := paths.Below(t.Dir, full); ok {
		return rest
	}
	return full
}

// Known notes that a file existed before an operation of the session changed it: it was read or listed. The text is
// its whole content, or empty where that is not known.
func (t *Tracker) Known(p, text string) {
	f := t.file(t.key("", p))
	if !f.listed && text != "" && len(text) <= maxText {
		f.baseText = true
		f.base.text, f.base.known = text, true
		f.work, f.index, f.head = f.base, f.base, f.base
	}
}

// Edit takes an edit that succeeded.
func (t *Tracker) Edit(turn int, seq int64, e Edit) {
	if !e.Whole && e.Old == e.New {
		return
	}
	key := t.key("", e.Path)
	fresh := t.paths[key] == nil
	f := t.file(key)
	if e.Whole && (e.Created && !f.listed || fresh && e.Old == "") {
		f.base = version{}
		f.work, f.index, f.head = f.base, f.base, f.base
		f.baseText = false
	}
	if e.Whole && e.Old != "" && !f.listed && !f.baseText {
		t.Known(e.Path, e.Old)
	}
	if e.Whole || !f.work.exists {
		f.maybe = cause{}
	}
	f.touch(turn, seq)
	var back, seen bool
	had := f.work.n
	f.work, back, seen = f.work.edit(e, turn)
	if f.baseText && f.work.known && f.work.text == f.base.text {
		f.work, back = f.base, true
	}
	if seen {
		f.maybe = cause{} // what was in doubt is there: this edit matched it
	}
	if back {
		f.undo = cause{by: ByEdit, turn: turn, seq: seq, sure: true}
		f.lost += max(0, had+1-f.work.n)
	}
}

// Touch takes a change that succeeded and of which nothing is known but that it took place.
func (t *Tracker) Touch(turn int, seq int64, p string) {
	f := t.file(t.key("", p))
	f.touch(turn, seq)
	f.work = f.work.opaque(turn)
}

// ByEdit is the By of a file whose edits a later edit took back.
const ByEdit = "edit"

// touch notes an edit.
func (f *file) touch(turn int, seq int64) {
	f.listed = true
	if f.edits == 0 {
		f.first = turn
	}
	f.edits++
	f.last, f.seq = turn, seq
}

// set gives a file other contents, or notes that it may have them.
func (f *file) set(to version, by cause) {
	if f.work.same(to) && !f.maybe.found() {
		return
	}
	f.listed = true
	f.seq = max(f.seq, by.seq)
	if f.maybe.by == byStash {
		return // it may come back
	}
	if !by.sure {
		f.maybe = by
		return
	}
	f.lost += max(0, f.work.n-to.n)
	f.work, f.undo, f.maybe = to, by, cause{}
}

func (c cause) found() bool { return c.by != "" }

// Delete takes the deletion of a file or directory by a tool.
func (t *Tracker) Delete(turn int, seq int64, p string) {
	t.remove(t.key("", p), cause{byDelete, turn, seq, true}, false)
}

const byDelete = "delete"

// likely reports whether a path that did not come up before is plausibly a file of the project.
func (t *Tracker) likely(key string) bool { return below(".", key) && matcherOf(key, "") != nil }

// remove takes the deletion of what is at a path and below; git's index follows where git did it.
func (t *Tracker) remove(key string, by cause, git bool) {
	hit := t.under(key)
	if len(hit) == 0 && (git || by.by == byDelete || t.likely(key)) {
		hit = append(hit, t.file(key))
	}
	for _, f := range hit {
		f.set(version{}, by)
		if git && by.sure {
			f.index = version{}
		}
	}
}

// under returns the files at a path or below it.
func (t *Tracker) under(key string) []*file {
	if f := t.paths[key]; f != nil {
		return []*file{f}
	}
	var out []*file
	for _, f := range t.all {
		if below(key, f.path) {
			out = append(out, f)
		}
	}
	return out
}

// below reports whether a path is in a directory, which may be ".", or the directory itself.
func below(dir, p string) bool {
	switch dir {
	case p, "/":
		return true
	case ".":
		return !paths.IsAbs(p) && p != ".." && !strings.HasPrefix(p, "../")
	}
	return strings.HasPrefix(p, dir) && len(p) > len(dir) && p[len(dir)] == '/'
}

// Move takes the move of a file or directory.
func (t *Tracker) Move(turn int, seq int64, from, to string) {
	t.move(t.key("", from), t.key("", to), cause{"move", turn, seq, true}, false)
}

func (t *Tracker) move(from, to string, by cause, git bool) {
	hit := t.under(from)
	if len(hit) == 0 {
		if !t.likely(from) {
			return // a directory of which nothing is known, or a file elsewhere
		}
		hit = append(hit, t.file(from))
	}
	for _, f := range hit {
		target := to + strings.TrimPrefix(f.path, from)
		if !by.sure {
			f.set(version{}, by)
			continue
		}
		if target == f.path || !f.work.exists {
			continue
		}
		t.arrive(f, target, by, git)
	}
}

// arrive gives the contents of f to the file at another path.
func (t *Tracker) arrive(f *file, target string, by cause, git bool) {
	was := t.paths[target]
	n := t.file(target)
	if was == nil {
		n.index, n.head = version{}, version{}
	}
	if f.from == target { // back where it was: its own base counts again
		n.from, n.moved = "", false
	} else {
		n.base, n.baseText, n.moved, n.from = f.base, f.baseText, f.base.exists, ""
		if n.moved {
			n.from = cmp.Or(f.from, f.path)
		}
	}
	if n.work = f.work; git {
		n.index, f.index = f.work, version{}
	}
	n.maybe, n.vague, n.listed, n.undo, n.lost = f.maybe, f.vague, true, f.undo, f.lost
	n.first, n.last, n.edits, n.seq = f.first, f.last, f.edits, by.seq
	f.work, f.maybe, f.seq, f.listed = version{}, cause{}, by.seq, true
	f.undo = cause{moveTo + target, by.turn, by.seq, true}
}

// moveTo begins the By of a path that a file was moved away from.
const moveTo = "move to "

// Copy takes the copy of a file.
func (t *Tracker) Copy(turn int, seq int64, from, to string) {
	t.copy(t.key("", from), t.key("", to), cause{"copy", turn, seq, true})
}

func (t *Tracker) copy(from, to string, by cause) {
	f := t.paths[from]
	if f == nil && !t.likely(from) || !by.sure || from == to {
		return
	}
	was := t.file(from).work
	fresh := t.paths[to] == nil
	n := t.file(to)
	if fresh {
		n.base = version{}
		n.index, n.head = n.base, n.base
	}
	n.work = was
	n.from, n.listed, n.seq, n.maybe = from, true, by.seq, cause{}
	n.touch(by.turn, by.seq)
}

// Files returns the files that the session did something to, in the order in which they came up.
func (t *Tracker) Files() []File {
	out := make([]File, 0, len(t.all))
	for _, f := range t.all {
		if !f.listed {
			continue
		}
		r := t.result(f)
		if r.State == Undone && r.Edits == 0 && !r.Maybe {
			continue // nothing happened, on balance
		}
		if (r.State == Deleted || r.State == Undone) && strings.HasPrefix(r.By, moveTo) {
			continue // it is listed where it is now
		}
		out = append(out, r)
	}
	return slices.Clip(out)
}

func (t *Tracker) result(f *file) File {
	r := File{Path: f.path, From: f.from, FirstTurn: f.first, LastTurn: f.last, Edits: f.edits, Seq: f.seq,
		By: f.undo.by, ByTurn: f.undo.turn, Lost: f.lost}
	now := f.work
	if f.maybe.found() {
		r.By, r.ByTurn, r.Maybe = f.maybe.by, f.maybe.turn, true
	}
	switch {
	case now.exists && f.moved:
		r.State = Moved
	case now.exists && !f.base.exists:
		r.State = Created
	case f.moved && t.paths[f.from] != nil && t.paths[f.from].work.exists:
		r.State = Undone // the move as well
		return r
	case !now.exists && f.base.exists:
		r.State = Deleted
		return r
	case !now.exists || now.pristine(f.base):
		r.State = Undone
		return r
	default:
		r.State = Changed
	}
	r.Change = now.net(f)
	return r
}
