package compaction

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ctxledger.dev/compaction/effects"
	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/internal/chars"
)

// How many names of a file's change are printed.
const (
	namesAdded   = 8
	namesRemoved = 4
	namesChanged = 6
)

// addFiles adds each file that the session changed, with what became of it.
func addFiles(s *source, d *layout.Document) {
	head := layout.Files
	if len(s.work.git.Commits) > 0 {
		head += "\n(* since the last commit)"
	}
	b := d.Block(&layout.Block{Head: head, More: moreFiles})
	for i, f := range s.work.files {
		if f.affected() {
			l := &layout.Line{
				Class:  layout.ClassFile,
				Anchor: "file:" + f.Path,
				Pos:    int64(i + 1),
				Brief:  "  - " + f.Path + " — " + f.done(),
			}
			if len(s.work.git.Commits) > 0 && f.Seq > s.work.git.Newest() && f.State != effects.Undone {
				l.Brief += " *"
			}
			if l.Text = l.Brief; described(f.Change) != "" {
				l.Text += ": " + described(f.Change)
			}
			d.Add(b, l)
		}
	}
}

// done says what became of a file: "created (turn 2), edited ×4 (to turn 7)".
func (f *fileState) done() string {
	by := layout.OneLine(f.By, 80)
	if strings.HasPrefix(by, "git") || by == "rm" {
		by = "`" + by + "`"
	}
	at := " (" + layout.Turn(f.ByTurn) + ")"
	var parts []string
	switch f.State {
	case effects.Undone:
		if f.Maybe {
			return "POSSIBLY CHANGED by " + by + at + ": check; otherwise as it was before the session"
		}
		return "UNDONE by " + by + at + ": as it was before the session"
	case effects.Deleted:
		if f.Maybe {
			return "deleted, POSSIBLY RESTORED by " + by + at + ": check"
		}
		return strings.TrimSpace("deleted by "+by) + at
	case effects.Created:
		parts = append(parts, "created ("+layout.Turn(f.FirstTurn)+")")
		if f.Edits > 1 {
			parts = append(parts, "edited"+layout.Times(f.Edits-1)+" (to "+layout.Turn(f.LastTurn)+")")
		}
	case effects.Moved:
		parts = append(parts, "moved here from "+layout.OneLine(f.From, 200))
		fallthrough
	default:
		if f.Edits > 0 {
			parts = append(parts, "edited"+layout.Times(f.Edits)+" ("+layout.TurnRange(f.FirstTurn, f.LastTurn)+")")
		}
	}
	if f.Lost > 0 && by != "" && !f.Maybe {
		parts = append(parts, fmt.Sprintf("%d of them undone by %s%s", f.Lost, by, at))
	}
	if f.Maybe {
		parts = append(parts, "POSSIBLY UNDONE by "+by+at+": check")
	}
	if f.failed != nil {
		parts = append(parts, "last edit FAILED ("+layout.Turn(f.failed.Turn)+")")
	}
	if f.pending != nil {
		parts = append(parts, "an edit was INTERRUPTED ("+layout.Turn(f.pending.Turn)+")")
	}
	return strings.Join(parts, ", ")
}

// described says what a change added, removed and changed.
func described(c effects.Change) string {
	var parts []string
	add := func(sign string, names []string, most int) {
		if len(names) == 0 {
			return
		}
		text := sign + strings.Join(names[:min(len(names), most)], ", ")
		if len(names) > most {
			text += fmt.Sprintf(" and %s more", chars.Commas(len(names)-most))
		}
		parts = append(parts, layout.OneLine(text, 400))
	}
	add("adds ", c.Added, namesAdded)
	add("removes ", c.Removed, namesRemoved)
	add("changes ", c.Changed, namesChanged)
	if len(parts) == 0 && c.First != "" {
		return "“" + layout.OneLine(c.First, 90) + "”"
	}
	return strings.Join(parts, "; ")
}

// moreFiles names at least the directories of the files that did not fit.
func moreFiles(left []*layout.Line) string {
	dirs := make(map[string]int)
	for _, l := range left {
		path := strings.TrimPrefix(l.Anchor, "file:")
		dirs[path[:strings.LastIndex(path, "/")+1]]++
	}
	if len(left) == 0 {
		return ""
	}
	return "  … and " + chars.Plural(len(left), "more file") + inDirs(dirs)
}

// inDirs prints the directories that hold most, " in src/ (12), lib/ (3)".
func inDirs(dirs map[string]int) string {
	all := slices.SortedFunc(maps.Keys(dirs), func(a, b string) int {
		return cmp.Or(cmp.Compare(dirs[b], dirs[a]), strings.Compare(a, b))
	})
	var parts []string
	for _, dir := range all[:min(len(all), 3)] {
		parts = append(parts, fmt.Sprintf("%s (%d)", cmp.Or(dir, "./"), dirs[dir]))
	}
	return " in " + strings.Join(parts, ", ")
}
