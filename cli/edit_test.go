package cli

import (
	"strings"
	"testing"

	"ctxledger.dev/agents/install"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/terminaltest"
)

// TestYAndYesAreConsent: who answers y is not shown the whole diff again. Nothing else is consent.
func TestYAndYesAreConsent(t *testing.T) {
	p := setupPlan{Plan: install.Plan{Changes: []install.Change{{}}}}
	for answer, want := range map[string]bool{
		"yes\n": true, "y\n": true, "Y\n": true, " Yes \r\n": true,
		"\n": false, "n\n": false, "no\n": false, "ye\n": false, "yes please\n": false,
		"yyes\n": false, "\x04": false, strings.Repeat(" ", maxReply) + "yes\n": false,
	} {
		person, program := terminaltest.Open(t)
		done := terminaltest.Answer(t, person, program, editQuestion, answer)
		err := writeSetup(at(program), setup{}, p, editOptions{})
		if asked := done(); asked != editQuestion || fault.Is(err, fault.Denied) == want {
			t.Errorf("%q: %v, after %q", answer, err, asked)
		}
	}
	if err := writeSetup(at(nil), setup{}, p, editOptions{}); !fault.Is(err, fault.Denied) {
		t.Errorf("without a terminal: %v", err)
	}
}
