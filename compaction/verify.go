package compaction

import (
	"slices"
	"strings"
)

// verify goes through a summary statement by statement. One that the ledger refutes goes, and in its
// place stands what the ledger says; one that names what the ledger has never seen is marked as the
// assumption that it is. kept counts the statements that are left.
func (s *source) verify(text string, run *Run, kept *int) string {
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		said := strings.TrimSpace(l)
		if said == "" || strings.HasPrefix(said, "#") {
			continue
		}
		bullet, statement := cutBullet(l)
		switch refuted, unknown := s.objections(statement); {
		case refuted != "":
			run.Removed++
			lines[i] = bullet + removedMark + refuted + "]"
			continue
		case unknown != "" && !strings.Contains(statement, unverified):
			run.Marked++
			lines[i] = bullet + unverified + statement + "] (" + unknown + ")"
		}
		if !isNone(statement) {
			*kept++
		}
	}
	return strings.Join(lines, "\n")
}

// cutBullet parts a line of a list from what makes it one.
func cutBullet(l string) (bullet, statement string) {
	rest := strings.TrimLeft(l, " \t")
	for _, mark := range []string{"- [ ] ", "- [x] ", "- ", "* ", "• "} {
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

var (
	saysPassed  = lazy(`(?i)\b(pass(es|ed|ing)?|green|succeed(s|ed)?|successful(ly)?|clean|works|working|fixed|done|exit(ed)?( code| status)? 0)\b|✓|✅`)
	saysFailed  = lazy(`(?i)\b(fail(s|ed|ing|ures?)?|errors?|broken|red|not|never|no longer|without|still|cannot|can't|until|should|must|needs?|todo|exit(ed)?( code| status)? [1-9]\d*)\b|✗|❌`)
	saysChanged = lazy(`(?i)\b(edit(s|ed)?|chang(es|ed)|modif(ies|ied)|updat(es|ed)|wrote|written|creat(es|ed)|added|fixed|implemented|rewr(ote|itten)|refactored|patched)\b`)
	namesRuns   = lazy(`(?i)\b(tests?|suite|builds?|compil(es|ed|ation)|lint(er|ing)?|checks?|ci|everything|all)\b`)
)

// objections says what the ledger has against one statement: that it is refuted, or that something it
// names was never seen.
func (s *source) objections(statement string) (refuted, unknown string) {
	passed, failed := saysPassed().MatchString(statement), saysFailed().MatchString(statement)
	for _, c := range s.commands {
		named := strings.Contains(statement, c.key) || strings.Contains(statement, c.last.Command)
		spoken := named || c.purpose == test && namesRuns().MatchString(statement)
		if spoken && passed && !failed && c.open() {
			return oneLine(c.last.Command, 160) + " last ended with " + c.ended(), ""
		}
		if named && failed && !passed && c.succeeded() && saysStill().MatchString(statement) {
			return oneLine(c.last.Command, 160) + " last ended with " + c.ended(), ""
		}
	}
	for _, f := range s.files {
		if f.failed != nil && f.applied == 0 && mentions(statement, f.path) && saysChanged().MatchString(statement) && !failed {
			return "the last " + f.failed.Op + " of " + f.path + " failed", ""
		}
	}
	if all := s.unknown(statement); len(all) > 0 {
		return "", all[0]
	}
	return "", s.unlike(statement)
}

// saysGone recognises that a statement tells of a file that is no longer there.
var saysGone = lazy(`(?i)\b(delet(es|ed)|remov(es|ed)|dropped|gone|mov(es|ed)|renam(es|ed))\b`)

// unlike says what else the ledger knows of a file that a statement tells as changed: that it is gone by
// now, or that it was only read.
func (s *source) unlike(statement string) string {
	if !saysChanged().MatchString(statement) {
		return ""
	}
	changed := false
	for _, f := range s.files {
		if !mentions(statement, f.path) {
			continue
		}
		changed = true
		if f.gone != "" && !saysGone().MatchString(statement) {
			return f.path + " is " + f.gone
		}
	}
	if changed {
		return ""
	}
	for _, r := range s.explored.all {
		if mentions(statement, r.path) {
			return r.path + " was read, but not changed here"
		}
	}
	return ""
}

// saysStill recognises that a failure is told as the present state.
var saysStill = lazy(`(?i)\b(still|currently|now|fails|is failing|are failing)\b`)

// ended says how and when the newest run ended: "exit 1 (turn 7)".
func (c *commandState) ended() string {
	return oneLine(c.ending(), 60) + " (" + turnRange(c.last.Turn, c.last.Turn) + ")"
}

// succeeded reports whether the newest run of a command is known to have ended well.
func (c *commandState) succeeded() bool {
	return !c.last.pending() && !c.failing()
}

// mentions reports whether a statement names a file: by its path, or by the end of it.
func mentions(statement, path string) bool {
	return slices.ContainsFunc(pathLike().FindAllString(statement, 20), func(p string) bool {
		return p == path || strings.HasSuffix(path, "/"+p) || strings.HasSuffix(p, "/"+path)
	})
}
