package daemon

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
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
		frame, err := message(request{ID: 1, attachment: packed.attached()}, packed.attached())
		if err != nil {
			t.Fatal(err)
		}
		wire := bytes.NewReader(append(frame, frame...))
		for range 2 {
			q, err := readRequest(wire)
			if err != nil {
				t.Fatal(err)
			}
			var out ledger.AppendEntriesRequest
			if err := q.take(nil).unpack(&out, true); err != nil {
				t.Fatal(err)
			}
			for i, e := range out.Entries {
				if !bytes.Equal(e.Original, in.Entries[i].Original) {
					t.Errorf("entry %d: %q, want %q", i, e.Original, in.Entries[i].Original)
				}
			}
		}
		if _, err := readRequest(wire); err != io.EOF {
			t.Errorf("after the last: %v", err)
		}
	})
}

// TestAnOlderClientGetsPlainJSON: a client that does not ask for attachments gets none.
func TestAnOlderClientGetsPlainJSON(t *testing.T) {
	in := ledger.ViewResponse{Session: "s", Messages: []ledger.ViewMessage{{JSON: []byte(`{"a":1}`)}}}
	plain, err := pack(&in, false)
	if err != nil || plain.data != nil {
		t.Fatalf("%d attachments, %v", len(plain.data), err)
	}
	var out ledger.ViewResponse
	if err := json.Unmarshal(plain.body, &out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(in, out); diff != "" {
		t.Error(diff)
	}
}

func TestAttachmentsThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		sizes []int
		raw   []byte
		code  fault.Code
	}{
		"negative":              {[]int{5, -5}, nil, fault.Invalid},
		"more than a frame":     {[]int{limits.Frame, 1}, nil, fault.TooLarge},
		"an overflow":           {[]int{1 << 62, 1 << 62, 1 << 62}, nil, fault.TooLarge},
		"fewer bytes than said": {[]int{2, 2}, []byte("abc"), fault.Invalid},
		"more bytes than said":  {[]int{2}, []byte("abc"), fault.Invalid},
	} {
		frame, err := newFrame(c.raw)
		if err != nil {
			t.Fatal(err)
		}
		a := attachment{Sizes: c.sizes}
		if err := a.receive(bytes.NewReader(frame)); !fault.Is(err, c.code) || a.data != nil {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	two := content{body: []byte(`{"entries":[{"kind":"note","time":"2026-01-01T00:00:00Z"}]}`),
		data: [][]byte{nil, nil}}
	if err := two.unpack(new(ledger.AppendEntriesRequest), true); !fault.Is(err, fault.Invalid) {
		t.Errorf("bytes for another number of entries: %v", err)
	}
	err := (content{body: []byte("{}"), data: [][]byte{{1}}}).unpack(new(ledger.InfoRequest), true)
	if !fault.Is(err, fault.Invalid) {
		t.Errorf("bytes where none belong: %v", err)
	}
}
