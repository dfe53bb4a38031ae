package compaction

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/chars"
)

const (
	filesHead = "[FILES CHANGED — already on disk]"
	// formerFilesHead is that heading in documents of earlier versions.
	formerFilesHead = "FILES MODIFIED IN THIS SESSION (before compaction):"
)

// addFiles adds the block of changed files, and under each the names that matter.
func (s *source) addFiles(d *document) {
	b := d.block(&block{head: filesHead, more: s.moreFiles})
	for i, f := range s.files {
		if f.applied == 0 && f.unsure == "" {
			continue // only failed or interrupted: listed as open work
		}
		pos := int64(i+1) << 8
		text := "  - " + f.path + " — " + f.done()
		d.add(b, &line{text: text, class: classFile, anchor: "file:" + f.path, pos: pos})
	}
	for i, op := range shellEdits(s.past) {
		text := "  - (sed edit) " + oneLine(op.Command, 160) + " (" + turnRange(op.Turn, op.Turn) + ")"
		d.add(b, &line{text: text, class: classCheck, pos: int64(len(s.files)+i+1) << 8})
	}
}

// shellEdits returns the successful shell runs that edit files in place, newest first.
func shellEdits(ops []Operation) []Operation {
	var out []Operation
	for _, op := range slices.Backward(ops) {
		if op.Op == intents.OpShell && op.Status == intents.Applied && shellcmd.EditsInPlace(op.Command) {
			out = append(out, op)
		}
	}
	return out
}

// moreFiles names at least the directories of the files that did not fit.
func (s *source) moreFiles(left []*line) string {
	n := 0
	dirs := make(map[string]int)
	for _, l := range left {
		path, isFile := strings.CutPrefix(l.anchor, "file:")
		if !isFile {
			continue
		}
		n++
		dirs[path[:strings.LastIndex(path, "/")+1]]++
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("  … and %s more file(s)%s", chars.Commas(n), inDirs(dirs))
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
