package sessions_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/storetest"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// full is an entry in which every field is set.
func full() sessions.Entry {
	at := noon.Add(time.Nanosecond)
	return sessions.Entry{
		Kind: sessions.KindMessage, Time: at, Turn: 2, HostID: "h", HostParent: "p", Group: "g", Author: "explorer",
		Model: "m", Format: transcript.Anthropic, Message: transcript.Span{From: 1, To: 9}, Size: 12, Hidden: true,
		Note:  "n",
		Usage: &sessions.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}, Forgotten: &at,
		Data: json.RawMessage(`{"to":1}`),
		Role: transcript.RoleAssistant, Prompt: true, Tokens: 9,
		Calls: []sessions.Call{{ID: "c", Name: "Read", Op: "read_file", Target: "a.go", Tokens: 4}},
		Results: []sessions.Result{{CallID: "c", Failed: true, Chars: 3, Tokens: 1, Artifact: "0123456789ab",
			StubTokens: 1}},
		Paths: []string{"a.go"}, Names: []string{"Foo"},
	}
}

func TestInvariant1AFullEntryComesBackAsItWas(t *testing.T) {
	s := storetest.Open(t)
	session := create(t, s, sessions.Session{Host: "h"}, "seed")
	var want sessions.Entry
	storetest.Update(t, s, func(tx kv.Tx) error {
		held := session
		e := full()
		e.ID = sessions.MessageID("", sessions.Digest([]byte("original")))
		var err error
		want, err = sessions.Append(tx, &held, e, []byte("original"))
		return err
	})
	storetest.View(t, s, func(tx kv.Tx) error {
		got, err := sessions.GetEntry(tx, session.ID, 1)
		if diff := cmp.Diff(want, got.Entry); diff != "" || string(got.Original) != "original" {
			t.Errorf("original %q, entry:\n%s", got.Original, diff)
		}
		return err
	})
}

// FuzzInvariant1EntriesRoundTrip: what is appended comes back byte for byte, whatever it contains.
func FuzzInvariant1EntriesRoundTrip(f *testing.F) {
	f.Add([]byte(`{"role":"user"}`), "id", "note", int64(5))
	f.Add([]byte{}, "", "", int64(-1))
	f.Add([]byte{0, 0xff, '\n'}, "a\x00b", "<&>\u2028", int64(1)<<40)
	s := storetest.Open(f)
	session := create(f, s, sessions.Session{Host: "h"}, "seed")
	f.Fuzz(func(t *testing.T, original []byte, id, note string, nanos int64) {
		if len(original) > kv.MaxInline || len(id)+len(note) > 1000 {
			t.Skip()
		}
		at := noon.Add(time.Duration(nanos % int64(24*time.Hour)))
		e := sessions.Entry{Kind: sessions.KindNote, Time: at, HostID: strings.ToValidUTF8(id, "?"),
			Note: strings.ToValidUTF8(note, "?")}
		storetest.Update(t, s, func(tx kv.Tx) error {
			held := session
			held.Seq = 0 // the same place each time
			want, err := sessions.Append(tx, &held, e, original)
			if err != nil {
				return err
			}
			got, err := sessions.GetEntry(tx, session.ID, 1)
			if !cmp.Equal(want, got.Entry) || !bytes.Equal(got.Original, original) {
				t.Errorf("%+v and %q came back as %+v and %q", want, original, got.Entry, got.Original)
			}
			return err
		})
	})
}

// TestInvariant1ADamagedEntryIsAnError: any change of a stored record, at any byte, and any
// truncation is found when it is read.
func TestInvariant1ADamagedEntryIsAnError(t *testing.T) {
	s := storetest.Open(t)
	session := receive(t, s, create(t, s, sessions.Session{Host: "h"}, "seed"), `{"role":"user","content":"x"}`)
	key := append([]byte(session.ID+"\x00"), 0, 0, 0, 0, 0, 0, 0, 1)
	var value []byte
	storetest.View(t, s, func(tx kv.Tx) (err error) {
		value, err = tx.Get("log", key)
		return err
	})
	if len(value) == 0 {
		t.Fatal("the log has another layout than this test knows")
	}
	sealed := kv.Seal("log", key, value)
	for i := range sealed {
		flipped := bytes.Clone(sealed)
		flipped[i] ^= 0x20
		for _, bad := range [][]byte{flipped, sealed[:i]} {
			if v, err := kv.Unseal("log", key, bad); !fault.Is(err, fault.Corrupt) &&
				!fault.Is(err, fault.Unavailable) {
				t.Fatalf("byte %d: %q, %v", i, v, err)
			}
		}
	}
	// What a wrong program wrote under a right checksum is an error too.
	for n, bad := range [][]byte{{}, value[:3], {0xff, 0xff, 0xff, 0xff}, value[:20],
		append([]byte{0, 0, 0, 2}, "[]"...)} {
		storetest.Update(t, s, func(tx kv.Tx) error { return tx.Put("log", key, bad) })
		storetest.View(t, s, func(tx kv.Tx) error {
			_, err := sessions.GetEntry(tx, session.ID, 1)
			if !fault.Is(err, fault.Corrupt) {
				t.Errorf("case %d: %v", n, err)
			}
			for _, err := range sessions.Scan(tx, session.ID, 0, 0) {
				if !fault.Is(err, fault.Corrupt) {
					t.Errorf("case %d: a scan gives %v", n, err)
				}
			}
			return nil
		})
	}
}

