// Package shellcmd says what a shell command is run for: a test, a build, a search, or something else; which
// checks it makes, and which of them a later command repeats. It also recognises what the output of a command
// says of its outcome, and reads the state of a repository from what git and gh printed: the branch, the commits that were
// made or amended, pushes, the pull request, how far the branch is from its upstream.
//
// Start with Key and Checks. Feed a Repository the outputs of the commands that ran in the session's tree, oldest first. Commands are recognised by patterns over the names of common tools; a tool that is
// not in the tables counts as Other. The package runs nothing and reads no files.
package shellcmd

import (
	"strings"
	"sync"
	"unicode"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/shell"
)

// A Purpose is what a command is run for. Of two, the higher one says more about the state of the code.
type Purpose int

// The purposes, in ascending order.
const (
	Other  Purpose = iota
	Search         // reads or looks for something: its exit code says little
	Build          // compiles or checks
	Test
)

var (
	testCommand = pattern.Lazy(`(^|\s|/)(go test|gotestsum|pytest|py\.test|tox|nox|nosetests|unittest|vitest|jest|mocha|` +
		`playwright|cypress|rspec|phpunit|pest|ctest|busted|bats|(npm|pnpm|yarn|bun|deno)( run)? [\w:-]*test\S*|` +
		`(cargo|dotnet|swift|mix|bazel|gradle|gradlew|mvn|sbt|zig|dart|flutter|lein|rebar3|stack|cabal|composer|` +
		`rake|rails|just|task|make|mage|nx|turbo|buck2?)\s[^|;&]*\btest\S*|(mise|moon|poe|hatch|pdm|rye|pixi|` +
		`invoke|inv|earthly|pants|doit|lerna|rush|ant|ng)( run| r)? [\w:.-]*test\S*|make check|mvn verify|cargo ` +
		`nextest)(\s|$)`)

	buildCommand = pattern.Lazy(`(^|\s|/)(go (build|vet|generate|install|fix)|golangci-lint|staticcheck|make|cmake|ninja|` +
		`meson|tsc|eslint|biome|webpack|rollup|esbuild|vite build|ruff|mypy|pyright|flake8|pylint|clippy|rustc|` +
		`javac|gcc|g\+\+|clang|shellcheck|pre-commit|rubocop|phpstan|(npm|pnpm|yarn|bun)( run)? [\w:-]*(build|` +
		`lint|check|format|types?|compile)\S*|(cargo|dotnet|swift|mix|bazel|gradle|gradlew|mvn|sbt|zig|just|task|` +
		`mage|stack|cabal)\s[^|;&]*\b(build|check|clippy|fmt|compile|package|lint|assemble)\S*|(mise|moon|poe|` +
		`hatch|pdm|rye|pixi|invoke|inv|earthly|pants|doit|lerna|rush|ant|ng)( run| r)? [\w:.-]*(build|lint|check|` +
		`fmt|format|types?|compile|ci)\S*|docker( compose)? build|terraform (plan|validate)|tofu (plan|` +
		`validate))(\s|$)`)

	searchCommand = pattern.Lazy(`^(grep|egrep|rg|ag|ack|find|fd|ls|ll|cat|bat|head|tail|less|wc|tree|pwd|which|type|` +
		`echo|printf|file|stat|du|df|awk|sort|uniq|cut|jq|diff|sed -n|sleep|true|env|whoami|date|git (status|` +
		`diff|log|show|blame|branch|grep|ls-files|rev-parse|remote|stash list))(\s|$)`)

	preamble = pattern.Lazy(`^(cd|pushd|popd|export|set|source|\.|unset|ulimit)(\s|$)`)
	wrapper  = pattern.Lazy(`^(([A-Za-z_]\w*=("[^"]*"|'[^']*'|\S*)|time|nice|sudo|exec|command|env|timeout( -\S+)* \S+)\s+)+`)
	redirect = pattern.Lazy(`\s*(\d?>&\d|&?\d?>>?\s*/dev/null|<\s*/dev/null)`)
)

