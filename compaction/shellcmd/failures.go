package shellcmd

import (
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/intents"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/pattern"
)

// Bounds of what is read of an output.
const (
	outputEnds   = 128 << 10 // bytes of each end
	failureNames = 6
	reasonBytes  = 300
)

// Failure is what the output of a test or build says of its failure.
type Failure struct {
	Names  []string // the failing tests or packages, the first ones
	More   int      // how many more there are
	Tests  []string // the tests among them; nil unless they are all that failed
	Reason string   // the first line that says why; ""
	Count  string   // the last line that says how many failed; ""
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
func (f Failure) Found() bool { return len(f.Names) > 0 || f.Reason != "" || f.Count != "" }

// String says what failed, why, and how much.
func (f Failure) String() string {
	text := strings.Join(f.Names, ", ")
	if f.More > 0 {
		text += fmt.Sprintf(" and %d more", f.More)
	}
	if f.Reason != "" {
		text = strings.TrimPrefix(text+": "+f.Reason, ": ")
	}
	switch {
	case text == "":
		return f.Count
	case f.Count != "" && !strings.Contains(text, f.Count):
		return text + " (" + f.Count + ")"
	}
	return text
}

var (
	// failingName matches the lines with which test runners name a failing test, in its group.
	failingName = pattern.Lazy(`^\s*(?:--- FAIL: (\S+)|FAIL\s+(\S+)|FAILED ([^\s(]\S*)|not ok \d+ -? ?(.{1,100})|test (\S+) \.\.\. FAILED|` +
		`● (.{1,100})|✕ (.{1,100})|[✗✖×] (.{1,100})|(\S+) FAILED|(?:FAIL|ERROR): (\S+) \(\S+\.\S+\))`)
	// failureReason matches lines that say why a test or build failed: a place in a file, or an error.
	failureReason = pattern.Lazy(`^\s*(?:\S+\.\w{1,5}:\d+(?::\d+)?:? \S.*|\S+\.\w{1,5}\(\d+,\d+\): error.*|error(?:\[\w+\])?: .*|E   .*|` +
		`(?:\w+\.)*(?:\w+(?:Error|Exception)): .*|panic: .*|npm ERR! .*|ERROR[: ].*|fatal: .*|make(?:\[\d+\])?: \*\*\* .*|` +
		`\d+:\d+\s+error\s.*)`)
	// problems matches how eslint counts: warnings alone are no failure.
	problems = pattern.Lazy(`^\s*✖ \d+ problems? \(`)
)

// FailureIn reads the output of a test or build; failed says that it is known to have failed. If it is not, the output has to
// say so: a line with a place in a file is no reason then, as passing tests and warnings print such lines, too. The output of
// a command that is neither has to name failing tests as the runners of tests do.
func FailureIn(output string, p Purpose, failed bool) Failure {
	var f Failure
	whole := len(output) <= 2*outputEnds
	if !whole {
		output = output[:outputEnds] + "\n" + output[len(output)-outputEnds:]
	}
	reasons := 0
	for line := range strings.Lines(output) {
		line = strings.TrimRight(chars.Strip(line[:min(len(line), 1_000)]), "\r\n")
		if line == "" {
			continue
		}
		shows := intents.ShowsFailure(strings.TrimSpace(line), p >= Build)
		failed = failed || shows
		if m := failingName().FindStringSubmatch(line); m != nil && !problems().MatchString(line) {
			whole = f.named(m) && whole && !strings.HasSuffix(line, " failed]") // "[build failed]": no test ran
			continue
		}
		switch {
		case failureReason().MatchString(line) && !strings.Contains(line, "warning"):
			if reasons++; reasons == 1 {
				f.Reason = chars.Head(strings.TrimSpace(line), reasonBytes)
			}
		case shows && strings.ContainsAny(line, "123456789"):
			f.Count = chars.Head(strings.Trim(line, " \t="), reasonBytes)
		}
	}
	if !failed && (p != Test || len(f.Names) == 0) {
		return Failure{}
	}
	if !whole || p != Test {
		f.Tests = nil
	}
	if p == Build && f.Count == "" && reasons > 1 {
		f.Count = fmt.Sprintf("%d lines of errors", reasons) // compilers that write to no terminal do not count
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
			f.More++
			return false
		}
		f.Names = append(f.Names, name)
		if i+1 != goPackage {
			f.Tests = append(f.Tests, name)
		}
	}
	return true
}
