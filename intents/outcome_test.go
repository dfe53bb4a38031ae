package intents

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// Outputs as the tools really write them.
const (
	goFails = "--- FAIL: TestLoad (0.00s)\n    load_test.go:12: got 3, want 4\nFAIL\nFAIL\texample.com/shop/catalog\t0.004s\nok  \texample.com/shop/cart\t0.002s\nFAIL\n"
	goBuild = "# example.com/shop/catalog\ncatalog/load.go:14:2: undefined: parse\nFAIL\texample.com/shop/catalog [build failed]\n"
	goOK    = "?   \texample.com/shop\t[no test files]\nok  \texample.com/shop/cart\t(cached)\nok  \texample.com/shop/catalog\t0.004s\n"
	pytest  = "============================= test session starts ==============================\ncollected 2 items\n\ntest_a.py .F\n\n=================================== FAILURES ===================================\n    def test_b():\n>       assert 1 == 2\nE       assert 1 == 2\n\ntest_a.py:5: AssertionError\n=========================== short test summary info ============================\nFAILED test_a.py::test_b - assert 1 == 2\n========================= 1 failed, 1 passed in 0.02s ==========================\n"
	npm     = "\n> shop@1.0.0 test\n> vitest run\n\n Test Files  1 passed (1)\n      Tests  3 passed (3)\n   Duration  300ms\n"
	npmErr  = "npm error code ENOENT\nnpm error syscall open\nnpm error path /w/package.json\n"
	cargo   = "   Compiling shop v0.1.0 (/w)\nerror[E0425]: cannot find value `x` in this scope\n --> src/main.rs:2:20\nerror: could not compile `shop` (bin \"shop\") due to 1 previous error\n"
	cargoOK = "running 2 tests\ntest a ... ok\ntest b ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored\n\n"
	bashErr = "bash: line 1: foo: command not found\n"
)