func TestAnOriginalInABlobIsNotStoredTwice(t *testing.T) {
	s := storetest.Open(t)
	session := create(t, s, sessions.Session{Host: "h"}, "seed")
	storetest.Update(t, s, func(tx kv.Tx) error {
		held := session
		_, err := sessions.Append(tx, &held, sessions.Entry{Kind: sessions.KindNote, Blob: sessions.Digest(nil)},
			[]byte("long"))
		return err
	})
	storetest.View(t, s, func(tx kv.Tx) error {
		e, err := sessions.GetEntry(tx, session.ID, 1)
		if e.Original != nil {
			t.Errorf("%q stands in the record beside its blob", e.Original)
		}
		return err
	})
}

func TestScanYieldsTheRangeAskedFor(t *testing.T) {
	s := storetest.Open(t)
	session := receive(t, s, create(t, s, sessions.Session{Host: "h"}, "a"), "1", "2", "3", "4", "5")
	receive(t, s, create(t, s, sessions.Session{Host: "h"}, "b"), "other")
	for _, test := range []struct {
		from, to int64
		want     string
	}{{0, 0, "12345"}, {2, 4, "234"}, {5, 0, "5"}, {6, 0, ""}, {-3, 1, "1"}, {4, 2, ""}} {
		got := ""
		storetest.View(t, s, func(tx kv.Tx) error {
			for e, err := range sessions.Scan(tx, session.ID, test.from, test.to) {
				if err != nil {
					return err
				}
				got += string(e.Original)
			}
			return nil
		})
		if got != test.want {
			t.Errorf("%d to %d: %q, want %q", test.from, test.to, got, test.want)
		}
	}
}

func TestForgetRemovesTheWordsAndKeepsTheEntry(t *testing.T) {
	s := storetest.Open(t)
	session := create(t, s, sessions.Session{Host: "h"}, "seed")
	storetest.Update(t, s, func(tx kv.Tx) error {
		held, e := session, full()
		e.Forgotten = nil
		if _, err := sessions.Append(tx, &held, e, []byte("secret")); err != nil {
			return err
		}
		if err := sessions.Forget(tx, session.ID, 1, noon, true); err != nil {
			return err
		}
		return sessions.Forget(tx, session.ID, 1, noon.AddDate(0, 0, 1), false) // the first date stays
	})
	storetest.View(t, s, func(tx kv.Tx) error {
		e, err := sessions.GetEntry(tx, session.ID, 1)
		if e.Original != nil || e.Names != nil || e.Paths != nil || e.Forgotten == nil || !e.Forgotten.Equal(noon) ||
			!e.Expired || len(e.Results) != 1 {
			t.Errorf("left: %+v", e)
		}
		wantCode(t, sessions.Forget(tx, session.ID, 2, noon, false), fault.NotFound)
		return err
	})
}

// TestAForgottenEntryNamesNoFileThatWasTold: the path is a detail like those of its calls.
func TestAForgottenEntryNamesNoFileThatWasTold(t *testing.T) {
	s := storetest.Open(t)
	session := create(t, s, sessions.Session{Host: "h"}, "seed")
	storetest.Update(t, s, func(tx kv.Tx) error {
		held, e := session, full()
		e.Told = "secret.go"
		if _, err := sessions.Append(tx, &held, e, []byte("original")); err != nil {
			return err
		}
		return sessions.ForgetCalls(tx, session.ID, 1)
	})
	storetest.View(t, s, func(tx kv.Tx) error {
		got, err := sessions.GetEntry(tx, session.ID, 1)
		if got.Told != "" {
			t.Errorf("it names %q", got.Told)
		}
		return err
	})
}
