package intents

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/internal/callid"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/storetest"
	"ctxledger.dev/kv"
)

// begin begins an intent.
func begin(t testing.TB, s kv.Store, in Intent, args string) Intent {
	t.Helper()
	storetest.Update(t, s, func(tx kv.Tx) error {
		got, err := Begin(tx, in, json.RawMessage(args))
		in = got
		return err
	})
	return in
}

// finish finishes an intent; nil when there was nothing to finish.
func finish(t testing.TB, s kv.Store, session, callID string, r Result, at time.Time) *Intent {
	t.Helper()
	var got *Intent
	storetest.Update(t, s, func(tx kv.Tx) (err error) {
		got, err = Finish(tx, session, callID, r, at)
		return err
	})
	return got
}

func ofCall(t testing.TB, s kv.Store, session, callID string) *Intent {
	t.Helper()
	var got *Intent
	storetest.Update(t, s, func(tx kv.Tx) (err error) {
		got, err = OfCall(tx, session, callID)
		return err
	})
	return got
}

func TestAnIntentIsPendingUntilItsFirstOutcome(t *testing.T) {
	s := storetest.Open(t)
	in := begin(t, s, Intent{Session: "s", Seq: 3, Turn: 1, CallID: "c", Name: "Edit", Op: OpPatch, Target: "a.go",
		Begun: noon}, `{"path":"a.go"}`)
	if in.Status != Pending || len(in.ID) != 16 || in.Args["path"] != "a.go" {
		t.Fatalf("begun: %+v", in)
	}
	if again := begin(t, s, Intent{Session: "s", Seq: 9, CallID: "c", Op: OpWrite}, `{}`); again.Seq != 3 {
		t.Errorf("a repeated record replaced the intent: %+v", again)
	}
	done := finish(t, s, "s", "c", Result{Text: "not found", Failed: true, Known: true}, noon.Add(time.Second))
	if done == nil || done.Status != Failed || done.Error != "not found" ||
		!done.Finished.Equal(noon.Add(time.Second)) {
		t.Fatalf("finished: %+v", done)
	}
	if second := finish(t, s, "s", "c", Result{Text: "ok", Known: true}, noon); second != nil {
		t.Errorf("a second outcome was taken: %+v", second)
	}
	if got := ofCall(t, s, "s", "c"); got.Status != Failed {
		t.Errorf("in the end it is %s", got.Status)
	}
	if none := finish(t, s, "s", "unknown", Result{}, noon); none != nil {
		t.Errorf("an unknown call was finished: %+v", none)
	}
}

func TestOutcomesOfShellRunsAreKept(t *testing.T) {
	s := storetest.Open(t)
	begin(t, s, Intent{Session: "s", Seq: 1, CallID: "c", Op: OpShell, Command: "go test ./..."}, `{}`)
	done := finish(t, s, "s", "c", Result{Text: "Exit code 1\n" + goFails, Failed: true, Known: true}, noon)
	if done.ExitCode == nil || *done.ExitCode != 1 || done.Outcome != "--- FAIL: TestLoad (0.00s)" {
		t.Errorf("%+v", done)
	}
	storetest.Update(t, s, func(tx kv.Tx) error { return ForgetResult(tx, "s", "c") })
	if got := ofCall(t, s, "s", "c"); got.Error != "" || got.Outcome != "" || got.Status != Failed {
		t.Errorf("after forgetting its result: %+v", got)
	}
	storetest.Update(t, s, func(tx kv.Tx) error { return ForgetResult(tx, "s", "unknown") })
}

func TestWhatIsKeptOfACallIsBounded(t *testing.T) {
	s := storetest.Open(t)
	args := map[string]any{"list": []int{1, 2}, "text": strings.Repeat("界", 300), strings.Repeat("k", 300): "v"}
	for i := range 100_000 {
		args[fmt.Sprintf("x%06d", i)] = i
	}
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	in := begin(t, s, Intent{Session: "s", Seq: 1, CallID: "c", Op: OpShell, Command: strings.Repeat("x", 2000)},
		string(raw))
	if len(in.Args) != maxArgs || in.Args["list"] != "[1,2]" || in.Args["text"] != strings.Repeat("界", maxArg)+"…" ||
		in.Args[strings.Repeat("k", maxArg)+"…"] != "v" {
		t.Errorf("%d arguments kept: %.300v", len(in.Args), in.Args)
	}
	if !in.CommandCut() || len(in.Command) != maxCommand+len("…") {
		t.Errorf("a command of %d bytes", len(in.Command))
	}
	if (Intent{Command: strings.Repeat("é", maxCommand)}).CommandCut() {
		t.Error("a command that just fits counts as cut")
	}
	done := finish(t, s, "s", "c", Result{Text: strings.Repeat("e", 1<<20), Failed: true, Known: true}, noon)
	if len(done.Error) != maxError+len("…") || len(done.Outcome) != maxOutcome+len("…") {
		t.Errorf("an error of %d and an outcome of %d bytes", len(done.Error), len(done.Outcome))
	}
}