func TestOutcomeIsTheTellingLine(t *testing.T) {
	for _, test := range []struct {
		name, text string
		failed     bool
		want       string
	}{
		{"go test fails", goFails, true, "--- FAIL: TestLoad (0.00s)"},
		{"go test does not build", goBuild, true, "catalog/load.go:14:2: undefined: parse"},
		{"go test passes", goOK, false, "ok  \texample.com/shop/catalog\t0.004s"},
		{"a race is found, and a pipe hides it",
			"=== RUN   TestStock\n==================\nWARNING: DATA RACE\nRead at 0x00c0 by goroutine 8:\n  testing.tRunner()\n",
			false, "WARNING: DATA RACE"},
		{"a failing test that a pipe hides", "    --- FAIL: TestLoad (0.00s)\nok  \tshop/cart\t0.002s\n", false,
			"--- FAIL: TestLoad (0.00s)"},
		{"a mark inside a line is no failure", "grep says: x.go: // prints panic: here\nok  \tshop\t0.1s\n", false,
			"ok  \tshop\t0.1s"},
		{"a failing test that || hides", pytest + "\ncoverage: 80 %\ndone\n", false,
			"FAILED test_a.py::test_b - assert 1 == 2"},
		{"only the last line says so", "12 tests ran\nFAILED test_total\n", false, "FAILED test_total"},
		{"jest, in front of more",
			"PASS a.test.ts\nTests:       1 failed, 5 passed, 6 total\nTime:        1.2 s\nuploaded\n", false,
			"Tests:       1 failed, 5 passed, 6 total"},
		{"tsc, in front of more", "src/a.ts(3,5): error TS2322: x\nFound 3 errors in 2 files.\nbye\n", false,
			"src/a.ts(3,5): error TS2322: x"},
		{"make, whose error is ignored", "cc a.c\nmake: *** [Makefile:2: build] Error 1\nend\n", false,
			"make: *** [Makefile:2: build] Error 1"},
		{"a linter", "a.js\n  3:5  error  x is not defined\n\n✖ 3 problems (2 errors, 1 warning)\nbye\n", false,
			"✖ 3 problems (2 errors, 1 warning)"},
		{"gradle", "BUILD FAILED in 3s\nbye\n", false, "BUILD FAILED in 3s"},
		{"npm of today", npmErr + "bye\n", false, "npm error code ENOENT"},
		{"xcode", "** TEST FAILED **\nbye\n", false, "** TEST FAILED **"},
		{"a mark in brackets", "[FAIL] test_total\nbye\n", false, "[FAIL] test_total"},
		{"maven's end", "[ERROR] BUILD FAILURE\nbye\n", false, "[ERROR] BUILD FAILURE"},
		{"a name in front", "test_total: FAILED\nbye\n", false, "test_total: FAILED"},
		{"a result", "Result: FAIL\nbye\n", false, "Result: FAIL"},
		{"a count behind words", "Tests failed: 1\nbye\n", false, "Tests failed: 1"},
		{"a signal", "Segmentation fault (core dumped)\nbye\n", false, "Segmentation fault (core dumped)"},
		{"gradle's head", "FAILURE: Build failed with an exception.\nbye\n", false,
			"FAILURE: Build failed with an exception."},
		{"pytest, an error alone", "11 passed, 1 error in 0.1s\nbye\n", false, "11 passed, 1 error in 0.1s"},
		{"an attempt that is made again", "attempt 1 failed, retrying in 5s\nRecovered from 2 failures.\nbye\n", false,
			"bye"},
		{"attempts that are counted", "retries: 2 failed; 3rd ok\nbye\n", false, "bye"},
		{"a place with the word", "src/a.c:3:5: error handling is tested here\nbye\n", false, "bye"},
		{"a log of a passing test", "    x_test.go:3:5: error printed on purpose\nok  \tshop\t0.1s\n", false,
			"ok  \tshop\t0.1s"},
		{"a linter with warnings alone", "✖ 3 problems (0 errors, 3 warnings)\nbye\n", false, "bye"},
		{"another linter", "Found 1 error in 1 file (checked 2 source files)\nbye\n", false,
			"Found 1 error in 1 file (checked 2 source files)"},
		{"no finding", "Found 0 errors.\n10 files inspected, no offenses detected\nbye\n", false, "bye"},
		{"offenses", "10 files inspected, 3 offenses detected\nbye\n", false,
			"10 files inspected, 3 offenses detected"},
		{"gcc, in a pipe", "a.c:3:5: warning: unused\na.c:4:1: error: expected ;\nbye\n", false, "a.c:4:1: error: expected ;"},
		{"node's own runner", "# pass 3\n# fail 1\n# duration_ms 9\n", false, "# fail 1"},
		{"node's own runner passes", "# pass 3\n# fail 0\n", false, "# fail 0"},
		{"maven", "Tests run: 3, Failures: 1, Errors: 0\nbye\n", false, "Tests run: 3, Failures: 1, Errors: 0"},
		{"mocha", "  3 passing (9ms)\n  1 failing\nbye\n", false, "1 failing"},
		{"a count of none", "test result: ok. 2 passed; 0 failed\nretried after 3 failed attempts\n", false,
			"test result: ok. 2 passed; 0 failed"},
		{"cargo does not compile", cargo, true, "error[E0425]: cannot find value `x` in this scope"},
		{"cargo passes", cargoOK, false, "test result: ok. 2 passed; 0 failed; 0 ignored"},
		{"npm passes", npm, false, "Tests  3 passed (3)"},
		{"npm fails", npmErr, true, "npm error code ENOENT"},
		{"pytest fails", pytest, true, "FAILED test_a.py::test_b - assert 1 == 2"},
		{"no such command", "Exit code 127\n" + bashErr, true, "bash: line 1: foo: command not found"},
		{"an exit code alone", "Exit code 1", true, ""},
		{"nothing", "", false, ""},
		{"blank lines", "\n \n\t\n", false, ""},
		{"one line", "done\n", false, "done"},
		{"failed without a telling line", "first\nlast\n", true, "last"},
	} {
		if got := Outcome(test.text, test.failed); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestOutcomeOfAHugeOutputReadsItsEnds(t *testing.T) {
	const lines = 1 << 14 // several times what is read of the ends
	middle := strings.Repeat("error in the middle\n", lines)
	if got := Outcome("start\n"+middle+"ok  all\n", false); got != "ok  all" {
		t.Errorf("the end: %q", got)
	}
	const fail = "--- FAIL: TestA (0.00s)"
	if got := Outcome("start\n"+middle+fail+"\n"+middle+"ok  all\n", false); got != fail {
		t.Errorf("a failure in the middle that the exit status hides: %q", got)
	}
	quiet := strings.Repeat("quiet\n", lines)
	if got := Outcome("panic: first\n"+quiet, true); got != "panic: first" {
		t.Errorf("the beginning: %q", got)
	}
	if got := Outcome(strings.Repeat("é", lines), false); utf8.RuneCountInString(got) > maxOutcome+1 {
		t.Errorf("%d characters", utf8.RuneCountInString(got))
	}
}

func TestAStructuredStatusWinsOverTheText(t *testing.T) {
	code := func(n int) *int { return &n }
	for _, test := range []struct {
		name string
		r    Result
		want Status
		code *int
	}{
		{"host says failed", Result{Text: "all is well", Failed: true, Known: true}, Failed, nil},
		{"host says fine", Result{Text: "[ERROR] is what it prints", Known: true}, Applied, nil},
		{"host says failed, with a code", Result{Text: "Exit code 2\nmake: ***", Failed: true, Known: true}, Failed,
			code(2)},
		{"only the text: error", Result{Text: "[ERROR] oldText not found"}, Failed, nil},
		{"only the text: denied", Result{Text: "[DENIED] no"}, Failed, nil},
		{"only the text: timeout", Result{Text: "[TIMEOUT] 30s"}, Failed, nil},
		{"only the text: not found", Result{Text: "[NOT FOUND] a"}, Failed, nil},
		{"only the text: exit", Result{Text: "[EXIT 3] x"}, Failed, code(3)},
		{"only the text: exit code", Result{Text: "Error: Exit code 1\nx"}, Failed, code(1)},
		{"only the text: exit code 0", Result{Text: "Exit code 0\nx"}, Applied, code(0)},
		{"only the text: case counts", Result{Text: "[error] x"}, Applied, nil},
		{"only the text: not at the start", Result{Text: "x [ERROR]"}, Applied, nil},
		{"Codex: a patch that does not fit",
			Result{Text: "apply_patch verification failed: Failed to find expected lines in k.txt:\nnope"}, Failed, nil},
		{"Codex: a patch that was refused", Result{Text: "patch rejected by user"}, Failed, nil},
		{"Codex: a patch that was applied", Result{Text: "Success. Updated the following files:\nM k.txt\n"}, Applied,
			nil},
		{"Codex: a patch that does not fit, in JSON",
			Result{Text: `{"output": "apply_patch verification failed: no", "metadata": {"exit_code": 1, "duration_seconds": 0.0}}`},
			Failed, code(1)},
		{"a code too long", Result{Text: "Exit code 99999999999999999999", Failed: true, Known: true}, Failed,
			code(999999)},
		{"nothing", Result{}, Applied, nil},
	} {
		status, got := test.r.status()
		if status != test.want || (got == nil) != (test.code == nil) || got != nil && *got != *test.code {
			t.Errorf("%s: %s, %v", test.name, status, got)
		}
	}
}

// FuzzOutcomeStaysShort: one line, within its limit, whatever the output.
func FuzzOutcomeStaysShort(f *testing.F) {
	for _, s := range []string{goFails, goBuild, goOK, pytest, npm, npmErr, cargo, bashErr, "\xff\xfe",
		strings.Repeat("界", 300)} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, failed bool) {
		got := Outcome(text, failed)
		if strings.Contains(got, "\n") || utf8.RuneCountInString(got) > maxOutcome+1 {
			t.Errorf("%q", got)
		}
	})
}

