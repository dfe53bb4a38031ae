package compaction

import (
	"regexp"
	"slices"
	"strings"

	"ctxledger.dev/compaction/quote"
	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/intents"
)

// A claim is one clause of a statement with what it says about the world. It is recognised by English words: what
// they do not show is unknown, and the unknown is no evidence.
type claim struct {
	text   string
	plain  string // without the code that it quotes
	passed bool   // something succeeded
	failed bool   // something failed
	wished bool   // it is a plan or a wish
}

// ends matches the end of a clause. A period inside a name is no end.
var ends = lazy(`[.;!?]+(?:\s+|$)|,?\s+(?:but|however|while|whereas|although|though)\b|,\s+(?:and|so|then)\b|\s+—\s+`)

// concedes matches a leading clause that concedes the opposite.
var concedes = lazy(`(?i)^(?:even )?(?:although|though|while|whereas)\b[^,]*,`)

// clauses splits a statement.
func clauses(statement string) []string {
	const all, hidden = "...", "\x00" // Go's "./..." ends no clause
	statement = strings.ReplaceAll(statement, all, hidden)
	statement = concedes().ReplaceAllString(statement, "$0;")
	var out []string
	for _, c := range ends().Split(statement, 40) {
		if c = strings.TrimSpace(strings.ReplaceAll(c, hidden, all)); c != "" {
			out = append(out, c)
		}
	}
	return out
}

// Patterns of success and failure. Negations are replaced by the word that they mean before the others are
// matched.
var (
	noFailure = lazy(`(?i)\b(?:no|zero|0|without(?: any| a| an)?|not a single|free of)\s+(?:(?:more|other|test|` +
		`build|lint|remaining|compile|type)\s+)*(?:fail(?:ures?|ing|ed)?(?:\s+tests?)?|errors?|problems?|issues?|` +
		`regressions?)\b|\b(?:no longer|not|never|does ?n.t|do ?n.t|did ?n.t)\s+fail(?:s|ed|ing)?\b|\b0 failed\b|` +
		`\berror-free\b`)
	noSuccess = lazy(`(?i)\b(?:not|never|hardly|cannot|can.t|do ?n.t|does ?n.t|did ?n.t|is ?n.t|are ?n.t|was ` +
		`?n.t|yet to|fails? to|failed to|unable to|without)\s+(?:(?:yet|all|fully|been|be|even)\s+)*(?:pass(?:es|` +
		`ed|ing)?|succeed(?:s|ed)?|work(?:s|ed|ing)?|compiles?d?|build|green|clean|fixed|done|ok)\b`)
	counted    = lazy(`\b(\d+)\s*(?:/|of|out of)\s*(\d+)\b`)
	saysPassed = lazy(`(?i)\b(pass(es|ed|ing)?|green|succeed(s|ed)?|success(ful(ly)?)?|clean(ly)?|works|worked|` +
		`working|fixed|done|ok|okay|compiles|compiled|complete[sd]?|verified|all good|fine|100 ?%|exit(ed|s)?( ` +
		`with)?( code| status)?:? 0|returned 0)(\b|$)|✓|✔|✅`)
	saysFailed = lazy(`(?i)\b(fail(s|ed|ing|ures?)?|errors?|broken|red|not|never|no longer|without|still|cannot|` +
		`can.t|exit(ed|s)?( with)?( code| status)?:? [1-9]\d*)\b|✗|✘|❌`)
)

// wishes matches what is planned or possible rather than stated as a fact.
var wishes = lazy(`(?i)\b(until|should|must|will|needs?|to do|todo|try|if|once|when|make sure|ensure|next:?|` +
	`let.s|please|can be|to be)\b`)

