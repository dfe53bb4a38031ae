package daemon

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// FuzzMessagesRoundTrip: what is sent is what is received, raw bytes and all, and one message ends
// exactly where the next begins.
func FuzzMessagesRoundTrip(f *testing.F) {
	f.Add([]byte("first"), []byte(""), []byte("third"))
	f.Add([]byte{0, 0xff}, []byte("\n"), []byte{})
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		in := ledger.AppendEntriesRequest{Import: "i", Entries: []sessions.NewEntry{
			{Kind: sessions.KindNote, Original: a}, {Kind: sessions.KindNote, Original: b},
			{Kind: sessions.KindNote, Original: c},
		}}
		packed, err := pack(&in, true)
		if err != nil {
			t.Fatal(err)
		}
		frame, err := link.Message(link.Request{ID: 1, Attachment: packed.Attached()}, packed.Attached())
		if err != nil {
			t.Fatal(err)
		}
		stream := bytes.NewReader(append(frame, frame...))
		for range 2 {
			q, err := link.ReadRequest(stream)
			if err != nil {
				t.Fatal(err)
			}
			var out ledger.AppendEntriesRequest
			if err := unpack(q.Take(nil), &out, true); err != nil {
				t.Fatal(err)
			}
			for i, e := range out.Entries {
				if !bytes.Equal(e.Original, in.Entries[i].Original) {
					t.Errorf("entry %d: %q, want %q", i, e.Original, in.Entries[i].Original)
				}
			}
		}
		if _, err := link.ReadRequest(stream); err != io.EOF {
			t.Errorf("after the last: %v", err)
		}
	})
}

// TestAnOlderClientGetsPlainJSON: a client that does not ask for attachments gets none.
func TestAnOlderClientGetsPlainJSON(t *testing.T) {
	in := ledger.ViewResponse{Session: "s", Messages: []ledger.ViewMessage{{JSON: []byte(`{"a":1}`)}}}
	plain, err := pack(&in, false)
	if err != nil || plain.Data != nil {
		t.Fatalf("%d attachments, %v", len(plain.Data), err)
	}
	var out ledger.ViewResponse
	if err := json.Unmarshal(plain.Body, &out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(in, out); diff != "" {
		t.Error(diff)
	}
}

func TestRawBytesThatDoNotFit(t *testing.T) {
	two := link.Content{Body: []byte(`{"entries":[{"kind":"note","time":"2026-01-01T00:00:00Z"}]}`),
		Data: [][]byte{nil, nil}}
	if err := unpack(two, new(ledger.AppendEntriesRequest), true); !fault.Is(err, fault.Invalid) {
		t.Errorf("bytes for another number of entries: %v", err)
	}
	err := unpack(link.Content{Body: []byte("{}"), Data: [][]byte{{1}}}, new(ledger.InfoRequest), true)
	if !fault.Is(err, fault.Invalid) {
		t.Errorf("bytes where none belong: %v", err)
	}
}
