package cli

import (
	"os"
	"path/filepath"
	"testing"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/terminaltest"
	"ctxledger.dev/kv/held"
	"ctxledger.dev/workspace"
)

const keepQuestion = "Type keep to keep that ledger, or new to set it aside and start a new one: "

// TestAPersonDecidesWhoseALedgerIs: both words do what they say, and everything else decides nothing.
func TestAPersonDecidesWhoseALedgerIs(t *testing.T) {
	for reply, want := range map[string]struct{ here, aside int }{"keep\n": {1, 0}, "new\n": {0, 1}, "yes\n": {1, 0},
		"\n": {1, 0}, "\x04": {1, 0}} {
		state := filepath.Join(t.TempDir(), "shop-0123456789ab")
		place := workspace.Place{Root: "/p/shop", Commit: "of another repository"}
		if err := place.Write(state); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(state, held.Ledger), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		ws := workspace.Workspace{Root: t.TempDir(), State: state, Strange: &place}
		person, program := terminaltest.Open(t)
		done := terminaltest.Answer(t, person, program, keepQuestion, reply)
		a := at(program)
		a.Env = env.System()
		err := decideLedger(t.Context(), a, ws)
		done()
		decided := reply == "keep\n" || reply == "new\n"
		if decided != (err == nil) || !decided && !fault.Is(err, fault.Denied) {
			t.Errorf("%q: %v", reply, err)
		}
		here, _ := filepath.Glob(filepath.Join(state, held.Ledger))
		aside, _ := filepath.Glob(filepath.Join(state+".aside-*", held.Ledger))
		if len(here) != want.here || len(aside) != want.aside {
			t.Errorf("%q: here %q, aside %q", reply, here, aside)
		}
		if kept := workspace.ReadPlace(state).Commit; len(here) > 0 && (kept == "") != (reply == "keep\n") {
			t.Errorf("%q: the ledger is of the repository with the commit %q", reply, kept)
		}
	}
}

// TestNobodyIsAskedWithoutATerminal, and the error says how to decide.
func TestNobodyIsAskedWithoutATerminal(t *testing.T) {
	ws := workspace.Workspace{Root: "/p/shop", State: "/s/shop-0123456789ab", Strange: &workspace.Place{Commit: "c"}}
	if err := decideLedger(t.Context(), at(nil), ws); !fault.Is(err, fault.Denied) ||
		fault.HintOf(err) == "" {
		t.Errorf("%v, hint %q", err, fault.HintOf(err))
	}
	if err := decideLedger(t.Context(), at(nil), workspace.Workspace{}); err != nil {
		t.Error(err)
	}
}

// TestATypedTextSaysHowItEnds: `artifact save -` waited on a terminal without a word.
func TestATypedTextSaysHowItEnds(t *testing.T) {
	person, program := terminaltest.Open(t)
	const prompt = "reading the answer from the terminal; press Ctrl-D to finish"
	done := terminaltest.Answer(t, person, program, prompt, "hello\n\x04")
	got, err := readInput(at(program), "-", "answer", 100)
	if done(); err != nil || string(got) != "hello\n" {
		t.Errorf("%q, %v", got, err)
	}
}
