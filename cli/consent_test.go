package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/internal/terminaltest"
	"ctxledger.dev/ledger"
)

const forgetQuestion = "Type yes to forget these: "

// at returns an action at a terminal; nil: without one.
func at(tty *os.File) *action {
	a := &action{masks: redact.New(nil), messages: io.Discard,
		Config: Config{In: strings.NewReader("yes\n"), Err: io.Discard}}
	if tty != nil {
		a.In, a.Err, a.messages = tty, tty, tty
	}
	return a
}

func listGoing(w io.Writer) { fmt.Fprint(w, "would forget 1 artifact\nartifact  a3f9c20b1d7e\n") }

// TestOnlyTheWholeWordForgets: a person reads the list, and types the word at a terminal.
func TestOnlyTheWholeWordForgets(t *testing.T) {
	for reply, agreed := range map[string]bool{"yes\n": true, " YES \n": true, "y\n": false, "\n": false, "no\n": false,
		"yes please\n": false, "\x04": false, strings.Repeat("yes ", 200) + "\n": false} {
		person, program := terminaltest.Open(t)
		done := terminaltest.Answer(t, person, program, forgetQuestion, reply)
		err := at(program).consent(consentFlags{}, forgetting(), listGoing)
		shown := done()
		if want := "ctxledger: would forget 1 artifact\nctxledger: artifact  a3f9c20b1d7e\n" + forgetQuestion; shown != want {
			t.Errorf("%q: the terminal shows %q", reply, shown)
		}
		if agreed != (err == nil) || err != nil && !fault.Is(err, fault.Denied) {
			t.Errorf("%q: %v", reply, err)
		}
	}
}

// TestWithoutATerminalTheErrorNamesTheFlag: the list is shown all the same, as an answer without prefixes, and nobody is asked.
func TestWithoutATerminalTheErrorNamesTheFlag(t *testing.T) {
	var said, out bytes.Buffer
	a := at(nil)
	a.messages, a.Out = &said, &out
	lines := func() int { return strings.Count(out.String(), "\n") }
	err := a.consent(consentFlags{}, forgetting(), listGoing)
	if !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "--yes") ||
		!strings.Contains(fault.HintOf(err), "--dry-run") || lines() != 2 {
		t.Errorf("%v, %q, %d lines", err, fault.HintOf(err), lines())
	}
	if err := a.consent(consentFlags{yes: true}, forgetting(), listGoing); err != nil || lines() != 4 {
		t.Errorf("with --yes: %v, %d lines", err, lines())
	}
	if strings.Contains(out.String(), "ctxledger: ") || said.Len() > 0 {
		t.Errorf("shown: %q; said: %q", out.String(), said.String())
	}
	a.json = true
	if err := a.consent(consentFlags{yes: true}, forgetting(), listGoing); err != nil || lines() != 4 ||
		strings.Count(said.String(), "ctxledger: ") != 2 {
		t.Errorf("with JSON: %v; shown %q, said %q", err, out.String(), said.String())
	}
}

// TestALongListEndsWithANumber: ten lines, and how many more there are.
func TestALongListEndsWithANumber(t *testing.T) {
	plan := ledger.Forgotten{DryRun: true,
		Counts: []ledger.ForgottenKind{{Kind: "message", N: 2000}, {Kind: "stub", N: 3}},
		Bytes:  5_000_000, Sessions: []string{"3f9c1b2a"}}
	plan.Items = append(plan.Items, ledger.ForgottenItem{Kind: "session", Handle: "3f9c1b2a", Title: "Get to know it"})
	for i := range 50 {
		plan.Items = append(plan.Items, ledger.ForgottenItem{Kind: "message", Handle: fmt.Sprintf("%012d", i), Bytes: 7,
			Title: "user: 1\nctxledger: forgot nothing \x1b[2J"})
	}
	var b bytes.Buffer
	printGoing(at(nil), &b, plan, false)
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 2+1+maxListed+1 {
		t.Errorf("%d lines:\n%s", len(lines), b.String())
	}
	for i, want := range map[int]string{0: "would forget 2,000 messages, 3 stubs, 5.0 MB", 1: "in 1 session: 3f9c1b2a",
		2: "KIND     HANDLE        BYTES  CONTENT", 3: "session  3f9c1b2a          -  Get to know it",
		len(lines) - 1: "… and 1,994 more: `--dry-run --json` lists more of them"} {
		if lines[i] != want {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Errorf("%q", b.String())
	}
}
