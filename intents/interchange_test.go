package intents

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// example is the documented example.
func example(t testing.TB) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/intents.json")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// written returns a document as it is written.
func written(t testing.TB, d Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTheDocumentedIntentsComeBackByteForByte(t *testing.T) {
	d, rep, err := ReadDocument(example(t))
	if err != nil || rep.Skipped != 0 || rep.Lost != 0 {
		t.Fatalf("%+v, %v", rep, err)
	}
	if diff := cmp.Diff(string(example(t)), written(t, d)); diff != "" {
		t.Error(diff)
	}
	camel := strings.NewReplacer(`"Entries"`, `"entries"`, `"IntentId"`, `"intentID"`, `"Operation"`, `"OPERATION"`, `"Agent"`, `"agent"`,
		"\n", "\r\n").Replace(string(example(t)))
	if d, _, err = ReadDocument([]byte("\ufeff" + camel)); err != nil || written(t, d) != string(example(t)) {
		t.Errorf("in another case: %v\n%s", err, written(t, d))
	}
}

func TestAnUnknownStatusIsPendingAndKept(t *testing.T) {
	raw := strings.NewReplacer(`"Failed"`, `"Paused"`, `"TurnIndex": 3`, `"TurnIndex": 3, "Later": [1]`, `"FunctionName"`, `"Extra": null, "Why": "x", "FunctionName"`).
		Replace(string(example(t)))
	d, _, err := ReadDocument([]byte(raw))
	if err != nil || d.Entries[0].Known() != Pending {
		t.Fatalf("%+v, %v", d, err)
	}
	out := written(t, d)
	for _, kept := range []string{`"Status": "Paused"`, `"Later": [1]`, `"Why": "x"`} {
		if !strings.Contains(out, kept) {
			t.Errorf("%s is lost in %s", kept, out)
		}
	}
	for _, s := range []Status{Pending, Applied, Failed, Retryable} {
		if (Record{Status: s}).Known() != s {
			t.Errorf("%s is not known", s)
		}
	}
}

func TestInterchangeOfAnIntent(t *testing.T) {
	at := time.Date(2026, 5, 27, 15, 29, 58, 2e6, time.UTC)
	done := at.Add(time.Second)
	in := Intent{
		ID: "0f3c9a7be1d24466", Session: "a3f92c1d", Seq: 7, Turn: 4, CallID: "c", Name: "Bash", Op: OpShell, Command: "go test ./...",
		Args: map[string]string{"command": "go test ./...", "a": "b"}, Status: Failed, Error: "[EXIT 1]", Begun: at, Finished: &done,
		PreHash: "5f3c", Reconciled: true,
	}
	want := `{
  "Entries": [
    {
      "IntentId": "0f3c9a7be1d24466",
      "Timestamp": "2026-05-27T15:29:58.002Z",
      "Agent": "claude-code",
      "TurnIndex": 3,
      "SessionId": "a3f92c1d",
      "Operation": {
        "FunctionName": "shell_run",
        "ArgsSummary": { "a": "b", "command": "go test ./..." },
        "Command": "go test ./..."
      },
      "Status": "Failed",
      "ErrorMessage": "[EXIT 1]",
      "CompletedAt": "2026-05-27T15:29:59.002Z",
      "Reconciled": true,
      "PreHash": "5f3c"
    }
  ],
  "ActiveSessionId": "a3f92c1d"
}
`
	d := Document{Entries: []Record{in.Interchange("claude-code")}, ActiveSessionID: "a3f92c1d"}
	if diff := cmp.Diff(want, written(t, d)); diff != "" {
		t.Error(diff)
	}
	// TargetPath is the path, else the destination, else the source.
	in = Intent{Op: OpMove, Target: "to.go", From: "from.go"}
	if got := in.Interchange("").Operation.TargetPath; got != "to.go" {
		t.Errorf("of a move: %s", got)
	}
	in.Target = ""
	if got := in.Interchange("").Operation.TargetPath; got != "from.go" {
		t.Errorf("without a destination: %s", got)
	}
}

// FuzzReadDocument: what is read, written and read again is the same, and written the same.
func FuzzReadDocument(f *testing.F) {
	f.Add(example(f))
	f.Add([]byte(`{"entries":[{"Operation":{"ArgsSummary":{"a":1,"A":[2]}},"CompletedAt":"2026-05-27T15:30:00"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, _, err := ReadDocument(raw)
		if err != nil {
			return
		}
		once := written(t, d)
		again, rep, err := ReadDocument([]byte(once))
		if err != nil || rep.Skipped != 0 || rep.Lost != 0 || len(again.Entries) != len(d.Entries) {
			t.Fatalf("%q\nis written as\n%s\nwhich is not read: %+v, %v", raw, once, rep, err)
		}
		if twice := written(t, again); twice != once {
			t.Fatalf("%q\nis written as\n%s\nand then as\n%s", raw, once, twice)
		}
	})
}