// claimOf reads a clause.
func claimOf(text string) claim {
	words := noFailure().ReplaceAllString(text, " passed ")
	words = noSuccess().ReplaceAllString(words, " failed ")
	c := claim{text: text, plain: quotedCode().ReplaceAllString(text, ""), passed: saysPassed().MatchString(words),
		failed: saysFailed().MatchString(words)}
	c.wished = wishes().MatchString(words)
	if m := counted().FindStringSubmatch(words); m != nil && namesChecks().MatchString(words) {
		c.passed = c.passed || m[1] == m[2]
		c.failed = c.failed || m[1] != m[2]
	}
	return c
}

var (
	namesRuns   = lazy(`(?i)\b(tests?|suite|builds?|compil(es|ed|ation)|lint(er|ing)?|checks?|ci|everything|all)\b`)
	namesChecks = lazy(`(?i)\b(tests?|suite|builds?|compil(es?|ed|ation)|lint(er|ing)?|type-?checks?)\b`)
	// saysStill matches a statement about the present state.
	saysStill = lazy(`(?i)\b(still|currently|now|fails|is failing|are failing)\b`)
	saysRan   = lazy(`(?i)\b(ran|executed|launched)\b`)
)

// ofCommands checks a claim against the recorded runs of tests, builds and other commands.
func (s *source) ofCommands(c claim) (refuted, unknown string) {
	checks, failing := 0, false
	for _, cmd := range s.commands {
		named := cmd.named(c.text)
		if cmd.purpose >= shellcmd.Build {
			checks++
			failing = failing || cmd.open()
		}
		last := quote.OneLine(cmd.last.Command, 160) + " last ended with " + cmd.ended()
		switch {
		case (named || cmd.purpose == shellcmd.Test && namesRuns().MatchString(c.plain)) && c.passed && !c.failed &&
			cmd.open():
			return last, ""
		case named && c.failed && !c.passed && cmd.succeeded() && saysStill().MatchString(c.text):
			return last, ""
		case named && c.passed == c.failed && cmd.open() && unknown == "":
			unknown = last
		}
	}
	if unknown == "" && saysRan().MatchString(c.text) && !c.failed {
		unknown = s.neverRan(c.text)
	}
	switch claimed := namesChecks().MatchString(c.plain) && c.passed && !c.failed; {
	case claimed && checks == 0:
		return "", "no run of a test or a build is recorded"
	case !claimed && checks > 0 && !failing && c.failed && !c.passed && saysNowFailing().MatchString(c.text):
		return "no test or build fails: each last ended well", ""
	}
	return "", unknown
}

// neverRan names a command that a text quotes and that never ran, "" for none.
func (s *source) neverRan(text string) string {
	for _, m := range quotedCode().FindAllStringSubmatch(text, 10) {
		ran := func(op Operation) bool { return op.shell() && strings.Contains(op.Command, m[1]) }
		if !slices.ContainsFunc(s.in.Operations, ran) {
			return "no run of " + quote.OneLine(m[1], 160) + " is recorded"
		}
	}
	return ""
}

// saysNowFailing matches a statement that tests or builds fail now.
var saysNowFailing = lazy(`(?i)\b(?:tests?|suite|builds?)\s+(?:is |are )?(?:still|currently)\s+(?:fail|red|` +
	`broken)|\b(?:tests?|suite|builds?) (?:is|are) (?:failing|red|broken)\b`)

// named reports whether a text names a command.
func (c *commandState) named(text string) bool {
	return strings.Contains(text, c.key) || strings.Contains(text, c.last.Command)
}

// ended says how and when the newest run ended: "exit 1 (turn 7)".
func (c *commandState) ended() string {
	return quote.OneLine(c.ending(), 60) + " (" + quote.Turn(c.last.Turn) + ")"
}

// succeeded reports whether the newest run of a command is known to have ended well.
func (c *commandState) succeeded() bool { return !c.last.pending() && !c.failing() }

