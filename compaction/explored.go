package compaction

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/chars"
)

// exploredHead and the lines under it are the documented form.
const (
	exploredHead = "[EXPLORATION HISTORY — investigation performed before compaction]"
	exploredFoot = "Re-read only the regions you need."
	// exploredFiles is how many files the block lists at most.
	exploredFiles = 60
	// exploredSearches is how many shell searches it lists at most: the newest.
	exploredSearches = 10
)

// readState is how often a file was read.
type readState struct {
	path  string
	count int
	first int64 // entry of the first read
	last  int64
	chars int // of the newest whole result
	grep  bool
}

// explored is what was looked at.
type explored struct {
	byPath map[string]*readState
	all    []*readState
}

// explore walks the calls of the session once.
func (s *source) explore() explored {
	e := explored{byPath: make(map[string]*readState)}
	chars := make(map[string]*readState) // by call, until its result comes
	for i := range s.in.Items {
		it := &s.in.Items[i]
		for _, r := range it.Results {
			if st := chars[r.CallID]; st != nil {
				st.chars = max(st.chars, r.Chars)
			}
		}
		for _, c := range it.Calls {
			switch {
			case c.Op == intents.OpRead && c.Target != "":
				st := e.get(s.path(c.Target), it.first())
				st.last = it.last()
				st.count++
				chars[c.ID] = st
			case c.Op == intents.OpGrep && len(it.Calls) == 1:
				for _, p := range it.Paths { // its target is the pattern
					if !strings.Contains(path.Base(p), ".") {
						continue // a directory
					}
					e.get(s.path(p), it.first()).grep = true
				}
			}
		}
	}
	return e
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

// addExplored adds what was looked at and not changed.
func (s *source) addExplored(d *document, n *names) {
	changed := make(map[string]bool)
	for _, f := range s.files {
		changed[f.path] = f.applied > 0
	}
	known := make(map[string]*readState) // by present path
	var read, grepped []*readState
	for _, st := range s.explored.all {
		now := s.present(st.path)
		if same := known[now]; same != nil {
			same.count += st.count
			continue
		}
		st = &readState{now, st.count, st.first, st.last, st.chars, st.grep}
		known[now] = st
		switch {
		case changed[st.path]:
		case st.count > 0:
			read = append(read, st)
		case st.grep:
			grepped = append(grepped, st)
		}
	}
	slices.SortStableFunc(read, func(a, b *readState) int {
		return cmp.Or(s.compareFocus(a.path, b.path), cmp.Compare(b.count, a.count), cmp.Compare(b.last, a.last),
			strings.Compare(a.path, b.path))
	})
	b := d.block(&block{head: exploredHead, foot: exploredFoot, more: s.moreRead})
	s.addRead(d, b, n, read)
	s.addGrepped(d, b, grepped)
	s.addNamed(d, b, n.pathRanks.others(changed, known))
	s.addSearches(d, b)
}

// addRead offers the files that were read: shown by how often they were, chosen by their worth.
func (s *source) addRead(d *document, b *block, n *names, read []*readState) {
	if len(read) == 0 {
		return
	}
	head := d.add(b, &line{text: "Files read (read_file calls, most-accessed first):", class: classRead, heading: true,
		pos: 1})
	place := make(map[*readState]int64, len(read))
	for i, st := range read {
		place[st] = int64(i + 1)
	}
	byWorth := slices.Clone(read)
	slices.SortStableFunc(byWorth, func(a, b *readState) int {
		return cmp.Compare(n.pathRanks.value(b.path), n.pathRanks.value(a.path))
	})
	for _, st := range byWorth[:min(len(byWorth), exploredFiles)] {
		l := d.add(b, &line{text: readLine(st), class: classRead, pos: place[st] << 8, parent: head, anchor: "read:" +
			st.path})
		n.attach(st.path, l)
	}
}

// largeRead is the size in characters from which a file's size is printed: reading it whole again is expensive.
const largeRead = 32 << 10

// readLine prints "  path   ×2  (12 KB)" with the path in 62 columns.
func readLine(st *readState) string {
	const columns, longest = 62, 57
	shown := st.path
	n := utf8.RuneCountInString(shown)
	if n > 60 {
		r := []rune(shown)
		shown, n = "…"+string(r[n-longest:]), longest+1
	}
	text := "  " + shown + strings.Repeat(" ", columns-n) + fmt.Sprintf(" ×%d", st.count)
	if st.chars >= largeRead {
		text += fmt.Sprintf("  (%d KB)", (st.chars+1023)/1024)
	}
	return text
}

func (s *source) addGrepped(d *document, b *block, grepped []*readState) {
	const at = 1 << 24
	add := d.under(b, line{text: "Files grepped (grep_file calls, not already listed above):", class: classOld,
		pos: at})
	for i, st := range grepped[:min(len(grepped), exploredFiles)] {
		add(line{text: "  " + st.path, class: classOld, pos: at + int64(i+1)})
	}
}

// addNamed offers the paths that were only named.
func (s *source) addNamed(d *document, b *block, paths []string) {
	const at = 3 << 24
	add := d.under(b, line{text: "Other paths that the work named:", class: classRead, pos: at})
	for i, p := range paths[:min(len(paths), exploredFiles)] {
		add(line{text: "  " + p, class: classRead, pos: at + int64(i+1)})
	}
}

func (s *source) addSearches(d *document, b *block) {
	const at = 1 << 25
	add := d.under(b, line{text: "Shell searches performed:", class: classOld, pos: at})
	seen := make(map[string]bool)
	for _, op := range slices.Backward(s.past) {
		if len(seen) == exploredSearches {
			break
		}
		text := oneLine(op.Command, 120)
		if op.Op != intents.OpShell || !s.readsOnly(op.Command) || !shellcmd.Looks(op.Command) || seen[text] {
			continue
		}
		seen[text] = true
		add(line{text: "  " + text, class: classOld, pos: at + op.Seq})
	}
}

func (s *source) moreRead(left []*line) string {
	n := 0
	for _, l := range left {
		if strings.HasPrefix(l.anchor, "read:") {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("  … and %s more file(s) read", chars.Commas(n))
}