func TestIntentsAreFoundByPathAndSession(t *testing.T) {
	s := storetest.Open(t)
	long := strings.Repeat("d/", 300) + "a.go"
	begin(t, s, Intent{Session: "s1", Seq: 2, CallID: "c2", Op: OpMove, From: "a.go", Target: "b.go"}, ``)
	begin(t, s, Intent{Session: "s1", Seq: 1, CallID: "c1", Op: OpWrite, Target: "a.go"}, ``)
	begin(t, s, Intent{Session: "s2", Seq: 1, CallID: "c1", Op: OpWrite, Target: "a.go"}, ``)
	begin(t, s, Intent{Session: "s2", Seq: 3, CallID: "c3", Op: OpWrite, Target: "a.go/x"}, ``)
	begin(t, s, Intent{Session: "s2", Seq: 4, CallID: strings.Repeat("c", 5000), Op: OpWrite, Target: long}, ``)
	names := func(all []Intent, err error) string {
		if err != nil {
			t.Error(err)
		}
		var b strings.Builder
		for _, in := range all {
			fmt.Fprintf(&b, "%s/%d ", in.Session, in.Seq)
		}
		return b.String()
	}
	storetest.Update(t, s, func(tx kv.Tx) error {
		for path, want := range map[string]string{"a.go": "s1/1 s1/2 s2/1 ", "b.go": "s1/2 ", "a": "",
			"a.go/x": "s2/3 "} {
			if got := names(OfPath(tx, path)); got != want {
				t.Errorf("of %s: %s, want %s", path, got, want)
			}
		}
		if got := names(OfSession(tx, "s2")); got != "s2/1 s2/3 s2/4 " {
			t.Errorf("of s2: %s", got)
		}
		return nil
	})
	finish(t, s, "s1", "c2", Result{Known: true}, noon)
	begin(t, s, Intent{Session: "s3", Seq: 0, CallID: strings.Repeat("c", 5000), Op: OpWrite, Target: "a.go"}, ``)
	storetest.Update(t, s, func(tx kv.Tx) error {
		if got := names(PendingOnPath(tx, "a.go")); got != "s1/1 s2/1 s3/0 " {
			t.Errorf("pending on a.go: %s", got)
		}
		return nil
	})
	if got := ofCall(t, s, "s2", strings.Repeat("c", 5000)); got == nil || got.Target != long {
		t.Errorf("a call with a long id: %+v", got)
	}
}

func TestInvariant1IntentsComeBackAsTheyWere(t *testing.T) {
	s := storetest.Open(t)
	code := 3
	want := Intent{
		Session: "s", Seq: 1, Turn: 2, Agent: "a", CallID: "c", Name: "Bash", Op: OpShell, Target: "t", From: "f",
		Command: "x",
		Status:  Retryable, ExitCode: &code, Begun: noon, Finished: &noon, Source: "transcript",
	}
	in := begin(t, s, want, `{"command":"x"}`)
	want.ID, want.Status, want.Args = in.ID, Pending, map[string]string{"command": "x"}
	if diff := cmp.Diff(&want, ofCall(t, s, "s", "c")); diff != "" {
		t.Error(diff)
	}
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	for i := range raw {
		sealed := kv.Seal(bucketIntents, key(in), raw)
		sealed[kv.EnvelopeSize+i] ^= 1
		if v, err := kv.Unseal(bucketIntents, key(in), sealed); !fault.Is(err, fault.Corrupt) {
			t.Fatalf("byte %d flipped: %q, %v", i, v, err)
		}
		if _, err := kv.JSON[Intent](kv.Record{Value: raw[:i]}); !fault.Is(err, fault.Corrupt) {
			t.Fatalf("cut at byte %d: %v", i, err)
		}
	}
}

func TestPendingIntentsAreFoundUntilTheirOutcome(t *testing.T) {
	s := storetest.Open(t)
	long := strings.Repeat("c", 300)
	for _, in := range []Intent{{Session: "a", CallID: "1"}, {Session: "a", CallID: long},
		{Session: "ab", CallID: "1"}} {
		begin(t, s, in, `{}`)
	}
	pending := func(session string) string {
		var got []string
		storetest.View(t, s, func(tx kv.Tx) error {
			all, err := PendingOf(tx, session)
			for _, in := range all {
				got = append(got, in.Session+" "+in.CallID[:1])
			}
			return err
		})
		return strings.Join(got, ", ")
	}
	if got := pending(""); got != "a 1, a c, ab 1" {
		t.Errorf("all: %q", got)
	}
	finish(t, s, "a", long, Result{Text: "ok", Known: true}, noon)
	if got := pending("a"); got != "a 1" {
		t.Errorf("after an outcome: %q", got)
	}
	storetest.Update(t, s, func(tx kv.Tx) error { // as a ledger without the index
		return errors.Join(tx.Delete(bucketPending, callid.Key("a", "1")),
			tx.Delete(bucketPending, callid.Key("ab", "1")))
	})
	storetest.Update(t, s, IndexPending)
	if got := pending(""); got != "a 1, ab 1" {
		t.Errorf("rebuilt: %q", got)
	}
}
