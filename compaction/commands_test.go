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

func TestCommitsAreToldByTheirMessages(t *testing.T) {
	k := newTalk(t)
	k.user("q")
	k.read("a.go", 6000)
	k.run("git commit -m \"one line\"", 0, "")
	k.run("git add -A && git commit -m \"$(cat <<'EOF'\nfeat: from a here-document\n\nAnd why.\nEOF\n)\"", 0, "")
	k.user("next")
	text := mustPlan(t, k.in, Options{Keep: 1}).Text
	for _, want := range []string{"  committed (turn 1): one line\n", "  committed (turn 1): feat: from a here-document\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
}

// What the user said instead of letting a call run is told; what the host put around it is not.
func TestARefusalIsToldInTheUsersWords(t *testing.T) {
	const refused = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). "
	for said, want := range map[string]string{
		refused + "To tell you how to proceed, the user said:\nuse a map":                     "rejected by the user: use a map",
		refused + "STOP what you are doing and wait for the user to tell you how to proceed.": "rejected by the user",
		refused + "STOP what you are doing and wait for the user to…":                         "rejected by the user",
		"<tool_use_error>old_string: not found</tool_use_error>":                              "old_string: not found",
	} {
		if got := oneLine(bareOutput(said), 200); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}

// A list of commits that a tool printed is no vocabulary of the work; a commit that the agent speaks of is.
func TestHashesThatOnlyToolsPrintedAreLeftOut(t *testing.T) {
	k := newTalk(t)
	k.user("q")
	k.read("a.go", 6000, "0a1b2c3", "deadbeef1", "RealName")
	k.say("see 4d5e6f7")
	k.items(len(k.in.Items) - 1).Names = []string{"4d5e6f7"}
	k.user("next")
	text := mustPlan(t, k.in, Options{Keep: 1}).Text
	for name, is := range map[string]bool{"0a1b2c3": false, "deadbeef1": false, "RealName": true, "4d5e6f7": true} {
		if strings.Contains(text, name) != is {
			t.Errorf("%s told: %t, want %t\n%s", name, !is, is, text)
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
