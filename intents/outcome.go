package intents

import (
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/pattern"
)

// Limits of what is kept of a call, in characters.
const (
	maxArg     = 200
	maxError   = 300
	maxCommand = 1000
	maxOutcome = 200
	maxArgs    = 32 // arguments of one call, in the order of their names
)

// outcomeBytes is how much of each end of an output Outcome looks at: a result may have megabytes.
const outcomeBytes = 32 << 10

// failures are the beginnings by which a result's text says that it failed, when no structured
// status does. The last three are of Codex, whose patches have no exit code (0.169.0).
var failures = []string{"[ERROR]", "[DENIED]", "[TIMEOUT]", "[NOT FOUND]", "[EXIT ",
	"apply_patch verification failed", "patch rejected", "exec command rejected"}

var (
	exitCode = pattern.Lazy(`^(?:Error: )?(?:Exit code |\[EXIT )(-?\d{1,6})`)
	// codexExit matches what Codex puts in front of what a command printed (0.169.0, and earlier versions).
	codexExit = pattern.Lazy(`^(?:Chunk ID: \w+\n)?(?:Wall time: [^\n]{1,60}\nProcess exited with code |Exit code: )(-?\d{1,6})\n`)
	// codexMeta matches where versions of 2025 say it: at the end of a JSON object.
	codexMeta = pattern.Lazy(`"metadata":\s?\{"exit_code":\s?(-?\d{1,6})[,}][^{}]{0,200}\}*\s*$`)
)

// maxMeta bounds the end of such an object, in bytes.
const maxMeta = 400

// ExitCode returns the exit code with which a result begins, and whether there is one.
func ExitCode(text string) (code int, said bool) {
	m := exitCode().FindStringSubmatch(text)
	if m == nil {
		m = codexExit().FindStringSubmatch(text)
	}
	if m == nil && strings.HasPrefix(text, `{"output":`) {
		m = codexMeta().FindStringSubmatch(text[max(0, len(text)-maxMeta):])
	}
	if m == nil {
		return 0, false
	}
	code, err := strconv.Atoi(m[1])
	return code, err == nil
}

// Result is the outcome of a call as its host reported it.
type Result struct {
	Text string
	// Failed is the host's structured status. Known says whether it gave one.
	Failed, Known bool
}

// status returns whether the call succeeded, and its exit code if the text contains one.
func (r Result) status() (Status, *int) {
	var code *int
	if n, said := ExitCode(r.Text); said {
		code = &n
	}
	failed := r.Failed
	if !r.Known {
		failed = failed || code != nil && *code != 0
		for _, f := range failures {
			failed = failed || strings.HasPrefix(r.Text, f)
		}
	}
	if failed {
		return Failed, code
	}
	return Applied, code
}

var (
	telling = pattern.Lazy(`(?i)\b(?:fail(?:ed|ures?|ing)?|error|panic|undefined|cannot|exception|traceback|` +
		`not found|no such|denied|fatal)\b|---\s*FAIL`)
	// failure matches what test runners, compilers and linters print of a failure, and no success prints. In a pipe, or
	// behind "||", their exit status is lost, and such a line is the only sign. Counts are not 0.
	failure = pattern.Lazy(`^(?:WARNING: DATA RACE|--- FAIL|panic: |Traceback \(most recent call last\)|FAIL(?:ED)?(?:[\s:(]|$)|` +
		`not ok \d|test result: FAILED|test \S+ \.\.\. FAILED|\S+::\S+ FAILED|npm ERR! |make(?:\[\d+\])?: \*\*\* |` +
		`error\[E\d+\]: |\S+[:(]\d+[:,]\d+\)?: (?:fatal )?error(?::| TS\d|\[)|\W*(?:Found |\d+ problems? \()[1-9]\d* errors?\b|` +
		`[1-9]\d* issues?:|.*[^\d][1-9]\d* offenses? detected)|` +
		`\b[1-9]\d* (?:tests? )?(?:failed|failing|failures?)(?:\s*\)|, \d|\s*$|\s*\| |\s+=+$|\s+\(\d|\s+in\b|\s+out of\b)|` +
		`\b(?:Failures|Errors|Failed|Tests failed): *[1-9]|^\W? ?fail [1-9]|passed, [1-9]\d* errors? in |` +
		`^(?:BUILD FAILED\b|npm error code \w+$|\*\* \w+ FAILED \*\*|\[FAIL\] |\[ERROR\] BUILD FAILURE|[A-Za-z]\w*: FAIL(?:ED)?$|` +
		`Segmentation fault\b|FAILURE: Build )`)
	// checkFailure matches what of that only tests and builds print.
	checkFailure = pattern.Lazy(`^(?:FAILURES!|ERROR in |E   |error(?:\[\w+\])?: |[✗×] |✖ \D|\d+:\d+\s+error\s)|: error(?: TS\d+)?: |` +
		`\b[1-9]\d* errors? (?:in \d|generated\b)`)
	// again matches attempts that are made once more.
	again   = pattern.Lazy(`\b[Rr]etry`)
	summing = pattern.Lazy(`(?i)^(?:ok|pass|FAIL|---|\d+ (?:passed|failed|tests?)|tests?:|tests\s+\d+|` +
		`test result|build|error)\b`)
)

// Outcome returns the one line of a command's output that best shows how it ended: for a failure
// the first line that names the problem (also for a success whose pipe hid one), else the last line
// that sums up, else the last line. Of a long output it reads the beginning and the end, but a hidden failure anywhere.
func Outcome(text string, failed bool) string {
	var last, sum, problem string
	ends := text
	if len(text) > 2*outcomeBytes {
		ends = text[:outcomeBytes] + "\n" + text[len(text)-outcomeBytes:]
	}
	for line := range strings.SplitSeq(ends, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || exitCode().MatchString(line) {
			continue
		}
		last = line
		if summing().MatchString(line) {
			sum = line
		}
		heading := strings.HasPrefix(line, "==") // of pytest
		if failed && problem == "" && !heading && telling().MatchString(line) {
			problem = line
		}
	}
	if problem == "" {
		problem = hidden(text)
	}
	switch {
	case problem != "":
		return chars.Cut(problem, maxOutcome)
	case sum != "":
		return chars.Cut(sum, maxOutcome)
	default:
		return chars.Cut(last, maxOutcome)
	}
}

// hidden returns the first line that shows a failure, or "".
func hidden(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); ShowsFailure(line, false) {
			return line
		}
	}
	return ""
}

// ShowsFailure reports whether a line of an output, without white space around it, says that a test or build failed whatever
// the exit status was. check says that the command was a test or a build, whose words say more.
func ShowsFailure(line string, check bool) bool {
	const longest = 1_000 // bytes: a longer line is data
	has := func(word string) bool { return strings.Contains(line, word) }
	shows := len(line) <= longest && (slices.ContainsFunc(failureWords, has) && failure().MatchString(line) ||
		check && checkFailure().MatchString(line))
	return shows && !again().MatchString(line)
}

// failureWords are parts of all that failure matches: other lines, which are most, need no closer look.
var failureWords = []string{"ail", "AIL", "rror", "ERR!", "panic", "Traceback", "RACE", "not ok", "***", "issue",
	"offense", "Segmentation"}
