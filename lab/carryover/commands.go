package carryover

import (
	"ctxledger.dev/engine/replay"
	"strings"

	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/transcript"
)

// command is a test or build that ran before.
type command struct {
	text     string // with single spaces, without assignments and redirections
	failed   bool   // the last run
	filtered bool   // the last run went through a pipe, whose status is that of the filter
}

var (
	// checks recognises a simple command that tests or builds.
	checks = pattern.Lazy(`^(\S*/)?(go (test|build|vet)|pytest|python3? -m (pytest|unittest)|tox|` +
		`vitest|jest|mocha|` +
		`rspec|phpunit|ctest|golangci-lint|staticcheck|tsc|eslint|ruff|mypy|make|cmake|ninja|` +
		`(npx|bunx) (tsc|jest|vitest|eslint|playwright)|` +
		`(npm|pnpm|yarn|bun|deno)( run)? [\w:-]*(test|build|lint|check|typecheck|compile)|` +
		`(cargo|dotnet|swift|mix|mvn|gradle|gradlew|zig|just|task|mise|rake|bazel)\s.*` +
		`\b(test|build|check|clippy|lint|ci|fmt))\b`)
	operators   = pattern.Lazy(`\s*(?:&&|\|\||;|\n)\s*`)
	assignments = pattern.Lazy(`^(?:(?:[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|\S*)|time|sudo|timeout \S+)\s+)+`)
	redirection = pattern.Lazy(`\s*(?:\d?>&\d|&?\d?>>?\s*\S+|<\s*\S+)`)
)

// neverRan recognises what hosts answer to a call that they did not carry out: the user refused it, or it was
// cancelled because another one beside it failed.
var neverRan = pattern.Lazy(
	`^(The user doesn't want to (proceed|take this action)|\[Request interrupted by user|<tool_use_error>)`)

// check is one test or build of a command line.
type check struct {
	text     string
	filtered bool
}

// checksIn returns the tests and builds that a command line runs, each alone.
func checksIn(line string) []check {
	line, _, _ = strings.Cut(line, "<<")
	var out []check
	// Not shell.Segments: what measures summaries shares no code with what writes them, or both would miss the same.
	for _, s := range operators().Split(line, -1) {
		s, _, filtered := strings.Cut(s, " |")
		s = assignments().ReplaceAllString(strings.TrimSpace(s), "")
		s = strings.Join(strings.Fields(redirection().ReplaceAllString(s, "")), " ")
		if checks().MatchString(s) {
			out = append(out, check{s, filtered})
		}
	}
	return out
}

// ran takes one run of a command line into account.
func (b *past) ran(line string, result transcript.Part) {
	if result.IsError && neverRan().MatchString(result.Text) {
		return
	}
	for _, s := range checksIn(line) {
		c := b.byText[s.text]
		if c == nil {
			c = &command{text: s.text}
			b.byText[s.text] = c
			b.commands = append(b.commands, c)
		}
		c.failed, c.filtered = result.IsError, s.filtered
	}
}

var (
	saysFailed = pattern.Lazy(`(?i)fail|error|exit (code |status )?[1-9]|✗|broke|\bnot pass|\bred\b`)
	saysPassed = pattern.Lazy(`(?i)pass|\bok\b|exit (code |status )?0|succe|✓|✅|clean|green|no (errors|issues)`)
)

// says reports whether a text says how the last run ended. The status of a pipe is that of its filter, so what the
// text says of such a run is taken for true.
func (c *command) says(text string) bool {
	failed, passed := saysFailed().MatchString(text), saysPassed().MatchString(text)
	switch {
	case c.failed:
		return failed
	case c.filtered:
		return failed || passed
	}
	return passed
}

// keptIn reports whether a text holds the command with the outcome of its last run.
func (c *command) keptIn(flat string) bool {
	for from := 0; ; {
		i := strings.Index(flat[from:], c.text)
		if i < 0 {
			return false
		}
		from += i + len(c.text)
		line, rest, _ := strings.Cut(flat[from:], "\n")
		if strings.Trim(line, " `:*") == "" { // the outcome may be on the next line
			line, _, _ = strings.Cut(rest, "\n")
		}
		if !continues(flat, from) && c.says(line) {
			return true
		}
	}
}

// continues reports whether the command continues at i and so is another one: "go test ./a" is not
// "go test ./a/b".
func continues(s string, i int) bool {
	return i < len(s) && (replay.IsWord(rune(s[i])) || s[i] == '/' || s[i] == '.' || s[i] == '-')
}
