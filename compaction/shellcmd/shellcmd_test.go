package shellcmd

import (
	"fmt"
	"strings"
	"testing"
)

func TestKeyOfNamesWhatACommandRuns(t *testing.T) {
	cases := []struct {
		command, key string
		purpose      Purpose
	}{
		{"cd /w && go test ./... 2>&1 | tail -20", "go test ./...", Test},
		{"CGO_ENABLED=1 timeout 60 go test -race ./a", "go test -race ./a", Test},
		{"npm run build && npm test", "npm run build && npm test", Test},
		{"python -m pytest -q tests/", "python -m pytest -q tests/", Test},
		{"make", "make", Build},
		{"npx tsc --noEmit", "npx tsc --noEmit", Build},
		{"grep -rn 'a && b' .", "grep -rn 'a && b' .", Search},
		{"git status; git diff", "git status | git diff", Search},
		{"./deploy.sh --prod", "./deploy.sh --prod", Other},
		{"cat > x.sh <<'END'\nrm -rf /\nEND", "cat > x.sh", Search},
		{`bash -c "cd a && go test ./..."`, `bash -c "cd a && go test ./..."`, Test},
		{`go test -run "TestA|TestB" ./a`, `go test -run "TestA|TestB" ./a`, Test},
		{`gh api x/replies -f body="It just delegates to \"F\", which has tests"`,
			`gh api x/replies -f body="It just delegates to \"F\", which has tests"`, Other},
		{`git commit -m 'run go test in CI'`, `git commit -m 'run go test in CI'`, Other},
		{`echo "unfinished go test ./...`, `echo "unfinished go test ./...`, Search},
		{"", "", Other},
	}
	for _, c := range cases {
		if key, p := Key(c.command); key != c.key || p != c.purpose {
			t.Errorf("Key(%q) = %q, %d; want %q, %d", c.command, key, p, c.key, c.purpose)
		}
	}
}

func TestALaterRunOfMoreCoversAnEarlierRunOfLess(t *testing.T) {
	cases := []struct {
		later, earlier string
		want           bool
	}{
		{"go test ./...", "go test ./a", true},
		{"go test ./...", "go build ./...", true},
		{"go vet ./...", "go test ./...", false},
		{"go test ./a/...", "go test ./a/b", true},
		{"go test ./a", "go test ./b", false},
		{"go test -run TestX ./...", "go test ./a", false},
		{"go test ./...", "go test -run TestX ./a", true},
		{"go test -count=1 ./a", "go test ./a/", true},
		{"pytest", "pytest tests/test_a.py", true},
		{"pytest tests/test_b.py", "pytest tests/test_a.py", false},
		{"npm test", "npm run build", false},
		{"npm run lint", "npm run build", false},
		{"cargo test", "cargo test --lib", true},
	}
	for _, c := range cases {
		later, earlier := Checks(c.later), Checks(c.earlier)
		if len(later) != 1 || len(earlier) != 1 {
			t.Errorf("%q, %q: %v, %v", c.later, c.earlier, later, earlier)
			continue
		}
		if got := later[0].Covers(earlier[0]); got != c.want {
			t.Errorf("%q covers %q: %t, want %t", c.later, c.earlier, got, c.want)
		}
	}
}

func TestTheTaskThatRunsAllTestsIncludesThoseOfATool(t *testing.T) {
	for _, c := range []struct {
		all, part string
		want      bool
	}{
		{"make test", "go test -run TestA ./a", true},
		{"mise run test:ci", "pytest tests/test_a.py", true},
		{"just test", "npx vitest run a.test.ts", true},
		{"make test-frontend", "pytest", false},
		{"make test ONLY=a", "pytest", false},
		{"npm test", "pytest", false}, // of one language
		{"make test", "make test-frontend", false},
		{"make test", "go build ./...", false},
		{"make lint", "go test ./a", false},
	} {
		all, part := Checks(c.all), Checks(c.part)
		if len(all) != 1 || len(part) != 1 {
			t.Errorf("%q, %q: %v, %v", c.all, c.part, all, part)
			continue
		}
		if got := part[0].IsPartOf(all[0]); got != c.want {
			t.Errorf("%q is a part of %q: %t, want %t", c.part, c.all, got, c.want)
		}
	}
}

