package compaction

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/chars"
)

// exploredFiles is how many read files are listed at most.
const exploredFiles = 60

// readState is how often a file was read.
type readState struct {
	path   string
	count  int
	first  int64 // entry of the first read
	last   int64
	chars  int    // of the longest result
	handle string // of that: of a file that has not changed it shows the most
	part   string // the call that asked for it, if that is a part of the file
	asked  *Item  // that has this call
}

// explored is what was looked at.
type explored struct {
	byPath map[string]*readState
	all    []*readState
}

// explore walks the calls of the session once.
func explore(in *Input) explored {
	e := explored{byPath: make(map[string]*readState)}
	type asked struct {
		of   *readState
		part string
		in   *Item
	}
	open := make(map[string]asked) // by call, until its result comes
	for i := range in.Items {
		it := &in.Items[i]
		for _, r := range it.Results {
			if read, known := open[r.CallID]; known && !r.Failed {
				read.of.shown(r.Chars, cmp.Or(r.Artifact, r.Handle), read.part, read.in)
			}
		}
		for _, c := range it.Calls {
			if c.Op == intents.OpRead && c.Target != "" {
				st := e.get(in.path(c.Target), it.first())
				st.last = it.last()
				st.count++
				open[c.ID] = asked{of: st}
				if c.Partial {
					open[c.ID] = asked{st, c.ID, it}
				}
			}
		}
	}
	return e
}

// shown takes in what a read has shown.
func (st *readState) shown(chars int, handle, part string, asked *Item) {
	if chars < st.chars {
		return
	}
	st.chars = chars
	if handle != "" {
		st.handle, st.part, st.asked = handle, part, asked
	}
}

func (e *explored) get(p string, seq int64) *readState {
	st := e.byPath[p]
	if st == nil {
		st = &readState{path: p, first: seq}
		e.byPath[p] = st
		e.all = append(e.all, st)
	}
	return st
}

// readBefore reports whether a file had been read before an entry.
func (e *explored) readBefore(p string, seq int64) bool {
	st := e.byPath[p]
	return st != nil && st.count > 0 && st.first < seq
}

// addReads adds what was read and not changed, the most-read first.
func addReads(s *source, d *layout.Document, b *layout.Block) error {
	changed := make(map[string]bool)
	for _, f := range s.work.files {
		changed[f.Path] = f.affected()
	}
	known := make(map[string]*readState) // by present path
	var read []*readState
	for _, st := range s.work.explored.all {
		now := s.work.present(st.path)
		if same := known[now]; same != nil {
			same.count += st.count
			same.last = max(same.last, st.last)
			same.shown(st.chars, st.handle, st.part, st.asked)
			continue
		}
		if st.count == 0 || changed[now] {
			continue
		}
		st = &readState{now, st.count, st.first, st.last, st.chars, st.handle, st.part, st.asked}
		known[now] = st
		read = append(read, st)
	}
	slices.SortStableFunc(read, func(a, b *readState) int {
		return cmp.Or(s.work.focus.compare(a.path, b.path), cmp.Compare(b.count, a.count), cmp.Compare(b.last, a.last),
			strings.Compare(a.path, b.path))
	})
	add := d.Under(b, layout.Line{Text: "Read and not changed, the most-read first:", Class: layout.ClassLook,
		Pos: 1 << 40})
	for i, st := range read[:min(len(read), exploredFiles)] {
		text, err := readLine(s.in, st)
		if err != nil {
			return err
		}
		add(layout.Line{Text: text, Class: layout.ClassLook, Pos: 1<<40 + int64(i+1),
			Anchor: "read:" + st.path})
		if st.handled() {
			b.Head = layout.Handles
		}
	}
	return nil
}

// largeRead is the size in characters from which a file's size is printed: reading it whole again is expensive.
const largeRead = 32 << 10

// readLine prints "  path ×2 (34 KB), longest: 46517b1ca158": the handle of what was needed again, or is expensive to read. Of a
// part it says which one: "longest part (offset 168, limit 40): 46517b1ca158".
func readLine(in *Input, st *readState) (string, error) {
	text := barred("  " + st.path + layout.Times(st.count))
	if st.chars >= largeRead {
		text += fmt.Sprintf(" (%d KB)", (st.chars+1023)/1024)
	}
	switch {
	case !st.handled():
		return text, nil
	case st.part == "":
		return text + ", longest: " + st.handle, nil
	}
	args, err := in.argsOf(st.asked, st.part)
	text += ", longest part"
	if part := intents.Part(args); part != "" {
		text += " (" + part + ")"
	}
	return text + ": " + st.handle, err
}

func (st *readState) handled() bool {
	return st.handle != "" && (st.count > 1 || st.chars >= largeRead)
}

// addLookups adds the handles of what is stored outside the conversation, the newest first, and what was read.
func addLookups(s *source, d *layout.Document) error {
	b := d.Block(&layout.Block{Head: layout.Reads})
	seen := make(map[string]bool)
	for _, a := range slices.Backward(s.in.Artifacts) {
		if a.Seq > s.last || seen[a.ID] {
			continue
		}
		seen[a.ID] = true
		text := "  " + layout.OneLine(a.ID, 64) + "  " + layout.OneLine(a.Label, 140)
		if a.Tokens > 0 {
			text += " (" + chars.Plural(a.Tokens, "token") + ")"
		}
		b.Head = layout.Handles
		d.Add(b, &layout.Line{Text: text, Class: layout.ClassLook, Anchor: "handle:" + a.ID, Pos: int64(len(seen))})
	}
	if s.o.NoReads {
		return nil
	}
	return addReads(s, d, b)
}
