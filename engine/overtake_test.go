package engine_test

import (
	"sync"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// TestBatchesMayOvertakeEachOther: a client that does not wait for answers has its batches applied
// in the order of their offsets, whichever arrives first.
func TestBatchesMayOvertakeEachOther(t *testing.T) {
	l := open(t)
	const batches = 8
	var work sync.WaitGroup
	for i := batches - 1; i >= 0; i-- {
		work.Go(func() {
			r := batchOf(sessions.NewEntry{Kind: sessions.KindNote, Original: []byte{byte('a' + i)}})
			r.Offset, r.Next = int64(i), int64(i+1)
			if _, err := l.AppendEntries(t.Context(), r); err != nil {
				t.Errorf("batch %d: %v", i, err)
			}
		})
	}
	work.Wait()
	st, err := l.ImportState(t.Context(), ledger.ImportStateRequest{Import: batchOf().Import})
	if err != nil || st.Offset != batches {
		t.Fatalf("%+v, %v", st, err)
	}
	got := ""
	log, err := l.Log(t.Context(), ledger.LogRequest{Session: st.Session, Originals: true})
	for _, e := range log.Entries {
		got += string(e.Original)
	}
	if got != "abcdefgh" || err != nil {
		t.Errorf("the log holds %q, %v", got, err)
	}
}

// TestABatchBehindNoOtherIsAConflict: waiting for what never comes ends.
func TestABatchBehindNoOtherIsAConflict(t *testing.T) {
	l := open(t)
	r := batchOf(sessions.NewEntry{Kind: sessions.KindNote, Original: []byte("x")})
	r.Offset, r.Next = 5, 6
	if _, err := l.AppendEntries(t.Context(), r); !fault.Is(err, fault.Conflict) {
		t.Errorf("%v", err)
	}
}
