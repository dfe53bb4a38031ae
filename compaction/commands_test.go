package compaction

import (
	"strings"
	"testing"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/shellcmd"
)

// Nothing superseded is printed as current: neither a failure that was fixed, nor a success that a later failure
// revoked.
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
	open := layout.BlockWith(text, openHead)
	for want, is := range map[string]bool{"TestOld": false, "vet: broken": true, "FAILED by output (turn 1) — " +
		"3 failed": true} {
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
	if open := layout.BlockWith(text, openHead); open != "" ||
		!strings.Contains(text, "  go test ./a → ok (turn 2, run ×2)\n") {
		t.Errorf("%s\nin\n%s", open, text)
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
		"  - internal/new/x.go — moved here from old/x.go, edited (turn 1)",
		"  - gone.go — deleted by `rm` (turn 1)\n",
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
	for _, want := range []string{"  committed (turn 1): one line\n", "  committed (turn 1): feat: from a " +
		"here-document\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
}

// What the user said instead of letting a call run is printed; what the host added to it is not.
func TestARefusalIsToldInTheUsersWords(t *testing.T) {
	const refused = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it " +
		"was a file edit, the new_string was NOT written to the file). "
	const stop = refused + "STOP what you are doing and wait for the user to"
	for said, want := range map[string]string{
		refused + "To tell you how to proceed, the user said:\nuse a map": "rejected by the user: use a map",
		stop + " tell you how to proceed.":                                "rejected by the user",
		stop + "…":                                                        "rejected by the user",
		"<tool_use_error>old_string: not found</tool_use_error>":          "old_string: not found",
	} {
		if got := layout.OneLine(shellcmd.BareOutput(said), 200); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}