// The patterns are only asked about what names a tool: each of their tools has to be known.
func TestEveryToolOfThePatternsIsKnown(t *testing.T) {
	found := 0
	for w := range strings.FieldsFuncSeq(testCommand().String()+" "+buildCommand().String(), func(r rune) bool {
		return !strings.ContainsRune(`abcdefghijklmnopqrstuvwxyz0123456789-.+\`, r)
	}) {
		w = strings.ReplaceAll(w, `\`, "")
		for _, c := range []string{w, w + " test", w + " build"} {
			if w != "" && (testCommand().MatchString(c) || buildCommand().MatchString(c)) {
				if found++; !namesTool(c) {
					t.Errorf("%q tests or builds, but is not among the tools", c)
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d commands were tried", found)
	}
}

func TestACheckInsideAPipeTellsOnlyHowThePipeEnded(t *testing.T) {
	for command, want := range map[string]bool{
		"go test ./... | tail -5":               true,
		"go test ./... && git log | head -3":    false,
		"git status | head; go vet ./...":       false,
		"go test ./... || echo failed":          false,
		"FOO=1 go test -race ./... 2>&1 | head": true,
	} {
		if Piped(command) != want {
			t.Errorf("%s: piped is %v", command, !want)
		}
	}
}

func TestATestIsRunAgainByWhatSelectsIt(t *testing.T) {
	for _, c := range []struct {
		command, test, earlier string
		want                   bool
	}{
		{`go test -v -run "TestA|TestB" ./a -count=1`, "TestB", "go test ./...", true},
		{`go test -run '^TestA$' ./a`, "TestA", "go test ./... | tail", true},
		{`go test -run '^TestA$' ./a`, "TestAll", "go test ./...", false},
		{"go test -run TestA ./a", "TestA/empty", "go test ./...", true},
		{"go test -run TestA/empty ./a", "TestA", "go test ./...", false},
		{"go test ./a", "TestA", "go test ./...", false}, // Covers is for whole runs
		{"pytest tests/test_a.py::test_b", "tests/test_a.py::test_b", "pytest -q", true},
		{"npx jest -t adds", "adds", "pytest", false},
	} {
		if got := Reruns(c.command, c.test, c.earlier); got != c.want {
			t.Errorf("%q runs %s of %q again: %t, want %t", c.command, c.test, c.earlier, got, c.want)
		}
	}
}

func TestFailingTestsAreKnownOnlyIfTheyAreAllThatFailed(t *testing.T) {
	for _, c := range []struct{ output, want string }{
		{"--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tshop/cart\t0.3s\nok  \tshop/order\t0.1s", "TestA"},
		{"--- FAIL: TestA (0.00s)\nFAIL\tshop/cart\t0.3s\nFAIL\tshop/order [build failed]", ""},
		{"FAILED tests/test_a.py::test_b - assert 1 == 2", "tests/test_a.py::test_b"},
		{strings.Repeat("ok\n", outputEnds) + "--- FAIL: TestA", ""},
		{"not ok 1 a\nnot ok 2 b\nnot ok 3 c\nnot ok 4 d\nnot ok 5 e\nnot ok 6 f\nnot ok 7 g", ""}, // more than are kept
		{"ok  \tshop/cart\t0.3s", ""},
	} {
		if got := strings.Join(FailureIn(c.output, Test, false).Tests, " "); got != c.want {
			t.Errorf("failing tests in %.80q: %q, want %q", c.output, got, c.want)
		}
	}
}

// What failed is told with its count, of every tool, wherever in the output it stands.
func TestFailuresAreToldByWhatTheySay(t *testing.T) {
	passed := strings.Repeat("ok  \tshop/cart\t0.3s\n", 300)
	for _, c := range []struct {
		name, output string
		p            Purpose
		failed       bool
		want         string
	}{
		{"pytest", "3 passed\nFAILED test_total", Test, false, "test_total"},
		{"pytest, counted", passed + "E   assert 1 == 2\nFAILED a.py::test_b - assert\n" +
			"=== 1 failed, 3 passed in 0.2s ===\n" + passed, Test, false,
			"a.py::test_b: E   assert 1 == 2 (1 failed, 3 passed in 0.2s)"},
		{"pytest -v", "a.py::test_a PASSED\na.py::test_b FAILED   [100%]", Test, false, "a.py::test_b"},
		{"unittest", "ERROR: test_b (tests.TestA)\nFAIL: test_a (tests.TestA.test_a)\nFAILED (failures=1, errors=1)",
			Test, false,
			"test_b, test_a (FAILED (failures=1, errors=1))"},
		{"go test", passed + "--- FAIL: TestA (0.00s)\n    a_test.go:3: no\nFAIL\tshop/order\t0.1s\n" + passed, Test, false,
			"TestA, shop/order: a_test.go:3: no"},
		{"many tests", notOK(9) + "# fail 9", Test, false,
			"t1, t2, t3, t4, t5, t6 and 3 more (# fail 9)"},
		{"jest", "FAIL a.test.ts\n  ● adds › one\n\nTests:       1 failed, 5 passed, 6 total\nTime: 1 s", Test, false,
			"a.test.ts, adds › one (Tests:       1 failed, 5 passed, 6 total)"},
		{"cargo", "test a::b ... FAILED\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\nerror: test failed", Test,
			false,
			"a::b: error: test failed (test result: FAILED. 1 passed; 1 failed; 0 ignored)"},
		{"maven", "Tests run: 3, Failures: 1, Errors: 0", Test, false, "Tests run: 3, Failures: 1, Errors: 0"},
		{"make", "cc a.c\nmake: *** [Makefile:2: all] Error 1\nbye", Build, false,
			"make: *** [Makefile:2: all] Error 1"},
		{"tsc", "a.ts(3,5): error TS2322: x\nb.ts(4,5): error TS2322: y\nbye", Build, false,
			"a.ts(3,5): error TS2322: x (2 lines of errors)"},
		{"tsc, counted", "a.ts(3,5): error TS2322: x\nFound 1 error in a.ts:3\n", Build, false,
			"a.ts(3,5): error TS2322: x (Found 1 error in a.ts:3)"},
		{"eslint", "/w/a.js\n  3:5  error  no x  no-undef\n\n✖ 2 problems (1 error, 1 warning)", Build, false,
			"3:5  error  no x  no-undef (✖ 2 problems (1 error, 1 warning))"},
		{"a script of unknown name", "FAILED test_total\n", Other, false, "test_total"},

		{"passing tests that print places", "a_test.go:3: a log\nok  \tshop\t0.1s", Test, false, ""},
		{"warnings", "a.c:3:5: warning: unused\n✖ 2 problems (0 errors, 2 warnings)", Build, false, ""},
		{"go build, which failed", "# shop\na.go:3:2: undefined: x", Build, true, "a.go:3:2: undefined: x"},
		{"lines of a list", "● one\n× two\n3 failed attempts", Other, false, ""},
		{"no failures", "Tests: 0 failed, 3 passed\n# fail 0\nFound 0 errors.", Test, false, ""},
	} {
		if got := FailureIn(c.output, c.p, c.failed).String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// notOK returns the lines of failing tests in the form of TAP.
func notOK(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "not ok %d - t%d\n", i+1, i+1)
	}
	return b.String()
}
