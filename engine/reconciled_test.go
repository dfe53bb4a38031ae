package engine_test

import (
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/intents"
	"ctxledger.dev/ledger"
)

// intentOf returns the one intent that names a path.
func intentOf(t *testing.T, l *engine.Local, path string) intents.Intent {
	t.Helper()
	h, err := l.FileHistory(t.Context(), ledger.FileHistoryRequest{Path: path})
	if err != nil || len(h.Intents) != 1 {
		t.Fatalf("history of %s: %+v, %v", path, h, err)
	}
	return h.Intents[0]
}

func TestPendingIntentsAreReconciledWithTheDisk(t *testing.T) {
	now := func(content string) ledger.Observation { return is("a.go", content, at(1.5), at(60)) }
	old := is("a.go", "1", at(-9), at(60))
	for _, test := range []struct {
		name, tool, args string
		before           *ledger.Observation // a look before the call; nil: none
		after            ledger.Observation
		want             intents.Status
	}{
		{"an edit that was made", "Edit", editA, &old, now("2"), intents.Applied},
		{"an edit that was not made", "Edit", editA, &old, old, intents.Retryable},
		{"a file that was written", "Write", editA, ptr(is("a.go", "", at(0), at(-5))), now("2"), intents.Applied},
		{"a file that was not written", "Write", editA, ptr(is("a.go", "", at(0), at(-5))),
			is("a.go", "", at(0), at(60)), intents.Retryable},
		{"a file that nobody had looked at, not written", "Write", editA, nil, is("a.go", "", at(0), at(60)),
			intents.Retryable},
		{"a file that nobody had looked at, not edited since", "Edit", editA, nil, old, intents.Retryable},
		{"a file that nobody had looked at, edited", "Edit", editA, nil, now("2"), intents.Pending},
		{"a file that is gone", "delete_file", `{"path":"a.go"}`, &old, is("a.go", "", at(0), at(60)), intents.Applied},
		{"a file that is not gone", "delete_file", `{"path":"a.go"}`, &old, old, intents.Retryable},
		{"a file that was moved", "move_file", `{"source":"a.go","destination":"b.go"}`, &old,
			is("a.go", "", at(0), at(60)), intents.Applied},
	} {
		for _, how := range []string{"the observer starts anew", "the host goes on", "it may still run"} {
			t.Run(test.name+", "+how, func(t *testing.T) { // which closes its ledger: thirty are many descriptors
				l, _ := openIn(t, t.TempDir(), "/w")
				if test.before != nil {
					b := *test.before
					b.Seen = at(-5)
					observe(t, l, b)
				}
				a := &agent{t: t, l: l, name: "a", dir: "/w"}
				a.prompt(at(0.5))
				a.call(at(1), "c", test.tool, test.args)
				r := ledger.RecordStatesRequest{Started: start, States: []ledger.Observation{test.after}}
				want := test.want
				switch how {
				case "the observer starts anew":
					r.Started = at(50)
				case "the host goes on":
					touched := touchedNow(t, l)
					a.prompt(at(40))
					if got := touchedNow(t, l); got == touched {
						t.Error("nobody is told to look at the file again")
					}
				default:
					want = intents.Pending
				}
				if _, err := l.RecordStates(t.Context(), r); err != nil {
					t.Fatal(err)
				}
				in := intentOf(t, l, "a.go")
				if in.Status != want || in.Reconciled != (want != intents.Pending) {
					t.Errorf("%s, reconciled %v; want %s (before the call: %.9s)", in.Status, in.Reconciled, want,
						in.PreHash)
				}
			})
		}
	}
}

func TestAResultOverrulesWhatWasReconciled(t *testing.T) {
	for _, failed := range []bool{true, false} {
		l, _ := openIn(t, t.TempDir(), "/w")
		a := &agent{t: t, l: l, name: "a", dir: "/w"}
		observe(t, l, is("a.go", "1", at(-9), at(-5)))
		a.prompt(at(0))
		a.call(at(1), "c", "Edit", editA)
		r := ledger.RecordStatesRequest{Started: at(50), States: []ledger.Observation{is("a.go", "2", at(1.5), at(60))}}
		if _, err := l.RecordStates(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if in := intentOf(t, l, "a.go"); in.Status != intents.Applied || !in.Reconciled {
			t.Fatalf("reconciled: %+v", in)
		}
		wantTold(t, l, []*agent{a}, "modified a.go observed by a 1→2")
		a.result(at(2), "c", failed)
		want, by := intents.Applied, "a"
		if failed {
			want, by = intents.Failed, "external"
		}
		if in := intentOf(t, l, "a.go"); in.Status != want || in.Reconciled {
			t.Errorf("after the result: %+v", in)
		}
		wantTold(t, l, []*agent{a}, "modified a.go observed by "+by+" 1→2")
	}
}

func TestCommandsStayPending(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	a := &agent{t: t, l: l, name: "a", dir: "/w"}
	a.prompt(at(0))
	a.call(at(1), "c", "Bash", `{"command":"rm a.go"}`)
	observe(t, l, is("a.go", "1", at(-9), at(-5)))
	r := ledger.RecordStatesRequest{Started: at(50), States: []ledger.Observation{is("a.go", "", at(0), at(60))}}
	if _, err := l.RecordStates(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	a.prompt(at(70))
	wantTold(t, l, []*agent{a}, "deleted a.go observed by a 1→")
	a.result(at(80), "c", false) // had it been concluded, this would find nothing to finish
	resp, err := l.Changes(t.Context(), ledger.ChangesRequest{})
	if err != nil || len(resp.Changes) != 1 || !resp.Changes[0].Reported {
		t.Errorf("after the result: %+v, %v", resp, err)
	}
}

func ptr[T any](v T) *T { return &v }

// touchedNow returns the number of the newest touch.
func touchedNow(t *testing.T, l *engine.Local) int64 {
	t.Helper()
	resp, err := l.Touched(t.Context(), ledger.TouchedRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Next
}
