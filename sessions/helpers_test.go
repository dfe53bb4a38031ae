package sessions_test

import (
	"testing"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/storetest"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
)

// noon is the time of everything in these tests, unless they say otherwise.
var noon = time.Date(2026, 5, 27, 12, 0, 0, 0, time.UTC)

// create makes a session.
func create(t testing.TB, s kv.Store, of sessions.Session, seed string) sessions.Session {
	t.Helper()
	var got sessions.Session
	storetest.Update(t, s, func(tx kv.Tx) (err error) {
		got, err = sessions.Create(tx, of, seed)
		return err
	})
	return got
}

// receive appends originals to a session, as messages that follow each other, and saves it.
func receive(t testing.TB, s kv.Store, session sessions.Session, originals ...string) sessions.Session {
	t.Helper()
	var got sessions.Session
	storetest.Update(t, s, func(tx kv.Tx) error {
		got = session
		for _, o := range originals {
			e := sessions.Entry{
				Kind: sessions.KindMessage, Time: noon, Size: int64(len(o)),
				ID: sessions.MessageID(got.Chain, sessions.Digest([]byte(o))),
			}
			if _, err := sessions.Append(tx, &got, e, []byte(o)); err != nil {
				return err
			}
		}
		return sessions.Save(tx, got)
	})
	return got
}

func wantCode(t testing.TB, err error, code fault.Code) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Fatalf("got %q (%v), want %q", fault.CodeOf(err), err, code)
	}
}
