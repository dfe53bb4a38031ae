package window

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"

	"ctxledger.dev/intents"
	"ctxledger.dev/internal/shell"
)

// Printed is a result that has lines of a file.
type Printed struct {
	Seq  int64 // entry that carries it
	Call string
	// Numbered says that lines may have numbers in front, which the tool adds.
	Numbered bool
}

// mostReread is how many of the newest results with lines of one file are compared: each with all others.
const mostReread = 16

// repeatedTexts takes away what was printed of a file a second time, whole or in part, by whatever tool: of two results with
// the same lines the older one, of a part and the whole the part. Of calls that ask the same only the newest one counts.
func repeatedTexts(s *scene, b *batch) {
	if s.Within == nil {
		return
	}
	of := map[string][]*act{} // by the name of the file, without its directory: the texts decide
	newest := map[string]*act{}
	for i := range s.acts {
		if a := &s.acts[i]; a.done() && !a.resultEdited {
			newest[a.Name+"\x00"+cmp.Or(a.Same, a.ID)] = a
		}
	}
	for i := range s.acts {
		a := &s.acts[i]
		if file, _ := a.prints(); file != "" && newest[a.Name+"\x00"+cmp.Or(a.Same, a.ID)] == a {
			of[path.Base(file)] = append(of[path.Base(file)], a)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(of)) {
		s.reread(of[file], b)
	}
}

// reread proposes to take away the results of calls whose lines another one shows, too.
func (s *scene) reread(acts []*act, b *batch) {
	acts = acts[max(0, len(acts)-mostReread):]
	gone := map[*act]bool{}
	for _, a := range acts {
		var whole *act // the longest one, which is no part of another; of equal ones the newest
		for _, o := range acts {
			longer := whole == nil || o.result.Chars >= whole.result.Chars
			if o != a && longer && !gone[o] && a.unit != s.newest() && s.Within(a.printed(), o.printed()) {
				whole = o
			}
		}
		if whole == nil {
			continue
		}
		gone[a] = true
		b.add(a.result.Chars, func() []Edit {
			return s.hide(a, kept(fmt.Sprintf(markAgain, whole.label()), a.handle()))
		})
	}
}

// printed is the result of a call that prints.
func (a *act) printed() Printed {
	_, numbered := a.prints()
	return Printed{a.answer.Seq, a.ID, numbered}
}

// prints returns the file of which a call shows lines, "" if it does anything else, and whether they may be numbered.
func (a *act) prints() (file string, numbered bool) {
	switch a.Op {
	case intents.OpRead:
		return a.Target, true
	case intents.OpShell:
		file, numbered, _ = shell.Printed(a.Target)
	}
	return file, numbered
}
