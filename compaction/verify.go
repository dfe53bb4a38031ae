package compaction

import (
	"slices"
	"strings"
	"unicode"

	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/internal/pattern"
)

// verify checks a summary statement by statement. A statement that the ledger refutes is replaced by what the
// ledger says; one without support in the ledger is marked as an assumption. kept counts the statements that are
// left.
func (w *work) verify(text string, run *Run, kept *int) string {
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	about := aboutAnything
	for i, l := range lines {
		said := strings.TrimSpace(l)
		if strings.HasPrefix(said, "#") {
			about = subjectOf(said, about)
			continue
		}
		if !strings.ContainsFunc(said, unicode.IsLetter) {
			continue // a rule, or the frame of a table
		}
		bullet, statement := cutBullet(l)
		if isNone(statement) {
			continue
		}
		switch refuted, unknown := w.objections(statement, about); {
		case refuted != "":
			run.Removed++
			lines[i] = bullet + removedMark + refuted + "]"
			continue
		case unknown != "" && !strings.Contains(statement, unverified):
			run.Marked++
			lines[i] = bullet + unverified + statement + "] (" + unknown + ")"
		}
		*kept++
	}
	return strings.Join(lines, "\n")
}

// objections returns what the ledger says against one statement: that it is refuted, or that nothing recorded
// supports a part of it.
func (w *work) objections(statement string, about subject) (refuted, unknown string) {
	note := func(text string) {
		if unknown == "" {
			unknown = text
		}
	}
	for _, text := range clauses(statement) {
		c := claimOf(text)
		if c.Wished {
			continue
		}
		for _, against := range []func(claim) (string, string){w.ofCommands, w.ofFiles, w.ofDeeds} {
			refuted, doubt := against(c)
			if refuted != "" {
				return refuted, ""
			}
			note(doubt)
		}
	}
	if about == aboutAhead {
		return "", ""
	}
	if all := w.unknown(statement); len(all) > 0 {
		note(all[0])
	}
	if about == aboutDone && unknown == "" && !w.backed(statement) {
		note("nothing on record backs this up")
	}
	return "", unknown
}

// backed reports whether a statement names something that the ledger knows: a file that was changed or read, a
// command, a deed that was done, or a name of the conversation.
func (w *work) backed(statement string) bool {
	for _, f := range w.files {
		if mentions(statement, f.Path) && (f.affected() || claimOf(statement).Failed) {
			return true
		}
	}
	if slices.ContainsFunc(w.explored.all, func(r *readState) bool { return mentions(statement, r.path) }) {
		return true
	}
	for _, c := range w.commands {
		if c.named(statement) || c.purpose >= shellcmd.Build && namesChecks().MatchString(statement) {
			return true
		}
	}
	return slices.ContainsFunc(deeds, func(d deed) bool {
		return d.claimed(statement)
	}) || w.namesKnown(statement)
}

// names of code in a statement: what prose has not.
var codeNames = pattern.Lazy(`[A-Za-z_][A-Za-z0-9]*(?:[._:][A-Za-z0-9_]+)+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*`)

// namesKnown reports whether a statement contains a code name of the range.
func (w *work) namesKnown(statement string) bool {
	for _, name := range codeNames().FindAllString(statement, 20) {
		for _, it := range w.in.Items {
			if slices.Contains(it.Names, name) {
				return true
			}
		}
	}
	return false
}

// mentions reports whether a statement names a file: by its path, or by the end of it.
func mentions(statement, path string) bool {
	return slices.ContainsFunc(pathLike().FindAllString(statement, 20), func(p string) bool {
		return p == path || strings.HasSuffix(path, "/"+p) || strings.HasSuffix(p, "/"+path)
	})
}
