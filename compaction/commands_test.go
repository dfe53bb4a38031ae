package compaction

import (
	"strings"
	"testing"
)

func TestKeyOfNamesWhatACommandRuns(t *testing.T) {
	cases := []struct {
		command, key string
		purpose      purpose
	}{
		{"cd /w && go test ./... 2>&1 | tail -20", "go test ./...", test},
		{"CGO_ENABLED=1 timeout 60 go test -race ./a", "go test -race ./a", test},
		{"npm run build && npm test", "npm run build && npm test", test},
		{"python -m pytest -q tests/", "python -m pytest -q tests/", test},
		{"make", "make", build},
		{"npx tsc --noEmit", "npx tsc --noEmit", build},
		{"grep -rn 'a && b' .", "grep -rn 'a && b' .", search},
		{"git status; git diff", "git status | git diff", search},
		{"./deploy.sh --prod", "./deploy.sh --prod", other},
		{"cat > x.sh <<'END'\nrm -rf /\nEND", "cat > x.sh", search},
		{"", "", other},
	}
	for _, c := range cases {
		if key, p := keyOf(c.command); key != c.key || p != c.purpose {
			t.Errorf("keyOf(%q) = %q, %d; want %q, %d", c.command, key, p, c.key, c.purpose)
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
		later, earlier := checksOf(c.later), checksOf(c.earlier)
		if len(later) != 1 || len(earlier) != 1 {
			t.Errorf("%q, %q: %v, %v", c.later, c.earlier, later, earlier)
			continue
		}
		if got := later[0].covers(earlier[0]); got != c.want {
			t.Errorf("%q covers %q: %t, want %t", c.later, c.earlier, got, c.want)
		}
	}
}

// Nothing superseded is told as current: neither a failure that was mended, nor a success that a
// later failure took back.
func TestOnlyTheNewestOutcomeIsCurrent(t *testing.T) {
	k := newTalk(t)
	k.user("q")
	k.read("a.go", 6000)
	k.run("go test ./a", 1, "--- FAIL: TestOld")
	k.run("go test ./... | tail", 0, "ok  all")
	k.run("go vet ./...", 1, "vet: broken")
	k.run("npm test | tail", 0, "3 failed, 10 passed")
	k.user("next")
	text := mustPlan(t, k.in, Options{Keep: 1}).Text
	open := blockWith(text, openHead)
	for want, is := range map[string]bool{"TestOld": false, "vet: broken": true, "its output reports a failure (turn 1) — 3 failed": true} {
		if strings.Contains(open, want) != is {
			t.Errorf("%q told as open: %t, want %t\n%s", want, !is, is, open)
		}
	}
}

func TestAFailureMendedInTheKeptPartIsNotOpen(t *testing.T) {
	k := newTalk(t)
	k.user("q")
	k.read("a.go", 6000)
	k.run("go test ./a", 1, "--- FAIL: TestA")
	k.edit("b.go", "no match")
	k.user("next")
	k.edit("b.go", "")
	k.run("go test ./a", 0, "ok")
	text := mustPlan(t, k.in, Options{Keep: 1}).Text
	if open := blockWith(text, openHead); !strings.Contains(open, "Nothing recorded is pending or failed.") {
		t.Error(open)
	}
}

func TestShellMovesAndDeletionsAreFollowed(t *testing.T) {
	k := newTalk(t)
	k.user("q")
	k.read("a.go", 6000)
	k.edit("old/x.go", "")
	k.edit("gone.go", "")
	k.run("cd /w && git mv old internal/new && rm -f gone.go && rm *.tmp", 0, "")
	k.user("next")
	text := mustPlan(t, k.in, Options{Keep: 1}).Text
	for _, want := range []string{
		"  - internal/new/x.go — moved here from old/x.go (turn 1), edited (turn 1)\n",
		"  - gone.go — deleted (turn 1)\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
}