// tools are the words that a test or a build starts with. Segments without one are not matched against the
// patterns above, which take a hundred times as long.
var tools = sync.OnceValue(func() map[string]bool {
	all := make(map[string]bool)
	for w := range strings.FieldsSeq(`
		go gotestsum pytest py.test tox nox nosetests unittest vitest jest mocha playwright cypress rspec
		phpunit pest ctest busted bats npm pnpm yarn bun deno cargo dotnet swift mix bazel gradle gradlew mvn
		sbt zig dart flutter lein rebar3 stack cabal composer rake rails just task make mage nx turbo buck buck2
		mise moon poe hatch pdm rye pixi invoke inv earthly pants doit lerna rush ant ng golangci-lint
		staticcheck cmake ninja meson tsc eslint biome webpack rollup esbuild vite ruff mypy pyright flake8
		pylint clippy rustc javac gcc g++ clang shellcheck pre-commit rubocop phpstan docker terraform tofu`) {
		all[w] = true
	}
	return all
})

// namesTool reports whether a segment of a command holds the name of a tool that tests or builds.
func namesTool(segment string) bool {
	for w := range strings.FieldsFuncSeq(segment, func(r rune) bool { return r == '/' || unicode.IsSpace(r) }) {
		if tools()[w] {
			return true
		}
	}
	return false
}

// Segments splits a command at its operators outside quotes. A command with a here-document has
// only its first line.
func Segments(command string) []string {
	command, _, _ = strings.Cut(command, "<<")
	var out []string
	for _, s := range shell.Segments(chars.Strip(command)) {
		out = append(out, s.Text)
	}
	return out
}

// Key names what a command runs, so that two runs of one thing are known as such: without changes
// of directory, variables, redirections, and the filters around it.
func Key(command string) (key string, p Purpose) {
	var acts, looks []string
	p = Other
	for _, s := range Segments(command) {
		if preamble().MatchString(s) {
			continue
		}
		s = Unwrapped(s)
		s = strings.Join(strings.Fields(s), " ")
		if sp := PurposeOf(s); sp == Search {
			looks = append(looks, s)
		} else {
			acts = append(acts, s)
			p = max(p, sp)
		}
	}
	switch {
	case len(acts) > 0:
		return strings.Join(acts, " && "), p
	case len(looks) > 0:
		return strings.Join(looks, " | "), Search
	default:
		return command, Other
	}
}

// Unwrapped is a segment of a command without variables and tools in front of it, and without redirections.
func Unwrapped(segment string) string {
	segment = wrapper().ReplaceAllString(segment, "")
	if strings.ContainsAny(segment, "<>") {
		segment = redirect().ReplaceAllString(segment, "")
	}
	return segment
}

// PurposeOf says what one segment of a command is run for.
func PurposeOf(segment string) Purpose {
	segment = withoutTexts(segment)
	switch {
	case searchCommand().MatchString(segment):
		return Search
	case !namesTool(segment):
		return Other
	case testCommand().MatchString(segment):
		return Test
	case buildCommand().MatchString(segment):
		return Build
	default:
		return Other
	}
}

// runners are programs that run a quoted argument as a command.
var runners = pattern.Lazy(`(^|\s|/)(ba|z|da|fi)?sh\s|(^|\s)(eval|ssh|su|xargs|watch|script|parallel)\s`)

// withoutTexts empties the quoted arguments of several words, such as messages of commits: they name tools and run none.
func withoutTexts(segment string) string {
	if !strings.ContainsAny(segment, `"'`) || runners().MatchString(segment) {
		return segment
	}
	var b strings.Builder
	for rest := segment; ; {
		i := strings.IndexAny(rest, `"'`)
		if i < 0 {
			return b.String() + rest
		}
		n := quotedLength(rest[i:])
		b.WriteString(rest[:i])
		if text := rest[i : i+n]; strings.ContainsAny(text, " \t\n") {
			b.WriteString(`""`)
		} else {
			b.WriteString(text)
		}
		rest = rest[i+n:]
	}
}

// quotedLength is the length of the quoted text that s begins with, its quotes included; all of s if it does not end.
func quotedLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return i + 1
		case s[i] == '\\' && s[0] == '"':
			i++
		}
	}
	return len(s)
}

// Piped reports whether a test or build of a command pipes its output into a filter, which hides its exit status.
func Piped(command string) bool {
	inside := false // a pipeline
	for _, s := range shell.Segments(chars.Strip(command)) {
		if !inside && s.Piped && PurposeOf(wrapper().ReplaceAllString(s.Text, "")) >= Build {
			return true
		}
		inside = s.Piped
	}
	return false
}
