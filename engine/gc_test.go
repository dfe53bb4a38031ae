package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// lengthy returns a message that is stored as a blob, different for every n.
func lengthy(n int) []byte {
	return transcript.NewMessage(transcript.Anthropic, transcript.RoleUser,
		strings.Repeat(fmt.Sprintf("line %d\n", n), 6000))
}

// ahead opens a ledger in dir whose clock is the real one, moved by what the returned counter says.
func ahead(t *testing.T, dir string) (*engine.Local, *atomic.Int64) {
	t.Helper()
	var by atomic.Int64
	e := env.System()
	real := e.Now
	e.Now = func() time.Time { return real().Add(time.Duration(by.Load())) }
	l, err := openOptions(t.Context(), engine.Options{State: dir, Workspace: "/home/dev/shop", Env: e, RunTwice: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() }) // a test may have closed it
	return l, &by
}

func collect(t *testing.T, l *engine.Local) ledger.Collected {
	t.Helper()
	c, err := l.CollectGarbage(t.Context(), ledger.CollectGarbageRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestGarbageIsWhatNoRecordNamesAnHourLater(t *testing.T) {
	dir := t.TempDir()
	l, by := ahead(t, dir)
	session := shop(t, l)
	compact(t, l, session, compactionOf(2))
	before, kept := render(t, l, session), originals(t, l, session, 0, 0)

	stray, err := l.PutBlob(t.Context(), strings.NewReader("stored, and never named"))
	if err != nil {
		t.Fatal(err)
	}
	// A batch at a wrong position of the import has stored its blob when it is refused.
	_, err = l.AppendEntries(t.Context(),
		ledger.AppendEntriesRequest{Import: "i", Offset: 5, Next: 6, Entries: []sessions.NewEntry{
			{Kind: sessions.KindMessage, Time: time.Now(), Format: transcript.Anthropic, Original: lengthy(1)},
		}})
	wantCode(t, err, fault.Conflict)

	if c := collect(t, l); c.Blobs.Count != 0 {
		t.Errorf("within the hour %d blobs were deleted", c.Blobs.Count)
	}
	by.Store(int64(time.Hour + time.Minute))
	du, err := l.DiskUsage(t.Context(), ledger.DiskUsageRequest{})
	if err != nil || du.Unnamed.Count != 2 {
		t.Errorf("du: %+v, %v", du.Unnamed, err)
	}
	c := collect(t, l)
	if c.Blobs.Count != 2 || c.Blobs.Disk != du.Unnamed.Disk || c.Blobs.Disk == 0 || c.Records == 0 {
		t.Errorf("%+v", c)
	}
	_, err = l.ReadBlob(t.Context(), ledger.ReadBlobRequest{Hash: stray.Hash})
	wantCode(t, err, fault.NotFound)
	if after := originals(t, l, session, 0, 0); !bytes.Equal(after, kept) {
		t.Error("originals were lost")
	}
	if after := render(t, l, session); !equalAll(before, after) {
		t.Error("the view changed")
	}
}

// TestALongMessageOfAViewStaysWhileItsPageIsRead: a page names a blob that no record names.
func TestALongMessageOfAViewStaysWhileItsPageIsRead(t *testing.T) {
	l, by := ahead(t, t.TempDir())
	long := say(strings.Repeat("a very long message ", 150_000))
	r := hand(t, l, ledger.AppendMessagesRequest{Messages: append(long, say("", "short")[1])})
	page, err := l.View(t.Context(), ledger.ViewRequest{Session: r.Session})
	if err != nil || len(page.Messages) != 1 || page.Messages[0].Blob == "" || page.Next != 1 {
		t.Fatalf("%d messages, next %d, %v", len(page.Messages), page.Next, err)
	}
	named := page.Messages[0].Blob
	by.Store(int64(59 * time.Minute))
	collect(t, l)
	if got := blob(t, l, ledger.ReadBlobRequest{Hash: named}); !bytes.Equal(got, long[0]) {
		t.Error("the message is another one")
	}
}

func equalAll(a, b [][]byte) bool {
	return bytes.Equal(bytes.Join(a, []byte{0}), bytes.Join(b, []byte{0}))
}

// TestNoBlobIsLostToACollectionInBetween appends the same few contents again and again, each time
// under a new name, while garbage is collected and the clock runs far ahead: whatever was
// acknowledged must be readable.
func TestNoBlobIsLostToACollectionInBetween(t *testing.T) {
	const contents, writers, rounds = 6, 4, 40
	l, by := ahead(t, t.TempDir())
	by.Store(int64(2 * time.Hour)) // everything is old at once, but for what a collection sees come
	ctx, stop := context.WithCancel(t.Context())
	var work, collector sync.WaitGroup
	collector.Go(func() {
		for ctx.Err() == nil {
			if _, err := l.CollectGarbage(t.Context(), ledger.CollectGarbageRequest{}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for w := range writers {
		work.Go(func() {
			for i := range rounds {
				if err := appendOne(t.Context(), l, w, i, contents); err != nil {
					t.Errorf("writer %d, round %d: %v", w, i, err)
				}
			}
		})
	}
	work.Wait()
	stop()
	collector.Wait()
	collect(t, l)
	all, err := l.Sessions(t.Context(), ledger.SessionsRequest{})
	if err != nil || all.Total != writers*rounds {
		t.Fatalf("%d sessions, %v", all.Total, err)
	}
	for _, s := range all.Sessions {
		got := originals(t, l, s.ID, 0, 0)
		if n := len(got); n < 40_000 {
			t.Errorf("session %s has %d bytes of originals", s.ID, n)
		}
	}
}

// appendOne records a session with one long message, of which there are few.
func appendOne(ctx context.Context, l *engine.Local, writer, round, contents int) error {
	id := fmt.Sprintf("%d-%d", writer, round)
	_, err := l.AppendEntries(ctx, ledger.AppendEntriesRequest{
		Import: id, Next: 1, Done: true, Session: sessions.Session{Host: "test", HostID: id},
		Entries: []sessions.NewEntry{{
			Kind: sessions.KindMessage, Time: time.Now(), Format: transcript.Anthropic,
			Original: lengthy((writer + round) % contents),
		}},
	})
	return err
}

// TestABlobThatIsStoredAgainDuringACollectionStays stores content again that is garbage at that moment.
func TestABlobThatIsStoredAgainDuringACollectionStays(t *testing.T) {
	inFiles(t)
	dir := t.TempDir()
	l, _ := ahead(t, dir)
	content := []byte("stored long ago, and again now")
	for i := range 60 {
		ref, err := l.PutBlob(t.Context(), bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-2 * time.Hour)
		if err := os.Chtimes(filepath.Join(dir, "blobs", ref.Hash[:2], ref.Hash), old, old); err != nil {
			t.Fatal(err)
		}
		var work sync.WaitGroup
		work.Go(func() {
			if _, err := l.CollectGarbage(t.Context(), ledger.CollectGarbageRequest{}); err != nil {
				t.Error(err)
			}
		})
		if _, err = l.PutBlob(t.Context(), bytes.NewReader(content)); err != nil {
			t.Fatal(err)
		}
		work.Wait()
		r, err := l.ReadBlob(t.Context(), ledger.ReadBlobRequest{Hash: ref.Hash})
		if err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, content) {
			t.Fatalf("%q, %v", got, err)
		}
		_ = r.Close() // opened for reading
	}
}

func TestHousekeepingWaitsForItsTurn(t *testing.T) {
	l, _ := ahead(t, t.TempDir())
	shop(t, l)
	file := filepath.Join(t.TempDir(), "b.tar")
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			if _, err := l.CollectGarbage(t.Context(), ledger.CollectGarbageRequest{}); err != nil {
				t.Error(err)
			}
		})
	}
	if _, err := l.Backup(t.Context(), ledger.BackupRequest{File: file}); err != nil {
		t.Error(err)
	}
	work.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := l.CollectGarbage(ctx, ledger.CollectGarbageRequest{})
	wantCode(t, err, fault.Unavailable)
}

func TestCopiesOfMigrationsGoAfterAMonth(t *testing.T) {
	dir := t.TempDir()
	l, by := ahead(t, dir)
	file := filepath.Join(dir, "ledger.db.schema-1")
	if err := os.WriteFile(file, make([]byte, 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ days, freed int64 }{{29, 0}, {31, 5000}, {32, 0}} {
		by.Store(x.days * 24 * int64(time.Hour))
		if c := collect(t, l); c.Copies != x.freed {
			t.Errorf("after %d days %d bytes of copies are gone", x.days, c.Copies)
		}
	}
}
