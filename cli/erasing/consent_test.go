package erasing_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/cli/erasing"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/terminaltest"
	"ctxledger.dev/ledger"
)

const question = "Type yes to forget these: "

// at returns a face at a terminal, or without one.
func at(tty *os.File, asking bool) erasing.Face {
	return erasing.Face{In: tty, Err: tty, Asking: asking, Line: columns.Cut, Deed: erasing.Forgetting(),
		Say: func(format string, args ...any) { fmt.Fprintf(tty, "ctxledger: "+format, args...) }}
}

func list(w io.Writer) { fmt.Fprint(w, "would forget 1 artifact\nartifact  a3f9c20b1d7e\n") }

// TestOnlyTheWholeWordForgets: a person reads the list, and types the word at a terminal.
func TestOnlyTheWholeWordForgets(t *testing.T) {
	for reply, agreed := range map[string]bool{"yes\n": true, " YES \n": true, "y\n": false, "\n": false, "no\n": false,
		"yes please\n": false, "\x04": false, strings.Repeat("yes ", 200) + "\n": false} {
		person, program := terminaltest.Open(t)
		done := terminaltest.Answer(t, person, program, question, reply)
		err := at(program, true).Consent(erasing.Flags{}, list)
		shown := done()
		if want := "ctxledger: would forget 1 artifact\nctxledger: artifact  a3f9c20b1d7e\n" + question; shown != want {
			t.Errorf("%q: the terminal shows %q", reply, shown)
		}
		if agreed != (err == nil) || err != nil && !fault.Is(err, fault.Denied) {
			t.Errorf("%q: %v", reply, err)
		}
	}
}

// TestWithoutATerminalTheErrorNamesTheFlag: the list is shown all the same, and nobody is asked.
func TestWithoutATerminalTheErrorNamesTheFlag(t *testing.T) {
	said := 0
	f := erasing.Face{In: strings.NewReader("yes\n"), Err: io.Discard, Line: columns.Cut, Deed: erasing.Forgetting(),
		Say: func(string, ...any) { said++ }}
	err := f.Consent(erasing.Flags{}, list)
	if !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "--yes") ||
		!strings.Contains(fault.HintOf(err), "--dry-run") || said != 2 {
		t.Errorf("%v, %q, %d lines", err, fault.HintOf(err), said)
	}
	if err := f.Consent(erasing.Flags{Yes: true}, list); err != nil || said != 4 {
		t.Errorf("with --yes: %v, %d lines", err, said)
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
	at(nil, false).Going(&b, plan, false)
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 2+1+erasing.MaxListed+1 {
		t.Errorf("%d lines:\n%s", len(lines), b.String())
	}
	for i, want := range map[int]string{0: "would forget 2,000 messages, 3 stubs, 5.0 MB", 1: "in 1 session: 3f9c1b2a",
		2: "KIND     HANDLE        BYTES  WHAT", 3: "session  3f9c1b2a          -  Get to know it",
		len(lines) - 1: "… and 1,994 more"} {
		if lines[i] != want {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Errorf("%q", b.String())
	}
}
