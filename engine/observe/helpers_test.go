package observe

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ctxledger.dev/changes"
	"ctxledger.dev/changes/watch"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come.
const patience = 30 * time.Second

// world is a workspace with its ledger, an observer of it, and an agent that works there.
type world struct {
	t        testing.TB
	root     string
	l        *engine.Local
	handed   chan ledger.RecordStatesRequest // what the observer handed in, after it was recorded
	n        int64
	session  string
	failures int          // of RecordStates that are still to come
	log      bytes.Buffer // of the observer; read it when that has ended
	watch    *watch.Shared
	stop     func()
}

// RecordStates lets the test know of what was handed in, and fails as often as the test wants.
func (w *world) RecordStates(ctx context.Context, r ledger.RecordStatesRequest) (ledger.RecordStatesResponse, error) {
	if w.failures > 0 {
		w.failures--
		return ledger.RecordStatesResponse{}, fault.New(fault.Unavailable, "test", "not now")
	}
	resp, err := w.l.RecordStates(ctx, r)
	w.handed <- r
	return resp, err
}

func (w *world) Info(ctx context.Context, r ledger.InfoRequest) (ledger.Info, error) {
	return w.l.Info(ctx, r)
}

func (w *world) Touched(ctx context.Context, r ledger.TouchedRequest) (ledger.TouchedResponse, error) {
	return w.l.Touched(ctx, r)
}

func (w *world) WaitEvents(ctx context.Context, r ledger.WaitEventsRequest) (ledger.WaitEventsResponse, error) {
	return w.l.WaitEvents(ctx, r)
}

// newWorld makes a workspace with files, given by path and content.
func newWorld(t testing.TB, files map[string]string) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Workspace: root, Env: env.System(),
		RunTwice: true})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: root, l: l, handed: make(chan ledger.RecordStatesRequest, 10_000)}
	t.Cleanup(func() {
		w.halt()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	for name, content := range files {
		w.put(name, content)
	}
	return w
}

// start runs an observer.
func (w *world) start() {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	log := slog.New(slog.NewTextHandler(&w.log, nil))
	w.watch = watch.NewShared(watch.Options{Log: log, Now: time.Now})
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, w, Options{Env: env.System(), Log: log, Watch: w.watch})
	}()
	w.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			w.t.Error(err)
		}
	}
}

// halt ends the observer.
func (w *world) halt() {
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

func (w *world) path(name string) string { return filepath.Join(w.root, filepath.FromSlash(name)) }

// put writes a file, with its directories.
func (w *world) put(name, content string) {
	w.t.Helper()
	must(w.t, os.MkdirAll(filepath.Dir(w.path(name)), 0o700))
	must(w.t, os.WriteFile(w.path(name), []byte(content), 0o600))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// append appends messages to the agent's session.
func (w *world) append(messages ...string) {
	w.t.Helper()
	var entries []sessions.NewEntry
	for _, m := range messages {
		entries = append(entries, sessions.NewEntry{Kind: sessions.KindMessage, Time: time.Now(),
			Format: transcript.Anthropic, Original: []byte(m)})
	}
	resp, err := w.l.AppendEntries(w.t.Context(), ledger.AppendEntriesRequest{
		Import: "a", Session: sessions.Session{Host: "h", HostID: "a", Dir: w.root}, Offset: w.n, Next: w.n + 1,
		Done: true, Entries: entries,
	})
	must(w.t, err)
	w.n++
	w.session = resp.Session
}

func use(id, tool, args string) string {
	return fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":%q,"input":%s}]}`, id, tool,
		args)
}

func result(id string) string {
	return fmt.Sprintf(
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"is_error":false,"content":"x"}]}`, id)
}

// read makes the agent read files and waits until the observer has looked at them.
func (w *world) read(names ...string) {
	w.t.Helper()
	var messages []string
	for i, n := range names {
		messages = append(messages, use(fmt.Sprint("r", w.n, "-", i), "Read", fmt.Sprintf(`{"file_path":%q}`, n)))
	}
	w.append(messages...)
	if w.stop != nil {
		w.await(names...)
	}
}

// await waits until the observer has handed in every one of these files.
func (w *world) await(names ...string) {
	w.t.Helper()
	left := map[string]bool{}
	for _, n := range names {
		left[n] = true
	}
	deadline := time.After(patience)
	for len(left) > 0 {
		select {
		case r := <-w.handed:
			for _, o := range r.States {
				delete(left, o.Path)
			}
		case <-deadline:
			w.t.Fatalf("not looked at: %v", left)
		}
	}
}

// sentinel is a file that tests touch at first and write last.
const sentinel = "sentinel"

// settle waits until everything that happened so far has been looked at: the sentinel is written, and
// what happened before is due before. Where directories are polled, the round in which it is seen may have looked at
// others before; the next one has not, and the one after that begins when all of it was handed in.
func (w *world) settle() {
	w.t.Helper()
	times := 1
	if _, polled := w.watch.Polled(); polled {
		times = 3
	}
	for range times {
		w.put(sentinel, time.Now().String())
		w.await(sentinel)
	}
}

// recorded returns the changes as words, oldest first, without those of the sentinel.
func (w *world) recorded() []string {
	w.t.Helper()
	list := w.changes()
	out := []string{}
	for _, c := range list {
		by := "external"
		if c.Session != "" {
			by = "agent"
		}
		out = append(out, fmt.Sprint(c.Op, " ", c.Path, " ", c.Source, " ", by))
	}
	return out
}

func (w *world) changes() []changes.Change {
	w.t.Helper()
	resp, err := w.l.Changes(w.t.Context(), ledger.ChangesRequest{Limit: 1000})
	must(w.t, err)
	slices.Reverse(resp.Changes)
	return slices.DeleteFunc(resp.Changes, func(c changes.Change) bool { return c.Path == sentinel })
}

// want compares the changes, in any order.
func (w *world) want(want ...string) {
	w.t.Helper()
	got := w.recorded()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		w.t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}
