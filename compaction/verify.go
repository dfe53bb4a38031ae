package compaction

import (
	"slices"
	"strings"
	"unicode"

	"ctxledger.dev/compaction/shellcmd"
)

// verify checks a summary statement by statement. A statement that the ledger refutes is replaced by what the
// ledger says; one without support in the ledger is marked as an assumption. kept counts the statements that are
// left.
func (s *source) verify(text string, run *Run, kept *int) string {
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
		switch refuted, unknown := s.objections(statement, about); {
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

// subject is what the statements under a heading are about.
type subject int

const (
	aboutAnything subject = iota
	aboutDone             // what was done: each statement needs something that backs it
	aboutAhead            // planned work: that it is not done yet is no objection
)

// Headings of the presets, and of models that choose their own, by what they introduce.
var (
	headsDone  = lazy(`(?i)^#+\s*(completed|done|artifacts|what was done|changes( made)?|accomplished|finished)\b`)
	headsAhead = lazy(`(?i)^#+\s*(open questions|remaining|next|in progress|blocked|to ?do|plan|goal|session ` +
		`intent|constraints)\b`)
)

// subjectOf returns the subject of a heading. A subheading without a known one keeps that of the section above.
func subjectOf(heading string, above subject) subject {
	switch {
	case headsDone().MatchString(heading):
		return aboutDone
	case headsAhead().MatchString(heading):
		return aboutAhead
	case strings.HasPrefix(heading, "###"):
		return above
	}
	return aboutAnything
}

// cutBullet splits a list item into its marker and its statement.
func cutBullet(l string) (bullet, statement string) {
	rest := strings.TrimLeft(l, " \t")
	for _, mark := range []string{"- [ ] ", "- [x] ", "* [x] ", "- ", "* ", "• "} {
		if after, ok := strings.CutPrefix(rest, mark); ok {
			return l[:len(l)-len(after)], after
		}
	}
	return l[:len(l)-len(rest)], rest
}

// isNone reports whether a statement only says that there is nothing to say.
func isNone(statement string) bool {
	switch strings.ToLower(strings.Trim(statement, " .*_")) {
	case "none", "none recorded", "n/a", "nothing":
		return true
	}
	return false
}

// objections returns what the ledger says against one statement: that it is refuted, or that nothing recorded
// supports a part of it.
func (s *source) objections(statement string, about subject) (refuted, unknown string) {
	note := func(text string) {
		if unknown == "" {
			unknown = text
		}
	}
	for _, text := range clauses(statement) {
		c := claimOf(text)
		if c.wished {
			continue
		}
		for _, against := range []func(claim) (string, string){s.ofCommands, s.ofFiles, s.ofDeeds} {
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
	if all := s.unknown(statement); len(all) > 0 {
		note(all[0])
	}
	if about == aboutDone && unknown == "" && !s.backed(statement) {
		note("nothing that was recorded backs this")
	}
	return "", unknown
}

// backed reports whether a statement names something that the ledger knows: a file that was changed or read, a
// command, a deed that was done, or a name of the conversation.
func (s *source) backed(statement string) bool {
	for _, f := range s.files {
		if mentions(statement, f.Path) && (f.changed() || f.gone() || claimOf(statement).failed) {
			return true
		}
	}
	if slices.ContainsFunc(s.explored.all, func(r *readState) bool { return mentions(statement, r.path) }) {
		return true
	}
	for _, c := range s.commands {
		if c.named(statement) || c.purpose >= shellcmd.Build && namesChecks().MatchString(statement) {
			return true
		}
	}
	return slices.ContainsFunc(deeds, func(d deed) bool {
		return d.says().MatchString(statement)
	}) || s.namesKnown(statement)
}

// names of code in a statement: what prose has not.
var codeNames = lazy(`[A-Za-z_][A-Za-z0-9]*(?:[._:][A-Za-z0-9_]+)+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*`)

// namesKnown reports whether a statement contains a code name of the range.
func (s *source) namesKnown(statement string) bool {
	for _, name := range codeNames().FindAllString(statement, 20) {
		for _, it := range s.in.Items {
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