var (
	saysChanged = lazy(`(?i)\b(edit(s|ed)?|chang(es|ed)|modif(ies|ied)|updat(es|ed)|wrote|written|creat(es|ed)|` +
		`added|fixed|implemented|rewr(ote|itten)|refactored|patched|replaced|converted|extended|introduced|` +
		`corrected|adjusted|now)\b`)
	// saysGone matches a statement that a file no longer exists.
	saysGone = lazy(`(?i)\b(delet(es|ed)|remov(es|ed)|dropped|gone|mov(es|ed)|renam(es|ed))\b`)
)

// ofFiles checks a claim against what is known of the files that it says were changed: whether the change failed,
// the file is gone, or it was only read.
func (s *source) ofFiles(c claim) (refuted, unknown string) {
	if !saysChanged().MatchString(c.text) && !saysGone().MatchString(c.text) {
		return "", ""
	}
	changed := false
	for _, f := range s.files {
		if !mentions(c.text, f.Path) {
			continue
		}
		switch {
		case !f.changed() && f.failed != nil && !c.failed:
			return "the last " + f.failed.Op + " of " + f.Path + " failed", ""
		case (f.gone() || f.undone()) && !saysGone().MatchString(c.text) && unknown == "":
			unknown = f.Path + " is " + f.done()
		}
		changed = true
	}
	if changed || c.failed {
		return "", unknown
	}
	for _, r := range s.explored.all {
		if mentions(c.text, r.path) {
			return "", r.path + " was read, but not changed here"
		}
	}
	return "", unknown
}

// A deed is something that is done with a command and changes no file of the session.
type deed struct {
	what  string
	says  func() *regexp.Regexp // in a claim
	shows func() *regexp.Regexp // in the command that does it
}

var deeds = []deed{
	{"commit", lazy(`(?i)\bcommitted\b|\bcommit [0-9a-f]{7,40}\b`), lazy(`\bgit\b.*\bcommit\b`)},
	{"push", lazy(`(?i)\bpushed\b`), lazy(`\bgit\b.*\bpush\b`)},
	{"merge", lazy(`(?i)\b(merged|rebased)\b`), lazy(`\b(merge|rebase|pull)\b`)},
	{"installation", lazy(`(?i)\b(installed|upgraded)\b`), lazy(`\b(install|add|get|upgrade|update|sync|i|ci)\b`)},
	{"deployment", lazy(`(?i)\b(deployed|rolled out|shipped)\b`), lazy(`(?i)deploy|kubectl|helm|terraform|docker|` +
		`rsync|\bscp\b|ansible|\bfly\b|vercel`)},
	{"publication", lazy(`(?i)\b(published|tagged)\b`), lazy(`(?i)publish|release|\btag\b|upload`)},
	{"migration", lazy(`(?i)\bmigrat(ed|ions? (ran|applied))\b`), lazy(`(?i)migrat`)},
	{"revert", lazy(`(?i)\b(reverted|rolled back)\b`), lazy(`\b(revert|checkout|restore|reset|stash)\b|rollback`)},
}

// ofDeeds checks a claim of a deed against the commands that were run.
func (s *source) ofDeeds(c claim) (refuted, unknown string) {
	if c.failed {
		return "", ""
	}
	for _, d := range deeds {
		if !d.says().MatchString(c.text) {
			continue
		}
		last := s.lastDeed(d)
		switch {
		case last == nil && unknown == "":
			unknown = "no " + d.what + " is recorded"
		case last != nil && !last.pending() && last.failed():
			return quote.OneLine(last.Command, 160) + " failed (" + quote.Turn(last.Turn) + ")", ""
		}
	}
	return "", unknown
}

// lastDeed returns the newest operation that did a deed, or tried.
func (s *source) lastDeed(d deed) *Operation {
	for i := len(s.in.Operations) - 1; i >= 0; i-- {
		op := &s.in.Operations[i]
		if op.Op == intents.OpCommit && d.what == "commit" || op.shell() && d.shows().MatchString(op.Command) {
			return op
		}
	}
	return nil
}
