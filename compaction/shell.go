package compaction

import (
	"strings"
	"sync"
	"unicode"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/shell"
)

// A purpose is what a command is run for.
type purpose int

const (
	other  purpose = iota
	search         // looks at things: its exit code says little
	build          // compiles or checks
	test
)

var (
	testCommand = lazy(`(^|\s|/)(go test|gotestsum|pytest|py\.test|tox|nox|nosetests|unittest|vitest|jest|mocha|playwright|cypress|rspec|phpunit|pest|ctest|busted|bats|(npm|pnpm|yarn|bun|deno)( run)? [\w:-]*test\S*|(cargo|dotnet|swift|mix|bazel|gradle|gradlew|mvn|sbt|zig|dart|flutter|lein|rebar3|stack|cabal|composer|rake|rails|just|task|make|mage|nx|turbo|buck2?)\s[^|;&]*\btest\S*|(mise|moon|poe|hatch|pdm|rye|pixi|invoke|inv|earthly|pants|doit|lerna|rush|ant|ng)( run| r)? [\w:.-]*test\S*|make check|mvn verify|cargo nextest)(\s|$)`)

	buildCommand = lazy(`(^|\s|/)(go (build|vet|generate|install|fix)|golangci-lint|staticcheck|make|cmake|ninja|meson|tsc|eslint|biome|webpack|rollup|esbuild|vite build|ruff|mypy|pyright|flake8|pylint|clippy|rustc|javac|gcc|g\+\+|clang|shellcheck|pre-commit|rubocop|phpstan|(npm|pnpm|yarn|bun)( run)? [\w:-]*(build|lint|check|format|types?|compile)\S*|(cargo|dotnet|swift|mix|bazel|gradle|gradlew|mvn|sbt|zig|just|task|mage|stack|cabal)\s[^|;&]*\b(build|check|clippy|fmt|compile|package|lint|assemble)\S*|(mise|moon|poe|hatch|pdm|rye|pixi|invoke|inv|earthly|pants|doit|lerna|rush|ant|ng)( run| r)? [\w:.-]*(build|lint|check|fmt|format|types?|compile|ci)\S*|docker( compose)? build|terraform (plan|validate)|tofu (plan|validate))(\s|$)`)

	searchCommand = lazy(`^(grep|egrep|rg|ag|ack|find|fd|ls|ll|cat|bat|head|tail|less|wc|tree|pwd|which|type|echo|printf|file|stat|du|df|awk|sort|uniq|cut|jq|diff|sed -n|sleep|true|env|whoami|date|git (status|diff|log|show|blame|branch|grep|ls-files|rev-parse|remote|stash list))(\s|$)`)

	preamble = lazy(`^(cd|pushd|popd|export|set|source|\.|unset|ulimit)(\s|$)`)
	wrapper  = lazy(`^(([A-Za-z_]\w*=("[^"]*"|'[^']*'|\S*)|time|nice|sudo|exec|command|env|timeout( -\S+)* \S+)\s+)+`)
	redirect = lazy(`\s*(\d?>&\d|&?\d?>>?\s*/dev/null|<\s*/dev/null)`)
	looked   = lazy(`(^|[|;&]\s*)(grep|egrep|rg|find|ag|ack|fd|git grep)\s`)
)

// tools are the words that a test or a build starts with: what has none of them is not looked at by the
// patterns above, which take a hundred times as long.
var tools = sync.OnceValue(func() map[string]bool {
	all := make(map[string]bool)
	for w := range strings.FieldsSeq(`go gotestsum pytest py.test tox nox nosetests unittest vitest jest mocha playwright cypress
		rspec phpunit pest ctest busted bats npm pnpm yarn bun deno cargo dotnet swift mix bazel gradle gradlew mvn sbt zig dart
		flutter lein rebar3 stack cabal composer rake rails just task make mage nx turbo buck buck2 mise moon poe hatch pdm rye
		pixi invoke inv earthly pants doit lerna rush ant ng golangci-lint staticcheck cmake ninja meson tsc eslint biome webpack
		rollup esbuild vite ruff mypy pyright flake8 pylint clippy rustc javac gcc g++ clang shellcheck pre-commit rubocop phpstan
		docker terraform tofu`) {
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

// segments splits a command at its operators outside quotes. A command with a here-document has
// only its first line.
func segments(command string) []string {
	command, _, _ = strings.Cut(command, "<<")
	var out []string
	for _, s := range shell.Segments(chars.Strip(command)) {
		out = append(out, s.Text)
	}
	return out
}

// keyOf names what a command runs, so that two runs of one thing are known as such: without changes
// of directory, variables, redirections, and the filters around it.
func keyOf(command string) (key string, p purpose) {
	var acts, looks []string
	p = other
	for _, s := range segments(command) {
		if preamble().MatchString(s) {
			continue
		}
		s = unwrapped(s)
		s = strings.Join(strings.Fields(s), " ")
		if sp := purposeOf(s); sp == search {
			looks = append(looks, s)
		} else {
			acts = append(acts, s)
			p = max(p, sp)
		}
	}
	switch {
	case len(acts) > 0:
		return clip(strings.Join(acts, " && "), 300), p
	case len(looks) > 0:
		return clip(strings.Join(looks, " | "), 300), search
	default:
		return oneLine(command, 300), other
	}
}

// unwrapped is a segment of a command without variables and tools in front of it, and without redirections.
func unwrapped(segment string) string {
	segment = wrapper().ReplaceAllString(segment, "")
	if strings.ContainsAny(segment, "<>") {
		segment = redirect().ReplaceAllString(segment, "")
	}
	return segment
}

func purposeOf(segment string) purpose {
	switch {
	case searchCommand().MatchString(segment):
		return search
	case !namesTool(segment):
		return other
	case testCommand().MatchString(segment):
		return test
	case buildCommand().MatchString(segment):
		return build
	default:
		return other
	}
}

// keyed is what keyOf says of a command.
type keyed struct {
	key     string
	purpose purpose
}

// keyOf is the function keyOf, which remembers.
func (s *source) keyOf(command string) (key string, p purpose) {
	k, known := s.keys[command]
	if !known {
		k.key, k.purpose = keyOf(command)
		s.keys[command] = k
	}
	return k.key, k.purpose
}

// isLook reports whether a command only looks at things.
func (s *source) isLook(command string) bool {
	_, p := s.keyOf(command)
	return p == search
}

// isSearch reports whether a command only looks for something.
func (s *source) isSearch(command string) bool {
	return s.isLook(command) && looked().MatchString(command)
}
