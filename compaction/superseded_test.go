package compaction

import (
	"strings"
	"testing"

	"ctxledger.dev/compaction/layout"
)

// superseded are conversations in which something that was true is overtaken by something later. The
// present state is in the document without the list of operations, which is a history.
var superseded = []struct {
	name, script string
	want         []string // described as it is now
	never        []string // true once
}{
	{
		"a failed check that passes later",
		"run go test ./a => 1 --- FAIL: TestOld\nedit a.go\nrun go test ./a => 0 ok",
		[]string{"  go test ./a → ok (turn 1, run ×2)\n"},
		[]string{"TestOld", "→ exit 1", openHead},
	},
	{
		"a passed check that fails later",
		"run go test ./a => 0 ok\nedit a.go\nrun go test ./a => 1 --- FAIL: TestNew",
		[]string{"  - go test ./a → exit 1 (turn 1, run ×2) — TestNew"},
		[]string{"→ ok", "exit 0"},
	},
	{
		"a failed check that a larger one says anew",
		"run go test -run TestOld ./a => 1 --- FAIL: TestOld\nrun go test ./... => 0 ok",
		[]string{"Earlier runs, superseded by later ones (not current):\n  go test -run TestOld ./a → exit 1 (turn 1)"},
		[]string{"--- FAIL", openHead},
	},
	{
		"a failed test of a suite whose task passes later",
		"run go test -run TestOld ./a => 1 --- FAIL: TestOld\nedit a.go\nrun mise run test => 0 ok",
		[]string{"Earlier runs, superseded by later ones (not current):\n  go test -run TestOld ./a → exit 1 (turn 1)"},
		[]string{"--- FAIL", openHead},
	},
	{
		"a failed test of another suite than the task's",
		"run pytest tests/api => 1 FAILED tests/api/test_a.py::test_old\nrun make test-frontend => 0 ok",
		[]string{openHead, "test_old"},
		[]string{"superseded"},
	},
	{
		"a failed test whose task fails as well",
		"run go test -run TestOld ./a => 1 --- FAIL: TestOld\nedit a.go\nrun make test => 2 make: *** [test] Error 1",
		[]string{openHead, "TestOld"},
		[]string{"superseded"},
	},
	{
		"a failed test that passes alone later",
		"run go test ./... | tail => 0 --- FAIL: TestOld\nedit a.go\nrun go test -run TestOld ./a => 0 ok",
		[]string{"  go test ./... → ok by exit status, but FAILED by output (turn 1) — TestOld passed since: " +
			"go test -run TestOld ./a\n"},
		[]string{openHead},
	},
	{
		"two failed tests of which one passes alone later",
		`run "go test ./... => 1 --- FAIL: TestOld\n--- FAIL: TestNew"` + "\nedit a.go\nrun go test -run TestOld ./a => 0 ok",
		[]string{openHead, "TestNew"},
		[]string{"passed since"},
	},
	{
		"a failed test whose later run found none of that name",
		"run go test ./... => 1 --- FAIL: TestOld\nedit a.go\nrun go test -run TestOld ./b => 0 ok b 0.1s [no tests to run]",
		[]string{openHead, "TestOld"},
		[]string{"passed since"},
	},
	{
		"a file that is deleted later",
		"write tmp/probe.go ProbeOnly ProbeTwo ProbeThree\nedit tmp/probe.go ProbeOnly\ndelete tmp/probe.go",
		[]string{"  - tmp/probe.go — UNDONE by delete (turn 1): as it was before the session\n"},
		[]string{"created", "edited", "Probe"},
	},
	{
		"a file that the shell deletes later",
		"write tmp/probe.go ProbeOnly ProbeTwo ProbeThree\nrun rm tmp/probe.go => 0 ",
		[]string{"  - tmp/probe.go — UNDONE by `rm` (turn 1): as it was before the session\n"},
		[]string{"created", "Probe"},
	},
	{
		"a file of the project that is deleted",
		"read cart.go 50\nedit cart.go ApplyDiscount\nrun git rm -f cart.go => 0 rm 'cart.go'",
		[]string{"  - cart.go — deleted by `git rm` (turn 1)\n"},
		[]string{"edited", "ApplyDiscount", "UNDONE"},
	},
	{
		"a deleted file that is made again",
		"delete cart.go\nwrite cart.go NewCart",
		[]string{"  - cart.go — edited (turn 1): changes NewCart\n"},
		[]string{"deleted"},
	},
	{
		"a file that is renamed later",
		"edit cart.go ApplyDiscount\nread cart.go 50\nmove cart.go basket.go",
		[]string{"  - basket.go — moved here from cart.go, edited (turn 1): adds ApplyDiscount\n"},
		[]string{"  - cart.go", "  cart.go  "},
	},
	{
		"a directory that is renamed later",
		"edit old/cart.go ApplyDiscount\nrun git mv old fresh => 0 ",
		[]string{"  - fresh/cart.go — moved here from old/cart.go, edited (turn 1): adds ApplyDiscount\n"},
		[]string{"  - old/cart.go"},
	},
	{
		"a failed edit that succeeds later",
		"edit cart.go ! old_string not found\nedit cart.go ApplyDiscount",
		[]string{"  - cart.go — edited (turn 1): adds ApplyDiscount\n"},
		[]string{"not found", "FAILED", openHead},
	},
	{
		"an interrupted edit that is made later",
		"edit cart.go ! pending\nedit cart.go ApplyDiscount",
		[]string{"  - cart.go — edited (turn 1): adds ApplyDiscount\n"},
		[]string{"INTERRUPTED", openHead},
	},
}

func TestNothingSupersededIsToldAsCurrent(t *testing.T) {
	for _, c := range superseded {
		t.Run(c.name, func(t *testing.T) {
			p := newTalk(t).play("user Go on\nread big.go 16000\n" + c.script + "\nuser next\nsay done\nplan " +
				"{\"keep\":1}")
			now, list, _ := strings.Cut(p.Text, "[INTENT-DERIVED")
			before, past, _ := strings.Cut(now, "Failed before, and passes now:\n")
			_, past, _ = strings.Cut(past, layout.Rule)
			now = before + past
			for _, want := range c.want {
				if !strings.Contains(now, want) {
					t.Errorf("lacks %q:\n%s", want, now)
				}
			}
			for _, past := range c.never {
				if strings.Contains(now, past) {
					t.Errorf("tells %q as current:\n%s", past, now)
				}
			}
			for line := range strings.Lines(list) {
				if strings.HasPrefix(line, "  ✗") && !strings.Contains(now, "→ exit") &&
					!strings.Contains(line, " later (") {
					t.Errorf("the list does not say what became of it: %q", line)
				}
			}
		})
	}
}

// What the user takes back stays, with what he says instead behind it and marked: no paraphrase decides
// what of it still holds. When the budget is small, a correction comes before recent entries.
func TestACorrectedRequestStandsBeforeItsCorrection(t *testing.T) {
	script := "user Name it basket\nread big.go 16000\nuser No, name it cart instead\n" +
		strings.Repeat("user And now something else entirely, which takes its room as well\nsay ok\n", 30) +
		"plan {\"keep\":1,\"budget\":500}"
	text := newTalk(t).play(script).Text
	asked, corrected := strings.Index(text, "Name it basket"), strings.Index(text, "(turn 2, correction) No, "+
		"name it cart instead")
	if asked < 0 || corrected < asked || !strings.Contains(text, "newer entries override older ones") {
		t.Error(text)
	}
}
