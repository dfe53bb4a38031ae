package shellcmd

import (
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/pattern"
)

// Bounds of what is read of an output.
const (
	outputLines  = 4_000
	failureNames = 6
	reasonBytes  = 300
)

// Failure is what the output of a test or build says of its failure.
type Failure struct {
	Names  []string // the failing tests or packages
	Tests  []string // the tests among them; nil unless they are all that failed
	Reason string   // the first line that says why; ""
}

// Repeats reports whether other failures named all of these tests already, and adds them to those.
func (f Failure) Repeats(named map[string]bool) bool {
	known := len(f.Names) > 0
	for _, n := range f.Names {
		known = known && named[n]
		named[n] = true
	}
	return known
}

// Found reports whether the output says that something failed.
func (f Failure) Found() bool { return len(f.Names) > 0 || f.Reason != "" }

var (
	// failingName matches the lines with which test runners name a failing test, in its group.
	failingName = pattern.Lazy(`^\s*(?:--- FAIL: (\S+)|FAIL\s+(\S+)|FAILED (\S+)|not ok \d+ -? ?(.{1,100})|test (\S+) \.\.\. FAILED|` +
		`● (.{1,100})|✕ (.{1,100})|[✗✖×] (.{1,100})|(\S+) FAILED)`)
	// failureReason matches lines that say why a test or build failed: a place in a file, or an error.
	failureReason = pattern.Lazy(`^\s*(?:\S+\.\w{1,5}:\d+(?::\d+)?:? \S.*|\S+\.\w{1,5}\(\d+,\d+\): error.*|error(?:\[\w+\])?: .*|E   .*|` +
		`(?:\w+\.)*(?:\w+(?:Error|Exception)): .*|panic: .*|npm ERR! .*|ERROR[: ].*|fatal: .*|make: \*\*\* .*)`)
)

// saysFailed matches a line that says that a test run as a whole failed.
var saysFailed = pattern.Lazy(`^(?:FAIL\b|FAILED\b|panic: |E   |error(?:\[\w+\])?: )`)

// FailureIn reads the output of a test or build. In the output of tests, a line with a place in a file is a reason only
// where something failed: passing tests print such lines too.
func FailureIn(output string, p Purpose) Failure {
	var f Failure
	lines, failed, whole := 0, p != Test, true
	for line := range strings.Lines(output) {
		if lines++; lines > outputLines {
			break
		}
		line = strings.TrimRight(chars.Strip(line[:min(len(line), 1_000)]), "\r\n")
		if line == "" {
			continue
		}
		failed = failed || saysFailed().MatchString(line)
		if m := failingName().FindStringSubmatch(line); m != nil {
			whole = f.named(m) && whole && !strings.HasSuffix(line, " failed]") // "[build failed]": no test ran
			continue
		}
		if f.Reason == "" && failureReason().MatchString(line) {
			f.Reason = chars.Head(strings.TrimSpace(line), reasonBytes)
		}
	}
	if !failed && len(f.Names) == 0 {
		return Failure{}
	}
	if !whole || lines > outputLines || p != Test {
		f.Tests = nil
	}
	return f
}

// goPackage is the group of failingName with a package of Go, which fails with its tests, or because it does not build.
const goPackage = 2

// named takes in the names of a line. It reports false if there are too many.
func (f *Failure) named(groups []string) bool {
	for i, name := range groups[1:] {
		name = strings.TrimSpace(name)
		if name == "" || slices.Contains(f.Names, name) {
			continue
		}
		if len(f.Names) == failureNames {
			return false
		}
		f.Names = append(f.Names, name)
		if i+1 != goPackage {
			f.Tests = append(f.Tests, name)
		}
	}
	return true
}
