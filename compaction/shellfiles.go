package compaction

import (
	"path"
	"strings"
)

// A fileAct is something that a shell command plainly does to files: move or delete them.
type fileAct struct {
	from string
	to   string // "" for a deletion
	git  bool   // by git, so of files that belong to the project
}

// fileActs reads mv, rm, git mv and git rm with literal paths out of a command. What it cannot know
// for sure (patterns, variables, other directories) it leaves out.
func fileActs(command, dir string) []fileAct {
	if !strings.Contains(command, "mv ") && !strings.Contains(command, "rm ") {
		return nil
	}
	var out []fileAct
	for _, s := range segments(command) {
		words := strings.Fields(wrapper.ReplaceAllString(s, ""))
		if len(words) == 0 {
			continue
		}
		if words[0] == "cd" && (len(words) < 2 || strings.Trim(words[1], `"'`) != dir) {
			return out
		}
		git := words[0] == "git" && len(words) > 1
		if git {
			words = words[1:]
		}
		verb := words[0]
		args, literal := literals(words[1:])
		switch {
		case !literal:
		case verb == "rm":
			for _, a := range args {
				out = append(out, fileAct{from: a, git: git})
			}
		case verb == "mv" && len(args) > 1:
			to := args[len(args)-1]
			for _, a := range args[:len(args)-1] {
				act := fileAct{from: path.Clean(a), to: path.Clean(to), git: git}
				if len(args) > 2 || strings.HasSuffix(to, "/") {
					act.to = path.Join(to, path.Base(a))
				}
				out = append(out, act)
			}
		}
	}
	return out
}

// literals returns the arguments that are no flags; ok is false when the shell would change one.
func literals(words []string) (args []string, ok bool) {
	for _, w := range words {
		if strings.HasPrefix(w, "-") {
			continue
		}
		w = strings.Trim(w, `"'`)
		if w == "" || strings.ContainsAny(w, "$*?[]{}`\"'\\()<>~") {
			return nil, false
		}
		args = append(args, w)
	}
	return args, true
}

// shellActs takes the moves and deletions of a shell run into account.
func (t *fileTable) shellActs(op *Operation) {
	for _, act := range fileActs(op.Command, t.src.in.Session.Dir) {
		from, to := t.src.path(act.from), t.src.path(act.to)
		var hit []*fileState
		for _, f := range t.under(from) {
			if f.gone == "" {
				hit = append(hit, f)
			}
		}
		if len(hit) == 0 && (act.git || t.src.explored.byPath[from] != nil) {
			hit = append(hit, t.get(from))
		}
		for _, f := range hit {
			t.touch(f, op)
			switch {
			case op.Status != statusApplied:
				f.unsure = "moved or deleted by a command that failed (" + turnRange(op.Turn, op.Turn) + "): check"
			case act.to == "":
				f.applied++
				f.gone = "deleted (" + turnRange(op.Turn, op.Turn) + ")"
				f.unsure, f.failed, f.pending = "", nil, nil
			default:
				t.move(f, to+strings.TrimPrefix(f.path, from), op.Turn)
			}
		}
	}
}
