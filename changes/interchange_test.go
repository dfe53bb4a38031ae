package changes_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/changes"
	"ctxledger.dev/internal/fault"
)

// example is the documented example.
func example(t testing.TB) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/changes.json")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// written returns a document as it is written.
func written(t testing.TB, d changes.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTheDocumentedExampleComesBackByteForByte(t *testing.T) {
	d, rep, err := changes.ReadDocument(example(t))
	if err != nil || rep.Skipped != 0 || rep.Lost != 0 {
		t.Fatalf("%+v, %v", rep, err)
	}
	if diff := cmp.Diff(string(example(t)), written(t, d)); diff != "" {
		t.Error(diff)
	}
	got := d.Entries[0]
	if got.Agent != "Developer" || got.TurnIndex != 3 || !got.CommandsRun[0].Succeeded || got.CommandsRun[0].Output != "ok ..." ||
		!got.Timestamp.Equal(time.Date(2026, 5, 27, 15, 30, 0, 123e6, time.UTC)) || d.ActiveSessionID != "a3f92c1d" {
		t.Errorf("%+v", d)
	}
}

func TestReadersAcceptWhatOthersWrite(t *testing.T) {
	want := strings.Replace(string(example(t)), `      "SessionId": "a3f92c1d",`+"\n", "", 1)
	camel := `{"entries":[{"agent":"Developer","turnIndex":3,"timestamp":"2026-05-27T17:30:00.1230000+02:00","sessionId":null,
		"filesWritten":["src/api/users.go"],"filesDeleted":null,"commandsRun":[{"command":"go test ./...","Succeeded":true,"output":"ok ..."}],
		"gitCommits":["feat: users api"]}],"activeSessionId":"a3f92c1d"}`
	for name, raw := range map[string]string{
		"camel case": camel, "byte order mark": "\ufeff" + camel, "CRLF": strings.ReplaceAll(camel, "\n", "\r\n"),
	} {
		d, rep, err := changes.ReadDocument([]byte(raw))
		if err != nil || rep.Skipped != 0 || rep.Lost != 0 {
			t.Fatalf("%s: %+v, %v", name, rep, err)
		}
		if diff := cmp.Diff(want, written(t, d)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestUnknownPropertiesSurvive(t *testing.T) {
	raw := `{"Version":7,"Entries":[{"Agent":"a","TurnIndex":0,"Timestamp":"2026-05-27T15:30:00Z","Mood":{"good":true,"deep":[{"x":1.50}]},
		"CommandsRun":[{"Command":"x","succeeded":false,"Output":"","Cost":0.10}],"FilesVia":{"a.go":"shell"}}],
		"External":[{"Path":"p","Operation":"modified","Timestamp":"2026-05-27T15:30:00Z","By":"vim"}]}`
	d, rep, err := changes.ReadDocument([]byte(raw))
	if err != nil || rep.Skipped != 0 {
		t.Fatalf("%+v, %v", rep, err)
	}
	want := `{
  "Entries": [
    {
      "Agent": "a",
      "TurnIndex": 0,
      "Timestamp": "2026-05-27T15:30:00.000Z",
      "FilesWritten": [],
      "FilesDeleted": [],
      "CommandsRun": [
        { "Command": "x", "succeeded": false, "Output": "", "Cost": 0.10 }
      ],
      "GitCommits": [],
      "FilesVia": { "a.go": "shell" },
      "Mood": {
        "good": true,
        "deep": [
          { "x": 1.50 }
        ]
      }
    }
  ],
  "External": [
    { "Path": "p", "Operation": "modified", "Timestamp": "2026-05-27T15:30:00.000Z", "By": "vim" }
  ],
  "Version": 7
}
`
	if diff := cmp.Diff(want, written(t, d)); diff != "" {
		t.Error(diff)
	}
}

// TestATruncatedFileIsSalvaged cuts a document anywhere: every entry that is complete comes out.
func TestATruncatedFileIsSalvaged(t *testing.T) {
	d, _, err := changes.ReadDocument(example(t))
	if err != nil {
		t.Fatal(err)
	}
	d.Entries = append(d.Entries, d.Entries[0], d.Entries[0])
	whole := strings.TrimSpace(written(t, d))
	ends := []int{} // of the entries
	for at := 0; ; {
		i := strings.Index(whole[at:], "\n    }")
		if i < 0 {
			break
		}
		at += i + len("\n    }")
		ends = append(ends, at)
	}
	if len(ends) != 3 {
		t.Fatalf("%d entries in %s", len(ends), whole)
	}
	for cut := 1; cut < len(whole); cut++ {
		complete := 0
		for _, end := range ends {
			if end <= cut {
				complete++
			}
		}
		got, rep, err := changes.ReadDocument([]byte(whole[:cut]))
		if err != nil || len(got.Entries) != complete || rep.Why == "" {
			t.Fatalf("cut at %d: %d of %d entries, %+v, %v", cut, len(got.Entries), complete, rep, err)
		}
	}
	for _, raw := range []string{"", "[]", "null", "x", `"Entries"`} {
		if _, _, err := changes.ReadDocument([]byte(raw)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", raw, err)
		}
	}
	got, rep, err := changes.ReadDocument([]byte(`{"Entries":[{"TurnIndex":"three"},7,{"Agent":"ok","Timestamp":"2026-05-27T15:30:00Z"}]}`))
	if err != nil || len(got.Entries) != 1 || rep.Skipped != 2 || rep.Why == "" {
		t.Errorf("%+v, %+v, %v", got.Entries, rep, err)
	}
}

// FuzzReadDocument: what is read, written and read again is the same, and written the same.
func FuzzReadDocument(f *testing.F) {
	f.Add(example(f))
	f.Add([]byte(`{"entries":[{"x":[[]],"X":null}],"External":[{"path":"<"}],"external":{}}`))
	f.Add([]byte(`{"Entries":[{"FilesVia":{"b":"1","a":"2"},"Timestamp":"2026-05-27T15:30:00"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, _, err := changes.ReadDocument(raw)
		if err != nil {
			return
		}
		once := written(t, d)
		again, rep, err := changes.ReadDocument([]byte(once))
		if err != nil || rep.Skipped != 0 || rep.Lost != 0 || len(again.Entries) != len(d.Entries) {
			t.Fatalf("%q\nis written as\n%s\nwhich is not read: %+v, %v", raw, once, rep, err)
		}
		if twice := written(t, again); twice != once {
			t.Fatalf("%q\nis written as\n%s\nand then as\n%s", raw, once, twice)
		}
		if len(once) > 64*len(raw)+1000 {
			t.Fatalf("%d bytes became %d", len(raw), len(once))
		}
	})
}