var noon = time.Date(2026, 5, 27, 12, 0, 0, 0, time.UTC)

func TestShowsFailureKnowsSuccesses(t *testing.T) {
	for line, want := range map[string]struct{ any, check bool }{
		"attempt 1 failed, retrying in 5s":          {},
		"Recovered from 2 failures.":                {},
		"retries: 2 failed; 3rd ok":                 {},
		"✖ 2 problems (0 errors, 2 warnings)":       {},
		"✖ 2 problems (1 error, 1 warning)":         {true, true},
		"1 failed, 1 passed in 0.02s":               {true, true},
		"Tests:       1 failed, 5 passed, 6 total":  {true, true},
		"5 examples, 2 failures":                    {true, true},
		"2 errors generated.":                       {false, true},
		"FAIL\tshop/cart\t0.01s":                    {true, true},
		"--- FAIL: TestRetry (0.00s)":               {true, true},
		"FAILURES!":                                 {false, true},
		"error: could not compile":                  {false, true},
		"3:5  error  x is not defined  no-undef":    {false, true},
		"✗ adds one":                                {false, true},
		"1 error in 0.10s":                          {false, true},
		"npm error code 1":                          {true, true},
		"npm error code handling is tested":         {},
		"FAILURE: Build completed with 2 failures.": {true, true},
		"FAILURE: a mode of the power supply":       {},
		"test_total: FAILED":                        {true, true},
		"12: FAIL":                                  {},
	} {
		if any, check := ShowsFailure(line, false), ShowsFailure(line, true); any != want.any || check != want.check {
			t.Errorf("%q: %t, of a check %t", line, any, check)
		}
	}
}

// TestExitCodesThatResultsBeginWith: a command of Codex that failed was taken for one that did what it should.
func TestExitCodesThatResultsBeginWith(t *testing.T) {
	for _, c := range []struct {
		text string
		code int
		said bool
	}{
		{"Exit code 2\nno", 2, true},
		{"[EXIT -1] no", -1, true},
		{"Chunk ID: 1ea56d\nWall time: 0.0000 seconds\nProcess exited with code 1\nOriginal token count: 2\nOutput:\nx", 1, true},
		{"Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n", 0, true},
		{"Exit code: 127\nWall time: 0 seconds\nOutput:\n", 127, true},
		{`{"output":"no\n","metadata":{"exit_code":3,"duration_seconds":0.1}}`, 3, true},
		{`{"output": "no", "metadata": {"exit_code": 1}}`, 1, true},
		{`{"output":"\"metadata\":{\"exit_code\":3"}`, 0, false},
		{"Output:\nProcess exited with code 1\n", 0, false},
		{"the text of a file: Exit code 1", 0, false},
		{"", 0, false},
	} {
		if code, said := ExitCode(c.text); code != c.code || said != c.said {
			t.Errorf("%q: %d, %v", c.text, code, said)
		}
	}
}
