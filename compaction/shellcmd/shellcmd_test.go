package shellcmd

import (
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
