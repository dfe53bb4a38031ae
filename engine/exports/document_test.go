package exports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/intents"
)

// document is what both files are.
type document interface{ Write(w io.Writer) error }

// written returns a document as it is written.
func written(t testing.TB, d document) string {
	t.Helper()
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// example reads a documented example.
func example(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestTheDocumentedExamplesAreWrittenByteForByte(t *testing.T) {
	changed := Changes{ActiveSessionID: "a3f92c1d", Entries: []Turn{{
		Agent: "Developer", TurnIndex: 3, Timestamp: "2026-05-27T15:30:00.123Z", SessionID: "a3f92c1d",
		FilesWritten: []string{"src/api/users.go"}, FilesDeleted: []string{},
		CommandsRun: []CommandRun{{Command: "go test ./...", Succeeded: true, Output: "ok ..."}},
		GitCommits:  []string{"feat: users api"},
	}}}
	if diff := cmp.Diff(string(example(t, ChangesFile)), written(t, changed)); diff != "" {
		t.Error(diff)
	}
	at, done := time.Date(2026, 5, 27, 15, 29, 58, 2e6, time.UTC), time.Date(2026, 5, 27, 15, 29, 58, 410e6, time.UTC)
	meant := Intents{ActiveSessionID: "a3f92c1d", Entries: []Intent{entryOf(intents.Intent{
		ID: "0f3c9a7be1d24466", Session: "a3f92c1d", Turn: 4, Op: intents.OpPatch, Target: "src/api/auth.go",
		Args:   map[string]string{"path": "src/api/auth.go", "oldText": "func old() {…"},
		Status: intents.Failed, Error: "[ERROR] oldText not found…", Begun: at, Finished: &done,
	}, "Developer")}}
	if diff := cmp.Diff(string(example(t, IntentsFile)), written(t, meant)); diff != "" {
		t.Error(diff)
	}
}

func TestTheLayout(t *testing.T) {
	for _, c := range []struct {
		name string
		d    document
		want string
	}{
		{"nothing", Changes{}, "{\n  \"Entries\": []\n}\n"},
		{"no entries", Intents{ActiveSessionID: "s", Dropped: 2}, `{
  "Entries": [],
  "ActiveSessionId": "s",
  "Dropped": 2
}
`},
		{"texts that look like JSON, and names that differ in case", Changes{
			Entries: []Turn{{
				Agent: "{", FilesWritten: []string{"a[", "b]", "{}", ""}, FilesDeleted: []string{"<&>\u2028"},
				CommandsRun: []CommandRun{}, GitCommits: []string{},
				FilesVia: map[string]string{"b.go": "shell", "B.go": "shell"},
			}},
			External: []ExternalChange{{"p", "modified", "t"}, {"q", "deleted", "t"}},
		}, `{
  "Entries": [
    {
      "Agent": "{",
      "TurnIndex": 0,
      "Timestamp": "",
      "FilesWritten": ["a[", "b]", "{}", ""],
      "FilesDeleted": ["<&>\u2028"],
      "CommandsRun": [],
      "GitCommits": [],
      "FilesVia": { "B.go": "shell", "b.go": "shell" }
    }
  ],
  "External": [
    { "Path": "p", "Operation": "modified", "Timestamp": "t" },
    { "Path": "q", "Operation": "deleted", "Timestamp": "t" }
  ]
}
`},
		{"an operation without arguments", Intents{Entries: []Intent{
			{Operation: Operation{FunctionName: "x", ArgsSummary: map[string]string{}}},
		}}, `{
  "Entries": [
    {
      "IntentId": "",
      "Timestamp": "",
      "Agent": "",
      "TurnIndex": 0,
      "Operation": {
        "FunctionName": "x",
        "ArgsSummary": {}
      },
      "Status": ""
    }
  ]
}
`},
	} {
		if diff := cmp.Diff(c.want, written(t, c.d)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestFilesViaNamesEveryFile: above 1,000 files there was null, and of names that differ only in case there was one.
func TestFilesViaNamesEveryFile(t *testing.T) {
	via := map[string]string{}
	for n := range 2000 {
		via[fmt.Sprintf("%d.go", n)] = viaShell
	}
	var d Changes
	if err := json.Unmarshal([]byte(written(t, Changes{Entries: []Turn{{FilesVia: via}}})), &d); err != nil ||
		len(d.Entries[0].FilesVia) != len(via) {
		t.Errorf("%d of %d files, %v", len(d.Entries[0].FilesVia), len(via), err)
	}
}

func TestEntryOfAnIntent(t *testing.T) {
	at := time.Date(2026, 5, 27, 17, 29, 58, 2e6, time.FixedZone("", 2*60*60))
	done := at.Add(time.Second + time.Microsecond)
	in := intents.Intent{
		ID: "0f3c9a7be1d24466", Session: "a3f92c1d", Seq: 7, Turn: 4, CallID: "c", Name: "Bash", Op: intents.OpShell,
		Command: "go test ./...",
		Args:    map[string]string{"command": "go test ./...", "a": "b"}, Status: intents.Failed, Error: "[EXIT 1]",
		Begun: at, Finished: &done,
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
      "CompletedAt": "2026-05-27T15:29:59.002001Z",
      "Reconciled": true,
      "PreHash": "5f3c"
    }
  ],
  "ActiveSessionId": "a3f92c1d"
}
`
	d := Intents{Entries: []Intent{entryOf(in, "claude-code")}, ActiveSessionID: "a3f92c1d"}
	if diff := cmp.Diff(want, written(t, d)); diff != "" {
		t.Error(diff)
	}
	// TargetPath is the path, else the destination, else the source.
	in = intents.Intent{Op: intents.OpMove, Target: "to.go", From: "from.go"}
	if got := entryOf(in, "").Operation.TargetPath; got != "to.go" {
		t.Errorf("of a move: %s", got)
	}
	in.Target = ""
	if got := entryOf(in, "").Operation.TargetPath; got != "from.go" {
		t.Errorf("without a destination: %s", got)
	}
}

// FuzzChangesAreReadAsWritten: what is written is read as the same, and written the same.
func FuzzChangesAreReadAsWritten(f *testing.F) {
	f.Add(example(f, ChangesFile))
	f.Add([]byte(`{"Entries":[{"FilesVia":{"b":"1","a":"2"},"FilesWritten":["[","{","]}"]}],"External":[{"Path":"<"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var d, again Changes
		if json.Unmarshal(raw, &d) != nil {
			return
		}
		same(t, d, &again, func() document { return again })
	})
}

// FuzzIntentsAreReadAsWritten: what is written is read as the same, and written the same.
func FuzzIntentsAreReadAsWritten(f *testing.F) {
	f.Add(example(f, IntentsFile))
	f.Add([]byte(`{"Entries":[{"Operation":{"ArgsSummary":{"a":"[","A":"}"}},"CompletedAt":"x"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var d, again Intents
		if json.Unmarshal(raw, &d) != nil {
			return
		}
		same(t, d, &again, func() document { return again })
	})
}

// same writes a document, reads that into a place, and compares what this says with what was written.
func same(t *testing.T, d document, place any, read func() document) {
	t.Helper()
	once := written(t, d)
	if err := json.Unmarshal([]byte(once), place); err != nil {
		t.Fatalf("%s: %v", once, err)
	}
	if twice := written(t, read()); twice != once {
		t.Fatalf("written as\n%s\nand then as\n%s", once, twice)
	}
	compact := func(v any) string {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	var plain, laidOut any
	if err := json.Unmarshal([]byte(compact(d)), &plain); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(once), &laidOut); err != nil {
		t.Fatal(err)
	}
	list := func(v any) any { return v.(map[string]any)["Entries"] }
	if list(plain) == nil {
		return // no entries are written as an empty list
	}
	if diff := cmp.Diff(plain, laidOut); diff != "" {
		t.Fatal(diff)
	}
}
