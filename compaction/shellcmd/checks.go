package shellcmd

import (
	"path"
	"slices"
	"strings"
)

// A Check is one test or build inside a command: which tool, on what. Comparing two of them shows whether a later
// run supersedes the outcome of an earlier one.
type Check struct {
	family string   // "go", "cargo test", "pytest"
	rank   int      // within a family: a higher one includes the lower ones
	scope  []string // what it was run on; empty: all, or the directory it was run in
	narrow string   // what selects single tests: "-run TestA"
	tests  bool     // it runs tests
}

// ranks orders what the go command checks: a test run compiles and vets as well.
var ranks = map[string]int{"build": 1, "install": 1, "vet": 2, "test": 3}

// subcommanded are tools whose first argument says what they do.
var subcommanded = map[string]bool{
	"cargo": true, "npm": true, "pnpm": true, "yarn": true, "bun": true, "deno": true, "dotnet": true, "make": true,
	"mvn": true, "gradle": true, "gradlew": true, "swift": true, "mix": true, "bazel": true, "npx": true, "just": true,
	"task": true, "poetry": true, "uv": true, "bundle": true, "docker": true, "terraform": true, "rake": true,
	"rails": true,
}

// valued are flags that take the next word as value; those that select tests are marked true.
var valued = map[string]bool{
	"-run": true, "-fuzz": true, "-bench": true, "-k": true, "-t": true, "--grep": true, "--filter": true,
	"--testNamePattern": true, "--test": true, "-skip": true, "--tests": true, "-m": true,
	"-count": false, "-fuzztime": false, "-benchtime": false, "-timeout": false, "-tags": false, "-o": false,
	"-p": false,
	"-C": false, "-coverprofile": false, "--config": false, "--maxfail": false, "-n": false, "-j": false,
}

// Checks returns the checks that a command runs.
func Checks(command string) []Check {
	var out []Check
	for _, s := range Segments(command) {
		s = Unwrapped(s)
		if purpose := PurposeOf(s); !preamble().MatchString(s) && purpose >= Build {
			c := checkOf(strings.Fields(s))
			c.tests = purpose == Test
			out = append(out, c)
		}
	}
	return out
}

func checkOf(words []string) Check {
	c := Check{family: path.Base(words[0])}
	words = words[1:]
	switch {
	case c.family == "go" && len(words) > 0:
		c.rank = ranks[words[0]]
		if c.rank == 0 {
			c.family += " " + words[0]
		}
		words = words[1:]
	case subcommanded[c.family]:
		for len(words) > 0 && (len(strings.Fields(c.family)) < 2 || strings.HasSuffix(c.family, " run")) &&
			!strings.HasPrefix(words[0], "-") {
			c.family += " " + words[0]
			words = words[1:]
		}
	case strings.HasPrefix(c.family, "python"):
		c.family, words = "python "+strings.Join(words[:min(2, len(words))], " "), words[min(2, len(words)):]
	}
	for i := 0; i < len(words); i++ {
		w := strings.Trim(words[i], `"'`)
		if !strings.HasPrefix(w, "-") {
			c.scope = append(c.scope, strings.TrimSuffix(w, "/"))
			continue
		}
		flag, value, joined := strings.Cut(w, "=")
		selects, takes := valued[flag]
		if takes && !joined && i+1 < len(words) {
			i++
			value = words[i]
		}
		if selects {
			c.narrow += " " + flag + " " + value
		}
	}
	return c
}

// Reruns reports whether a command runs one test that an earlier command ran, with the same tool: its flags, or what it is
// run on, name the test.
func Reruns(command, test, earlier string) bool {
	before := Checks(earlier)
	return slices.ContainsFunc(Checks(command), func(c Check) bool {
		return c.selects(test) && slices.ContainsFunc(before, func(old Check) bool { return old.family == c.family })
	})
}

// selects reports whether a check names a test. Its patterns match the beginning of a name; "$" ends one.
func (c Check) selects(test string) bool {
	if slices.Contains(c.scope, test) {
		return true
	}
	patterns := strings.FieldsFunc(c.narrow, func(r rune) bool { return strings.ContainsRune(` |'"()`, r) })
	return slices.ContainsFunc(patterns, func(p string) bool {
		name, whole := strings.CutSuffix(strings.TrimPrefix(p, "^"), "$")
		return name == test || !whole && name != "" && strings.HasPrefix(test, name)
	})
}

// SameRank reports whether two checks of one family prove the same amount.
func (c Check) SameRank(old Check) bool { return c.rank == old.rank }

// Covers reports whether a run of c repeats what an earlier run of old checked.
func (c Check) Covers(old Check) bool {
	if c.family != old.family || c.rank < old.rank {
		return false
	}
	if c.narrow != "" && (c.narrow != old.narrow || !slices.Equal(c.scope, old.scope)) {
		return false
	}
	if len(c.scope) == 0 {
		return c.family != "go" || len(old.scope) == 0
	}
	if len(old.scope) == 0 {
		return slices.Contains(c.scope, "./...")
	}
	for _, target := range old.scope {
		if !slices.ContainsFunc(c.scope, func(s string) bool { return contains(s, target) }) {
			return false
		}
	}
	return true
}

// Task runners of any language, and the names of tasks that run all tests of a repository.
var (
	taskRunners = []string{"mise", "make", "just", "task", "mage", "moon", "poe", "invoke", "inv", "earthly", "pants"}
	wholeSuites = []string{"test", "tests", "test:all", "test-all", "test:ci", "ci", "check"}
)

// runsAllTests reports whether a check is the task of a repository that runs all its tests: "make test".
func (c Check) runsAllTests() bool {
	words := slices.DeleteFunc(append(strings.Fields(c.family), c.scope...), func(w string) bool { return w == "run" })
	return c.tests && c.narrow == "" && len(words) == 2 && slices.Contains(taskRunners, words[0]) &&
		slices.Contains(wholeSuites, words[1])
}

// IsPartOf reports whether a check runs tests that all is the run of, directly with the tool of their language.
func (c Check) IsPartOf(all Check) bool {
	return c.tests && all.runsAllTests() && !slices.Contains(taskRunners, strings.Fields(c.family)[0])
}

// contains reports whether the target s includes target.
func contains(s, target string) bool {
	if s == target || s == "./..." || s == "." && !strings.HasPrefix(target, "..") && !strings.Contains(target, "...") {
		return true
	}
	dir, tree := strings.CutSuffix(s, "/...")
	return tree && (target == dir || strings.HasPrefix(target, dir+"/"))
}
