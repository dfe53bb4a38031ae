package compaction

import (
	"strings"

	"ctxledger.dev/internal/pattern"
)

// What the sentences of a model's summary claim is read here, to be compared with what was recorded (claims.go).

// A claim is one clause of a statement with what it says about the world. It is recognised by English words: what
// they do not show is unknown, and the unknown is no evidence.
type claim struct {
	Text   string
	Plain  string // without the code that it quotes
	Passed bool   // something succeeded
	Failed bool   // something failed
	Wished bool   // it is a plan or a wish
}

// clauseEnds matches the end of a clause. A period inside a name is no end.
var clauseEnds = pattern.Lazy(`[.;!?]+(?:\s+|$)|,?\s+(?:but|however|while|whereas|although|though)\b|,\s+(?:and|so|then)\b|\s+—\s+`)

// concedes matches a leading clause that concedes the opposite.
var concedes = pattern.Lazy(`(?i)^(?:even )?(?:although|though|while|whereas)\b[^,]*,`)

// clauses splits a statement into its clauses, at most forty.
func clauses(statement string) []string {
	const all, hidden = "...", "\x00" // Go's "./..." ends no clause
	statement = strings.ReplaceAll(statement, all, hidden)
	statement = concedes().ReplaceAllString(statement, "$0;")
	var out []string
	for _, c := range clauseEnds().Split(statement, 40) {
		if c = strings.TrimSpace(strings.ReplaceAll(c, hidden, all)); c != "" {
			out = append(out, c)
		}
	}
	return out
}

// Patterns of success and failure. Negations are replaced by the word that they mean before the others are
// matched.
var (
	noFailure = pattern.Lazy(`(?i)\b(?:no|zero|0|without(?: any| a| an)?|not a single|free of)\s+(?:(?:more|other|test|` +
		`build|lint|remaining|compile|type)\s+)*(?:fail(?:ures?|ing|ed)?(?:\s+tests?)?|errors?|problems?|issues?|` +
		`regressions?)\b|\b(?:no longer|not|never|does ?n.t|do ?n.t|did ?n.t)\s+fail(?:s|ed|ing)?\b|\b0 failed\b|` +
		`\berror-free\b`)
	noSuccess = pattern.Lazy(`(?i)\b(?:not|never|hardly|cannot|can.t|do ?n.t|does ?n.t|did ?n.t|is ?n.t|are ?n.t|was ` +
		`?n.t|yet to|fails? to|failed to|unable to|without)\s+(?:(?:yet|all|fully|been|be|even)\s+)*(?:pass(?:es|` +
		`ed|ing)?|succeed(?:s|ed)?|work(?:s|ed|ing)?|compiles?d?|build|green|clean|fixed|done|ok)\b`)
	counted    = pattern.Lazy(`\b(\d+)\s*(?:/|of|out of)\s*(\d+)\b`)
	saysPassed = pattern.Lazy(`(?i)\b(pass(es|ed|ing)?|green|succeed(s|ed)?|success(ful(ly)?)?|clean(ly)?|works|worked|` +
		`working|fixed|done|ok|okay|compiles|compiled|complete[sd]?|verified|all good|fine|100 ?%|exit(ed|s)?( ` +
		`with)?( code| status)?:? 0|returned 0)(\b|$)|✓|✔|✅`)
	saysFailed = pattern.Lazy(`(?i)\b(fail(s|ed|ing|ures?)?|errors?|broken|red|not|never|no longer|without|still|cannot|` +
		`can.t|exit(ed|s)?( with)?( code| status)?:? [1-9]\d*)\b|✗|✘|❌`)
)

// wishes matches what is planned or possible rather than stated as a fact.
var wishes = pattern.Lazy(`(?i)\b(until|should|must|will|needs?|to do|todo|try|if|once|when|make sure|ensure|next:?|` +
	`let.s|please|can be|to be)\b`)

// claimOf reads a clause.
func claimOf(text string) claim {
	words := noFailure().ReplaceAllString(text, " passed ")
	words = noSuccess().ReplaceAllString(words, " failed ")
	c := claim{Text: text, Plain: quotedCode().ReplaceAllString(text, ""), Passed: saysPassed().MatchString(words),
		Failed: saysFailed().MatchString(words)}
	c.Wished = wishes().MatchString(words)
	if m := counted().FindStringSubmatch(words); m != nil && namesChecks().MatchString(words) {
		c.Passed = c.Passed || m[1] == m[2]
		c.Failed = c.Failed || m[1] != m[2]
	}
	return c
}

var (
	namesRuns   = pattern.Lazy(`(?i)\b(tests?|suite|builds?|compil(es|ed|ation)|lint(er|ing)?|checks?|ci|everything|all)\b`)
	namesChecks = pattern.Lazy(`(?i)\b(tests?|suite|builds?|compil(es?|ed|ation)|lint(er|ing)?|type-?checks?)\b`)
	// saysStill matches a statement about the present state.
	saysStill = pattern.Lazy(`(?i)\b(still|currently|now|fails|is failing|are failing)\b`)
	saysRan   = pattern.Lazy(`(?i)\b(ran|executed|launched)\b`)
)

// saysNowFailing matches a statement that tests or builds fail now.
var saysNowFailing = pattern.Lazy(`(?i)\b(?:tests?|suite|builds?)\s+(?:is |are )?(?:still|currently)\s+(?:fail|red|` +
	`broken)|\b(?:tests?|suite|builds?) (?:is|are) (?:failing|red|broken)\b`)

var (
	saysChanged = pattern.Lazy(`(?i)\b(edit(s|ed)?|chang(es|ed)|modif(ies|ied)|updat(es|ed)|wrote|written|creat(es|ed)|` +
		`added|fixed|implemented|rewr(ote|itten)|refactored|patched|replaced|converted|extended|introduced|` +
		`corrected|adjusted|now)\b`)
	// saysGone matches a statement that a file no longer exists.
	saysGone = pattern.Lazy(`(?i)\b(delet(es|ed)|remov(es|ed)|dropped|gone|mov(es|ed)|renam(es|ed))\b`)
)

// quotedCode matches code between backquotes.
var quotedCode = pattern.Lazy("`([^`\n]{3,200})`")

// codeIn returns what a text quotes as code, at most so many.
func codeIn(text string, most int) []string {
	var out []string
	for _, m := range quotedCode().FindAllStringSubmatch(text, most) {
		out = append(out, m[1])
	}
	return out
}
