package e2e

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/ledger"
)

const (
	// appends is how many records are written one after the other.
	appends = 100
	// poll is how long one WaitEvents waits.
	poll = 10_000
)

// head is how many records the agent writes before one says which directory the session is about:
// until then it is unknown whether it belongs to the workspace.
const head = 3

// hostID is the agent's name of the session that the test writes.
const hostID = "0f8fad5b-d9cb-469f-a165-70867728950e"

// TestOnlyAHostThatIsFollowedIsWaitedFor: the session of another one will not appear, and every call would wait a second.
func TestOnlyAHostThatIsFollowedIsWaitedFor(t *testing.T) {
	s := newBox(t)
	api := &waits{API: open(t, s)}
	for _, c := range []struct {
		r    ledger.SessionRequest
		wait bool
	}{
		{ledger.SessionRequest{HostID: "0199-thread", Host: "gemini"}, false},
		{ledger.SessionRequest{HostID: hostID, Host: "claude-code"}, true},
		{ledger.SessionRequest{HostID: hostID}, true},
		{ledger.SessionRequest{Call: "toolu_1"}, true},
		{ledger.SessionRequest{Name: "cafe"}, false},
	} {
		api.n = 0
		if _, err := ledger.FindSession(deadlined(t), api, c.r); !fault.Is(err, fault.NotFound) || api.n > 0 != c.wait {
			t.Errorf("%+v: waited %d times, %v", c.r, api.n, err)
		}
	}
}

// waits counts how often events are waited for.
type waits struct {
	ledger.API
	n int
}

func (w *waits) WaitEvents(ctx context.Context, r ledger.WaitEventsRequest) (ledger.WaitEventsResponse, error) {
	w.n++
	return w.API.WaitEvents(ctx, r)
}

// TestFollowerShowsEachEntryAsItIsWritten writes a session file as the agent does, record by record, while nothing but the
// daemon runs, and writes the next one only when there is an event of the last.
func TestFollowerShowsEachEntryAsItIsWritten(t *testing.T) {
	s := newBox(t)
	api := open(t, s)
	info, err := api.Info(deadlined(t), ledger.InfoRequest{})
	if err != nil || !info.Following {
		t.Fatalf("the daemon does not follow: %+v, %v", info, err)
	}
	f, lines, w := begin(t, s, api)
	if info, err = api.Info(deadlined(t), ledger.InfoRequest{}); err != nil || info.Polling != nil {
		t.Skipf("the daemon gets no events: %v, %v", info.Polling, err)
	}
	for i := head; i < head+appends; i++ {
		if _, err := f.Write(lines[i]); err != nil {
			t.Fatal(err)
		}
		w.entry(t, int64(i+1))
	}

	var got bytes.Buffer
	if _, err := ledger.WriteOriginals(deadlined(t), api, &got, w.session, 0, 0); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), bytes.Join(lines[:head+appends], nil)) {
		t.Error("what was followed is not what was written")
	}
	if got, err := api.Session(deadlined(t), ledger.SessionRequest{Name: w.session}); err != nil ||
		got.HostID != hostID {
		t.Errorf("session %+v, %v", got, err)
	}
}

// TestAHalfWrittenLineIsFollowedWhenItIsWhole writes records in two pieces.
func TestAHalfWrittenLineIsFollowedWhenItIsWhole(t *testing.T) {
	s := newBox(t)
	api := open(t, s)
	f, lines, w := begin(t, s, api)
	for i := head; i < head+20; i++ {
		half := len(lines[i]) / 2
		for _, piece := range [][]byte{lines[i][:half], lines[i][half:]} {
			if _, err := f.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
		w.entry(t, int64(i+1))
	}
}

// begin writes the head of a session and waits until it is known.
func begin(t *testing.T, s *sandbox.Sandbox, api ledger.API) (*os.File, [][]byte, *waiting) {
	t.Helper()
	f, lines, w := createSession(t, s), linesFor(t, s.Workspace), &waiting{api: api}
	began := time.Now()
	if _, err := f.Write(bytes.Join(lines[:head], nil)); err != nil {
		t.Fatal(err)
	}
	w.entry(t, head)
	t.Logf("a new session was known after %v", time.Since(began))
	return f, lines, w
}

// waiting follows the events of entries.
type waiting struct {
	api     ledger.API
	after   int64
	session string // of the newest event
	newest  int64  // log entry of the newest event
}

// entry waits until an entry is known.
func (w *waiting) entry(t *testing.T, seq int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for w.newest < seq {
		r, err := w.api.WaitEvents(
			ctx, ledger.WaitEventsRequest{After: w.after, Kinds: []string{ledger.EventEntries}, WaitMS: poll})
		if err != nil {
			t.Fatalf("waiting for entry %d: %v", seq, err)
		}
		for _, e := range r.Events {
			w.session, w.newest = e.Session, e.Entry
		}
		w.after = r.Next
	}
	if w.newest > seq {
		t.Fatalf("entry %d is known before it was written", w.newest)
	}
}

// createSession makes the project directory and an empty session file in it, as the agent does.
func createSession(t *testing.T, s *sandbox.Sandbox) *os.File {
	t.Helper()
	e := env.System()
	e.Lookup = func(name string) string {
		if name == "CLAUDE_CONFIG_DIR" {
			return s.Config
		}
		return ""
	}
	dir := claudecode.ProjectDir(e, s.Workspace)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, hostID+".jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
	})
	return f
}

// linesFor returns the records of the recorded session as the agent writes them in a workspace.
func linesFor(t *testing.T, workspace string) [][]byte {
	t.Helper()
	return bytes.SplitAfter(programtest.Recorded(t, workspace), []byte("\n"))
}
