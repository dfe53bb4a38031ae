package agents

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/changes/watch"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/logtest"
	"ctxledger.dev/ledger"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come.
const patience = 10 * time.Second

// scene is a workspace, its project directory and a follower at work.
type scene struct {
	t         *testing.T
	r         *recorder
	workspace string
	dir       string // project directory
	opts      FollowOptions
	tick      chan time.Time
	logged    *logtest.Buffer
	seen      string // ids that wantSome has met
	polls     error  // why the system gives no events; nil: it does
}

func newScene(t *testing.T) *scene {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{t: t, r: newRecorder(t), workspace: filepath.Join(home, "work"), tick: make(chan time.Time),
		logged: &logtest.Buffer{}}
	if err := os.Mkdir(s.workspace, 0o700); err != nil {
		t.Fatal(err)
	}
	w := watch.NewShared(watch.Options{}).New()
	if err := w.Add(home); fault.Is(err, fault.Limited) {
		s.polls = err
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s.r.appended = make(chan ledger.AppendEntriesRequest, 1000)
	e := env.Env{Now: time.Now, Home: home, Lookup: func(string) string { return "" }}
	s.opts = FollowOptions{Workspace: s.workspace, Env: e, Tick: s.tick,
		Log: slog.New(slog.NewTextHandler(s.logged, nil))}
	s.dir = claudecode.ProjectDir(e, s.workspace)
	return s
}

// follower returns a follower that is not started.
func (s *scene) follower() *follower {
	f := newFollower(s.r, Adapters()[0], s.opts)
	f.base = f.adapter.Base(s.opts.Env)
	return f
}

// follow starts to follow, and ends it with the test.
func (s *scene) follow() {
	s.t.Helper()
	s.run(func(ctx context.Context) error { return Follow(ctx, s.r, s.opts) })
}

func (s *scene) run(follow func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- follow(ctx) }()
	s.t.Cleanup(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				s.t.Errorf("following ended with %v", err)
			}
		case <-time.After(patience):
			s.t.Error("following did not end with its context")
		}
	})
}

func (s *scene) mkdir(dir string) {
	s.t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		s.t.Fatal(err)
	}
}

// rec is a record of a session that runs in the scene's workspace.
func (s *scene) rec(id string) string { return strings.Replace(rec(id), "/w", s.workspace, 1) }

// append writes to a session file of the project directory.
func (s *scene) append(name, text string) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	appendTo(s.t, path, text)
	return path
}

// ticks returns the channel of ticks where files are polled: whoever waits for the follower makes it look. With events it
// is nil, so that they alone count.
func (s *scene) ticks() chan<- time.Time {
	if s.polls == nil {
		return nil
	}
	return s.tick
}

// needsEvents skips a test of events where the system gives none.
func (s *scene) needsEvents() {
	s.t.Helper()
	if s.polls != nil {
		s.t.Skipf("nothing can be watched here: %v", s.polls)
	}
}

// news returns what was logged, besides that files are polled.
func (s *scene) news() string {
	lines := strings.SplitAfter(s.logged.String(), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, "watched: polling") })
	return strings.Join(lines, "")
}

// want waits until exactly these records have been appended, in this order.
func (s *scene) want(ids string) {
	s.t.Helper()
	var got []string
	deadline := time.After(patience)
	for strings.Join(got, " ") != ids {
		select {
		case b := <-s.r.appended:
			for _, e := range b.Entries {
				got = append(got, e.HostID)
			}
		case s.ticks() <- time.Time{}:
		case <-deadline:
			s.t.Fatalf("got entries %q, want %q; log:\n%s", got, ids, s.logged)
		}
	}
}

// nudge makes the follower go round once: when it returns, what was due before was looked at.
func (s *scene) nudge() {
	s.t.Helper()
	select {
	case s.tick <- time.Time{}:
	case <-time.After(patience):
		s.t.Fatal("the follower takes no tick")
	}
}

// still checks that nothing was appended.
func (s *scene) still() {
	s.t.Helper()
	select {
	case b := <-s.r.appended:
		s.t.Errorf("unexpected batch of %s", b.Session.HostID)
	default:
	}
}

// TestEventsAloneBringEveryEntry: the follower's clock never ticks here. How soon the slowest came is in the log.
func TestEventsAloneBringEveryEntry(t *testing.T) {
	s := newScene(t)
	s.needsEvents()
	s.mkdir(s.dir)
	s.append("s1.jsonl", s.rec("first"))
	s.follow()
	s.want("first")
	var slowest time.Duration
	for i := range 50 {
		id := fmt.Sprint("n", i)
		text := s.rec(id)
		began := time.Now()
		s.append("s1.jsonl", text)
		s.want(id)
		slowest = max(slowest, time.Since(began))
	}
	t.Logf("slowest of 50: %v", slowest)
}

func TestFollowWaitsForTheProjectDirectory(t *testing.T) {
	for name, begin := range map[string]func(s *scene) string{
		"nothing of Claude Code exists": func(s *scene) string { return "" },
		"the projects directory exists": func(s *scene) string { return filepath.Dir(s.dir) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			if dir := begin(s); dir != "" {
				s.mkdir(dir)
			}
			s.follow()
			s.nudge()
			s.mkdir(s.dir)
			s.append("s1.jsonl", s.rec("a"))
			s.want("a")
			if err := os.RemoveAll(s.dir); err != nil {
				t.Fatal(err)
			}
			s.nudge()
			s.mkdir(s.dir)
			s.append("s2.jsonl", strings.ReplaceAll(s.rec("b"), `"s1"`, `"s2"`))
			s.want("b")
		})
	}
}

func TestOldFilesAreReadWhenTheyChange(t *testing.T) {
	s := newScene(t)
	s.mkdir(s.dir)
	old := s.append("s1.jsonl", s.rec("a"))
	past := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	s.append("s2.jsonl", strings.ReplaceAll(s.rec("b"), `"s1"`, `"s2"`))
	s.follow()
	s.want("b")
	s.nudge()
	s.still()
	s.append("s1.jsonl", s.rec("c"))
	s.want("a c")
}

func TestFollowLeavesOtherSessionsAlone(t *testing.T) {
	s := newScene(t)
	s.mkdir(s.dir)
	s.append("other.jsonl", strings.ReplaceAll(rec("x"), `"s1"`, `"s9"`)) // runs in /w
	s.append("notes.txt", s.rec("y"))
	s.append("codex.jsonl", `{"type":"session_meta","payload":{"cwd":"`+s.workspace+`"}}`+"\n")
	s.append("empty.jsonl", "")
	s.append("s1.jsonl", s.rec("a"))
	s.follow()
	s.want("a")
	s.nudge()
	s.still()
	if s.news() != "" {
		t.Errorf("other people's files are news: %s", s.logged)
	}
}

func TestATornLineWaitsForItsEnd(t *testing.T) {
	s := newScene(t)
	s.mkdir(s.dir)
	s.follow()
	line := s.rec("b")
	s.append("s1.jsonl", s.rec("a")+line[:40])
	s.want("a")
	s.append("s1.jsonl", line[40:])
	s.want("b")
}

func TestFollowSurvivesATruncatedFile(t *testing.T) {
	s := newScene(t)
	s.mkdir(s.dir)
	path := s.append("s1.jsonl", s.rec("a")+s.rec("b"))
	s.follow()
	s.want("a b")
	if err := os.WriteFile(path, []byte(s.rec("z")), 0o600); err != nil {
		t.Fatal(err)
	}
	s.want("z")
	s.append("s1.jsonl", s.rec("y"))
	s.want("y")
	s.nudge()
	s.still()
	if s.news() != "" {
		t.Errorf("logged:\n%s", s.logged)
	}
}

func TestFollowSurvivesAFileReplacedByItsContinuation(t *testing.T) {
	s := newScene(t)
	s.mkdir(s.dir)
	path := s.append("s1.jsonl", s.rec("a"))
	s.follow()
	s.want("a")
	fresh := s.append("s1.tmp", s.rec("a")+s.rec("b"))
	if err := os.Rename(fresh, path); err != nil {
		t.Fatal(err)
	}
	s.want("b")
}

func TestFollowTriesAgainWhenTheLedgerIsBack(t *testing.T) {
	s := newScene(t)
	s.mkdir(s.dir)
	refused := make(chan struct{}, 10)
	gone := true
	s.r.fail = func(ledger.AppendEntriesRequest) error {
		if !gone {
			return nil
		}
		gone = false
		refused <- struct{}{}
		return fault.New(fault.Unavailable, "test", "the daemon is gone")
	}
	s.append("s1.jsonl", s.rec("a"))
	s.follow()
	<-refused
	s.nudge()
	s.want("a")
}

func TestFollowPollsWithoutAWatcher(t *testing.T) {
	s := newScene(t)
	s.mkdir(s.dir)
	s.append("s1.jsonl", s.rec("a"))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	f := s.follower()
	f.list()
	f.scan(time.Time{}) // never started: as if the system had no watcher to give
	f.readNext(ctx)
	s.want("a")
	s.append("s1.jsonl", s.rec("b"))
	if f.healthy() {
		t.Fatal("healthy without a watcher")
	}
	f.tick()
	f.readNext(ctx)
	f.close()
	s.want("b")
}

func TestALostEventMeansLookingAtEverything(t *testing.T) {
	s := newScene(t)
	s.mkdir(s.dir)
	f := s.follower()
	f.list()
	defer f.close()
	s.append("s1.jsonl", s.rec("a"))
	f.event("", true)
	f.readNext(context.Background())
	s.want("a")
}

func TestALiveSessionDoesNotWaitForALongImport(t *testing.T) {
	s := newScene(t)
	s.mkdir(s.dir)
	long := s.append("long.jsonl", strings.ReplaceAll(s.rec("l"), `"s1"`, `"s2"`))
	for i := range 60 {
		filler := strings.ReplaceAll(s.rec(fmt.Sprint("l", i)), `"s1"`, `"s2"`)
		s.append("long.jsonl", strings.Replace(filler, "say", strings.Repeat("x", 200_000), 1))
	}
	f := s.follower()
	f.list()
	defer f.close()
	f.scan(time.Time{})
	f.readNext(context.Background())
	if n := len(s.r.batches); n != runBatches || len(f.due) != 1 {
		t.Fatalf("%d batches in one turn, %d files due", n, len(f.due))
	}
	live := s.append("s1.jsonl", s.rec("a"))
	f.touch(live)
	f.readNext(context.Background())
	if got := s.r.batches[runBatches].Session.HostID; got != "s1" {
		t.Errorf("the turn went to %s", got)
	}
	for len(f.due) > 0 {
		f.readNext(context.Background())
	}
	if rep := mustImport(t, s.r, long); rep.Entries != 0 || len(s.r.entries()) != 62 {
		t.Errorf("%d entries, %d of them late", len(s.r.entries()), rep.Entries)
	}
}

func TestFollowSeesSubagents(t *testing.T) {
	s := newScene(t)
	s.mkdir(s.dir)
	s.append("s1.jsonl", s.rec("a"))
	s.follow()
	s.want("a")
	s.mkdir(filepath.Join(s.dir, "s1", "subagents"))
	line := func(id string) string { return strings.ReplaceAll(s.rec(id), `"type"`, `"isSidechain":true,"type"`) }
	s.append("s1/subagents/agent-7.jsonl", line("b"))
	s.want("b")
	s.append("s1/subagents/agent-7.jsonl", line("c"))
	s.want("c")
	last := s.r.batches[len(s.r.batches)-1]
	if last.Session.HostID != "s1/agent-7" || last.StartedBy != "s1" {
		t.Errorf("session %+v", last)
	}
}

func TestManyFilesKeepFewImporters(t *testing.T) {
	s := newScene(t)
	s.mkdir(s.dir)
	f := s.follower()
	f.list()
	defer f.close()
	for round := range 2 {
		for i := range maxImporters + 10 {
			line := s.rec(fmt.Sprint(round, "-", i))
			s.append(fmt.Sprint(i, ".jsonl"), strings.ReplaceAll(line, `"s1"`, fmt.Sprintf(`"s%d"`, i)))
		}
		f.scan(time.Time{})
		for len(f.due) > 0 {
			f.readNext(context.Background())
		}
	}
	if len(f.importers) != maxImporters || len(f.order) != maxImporters {
		t.Errorf("%d importers, %d in order", len(f.importers), len(f.order))
	}
	if n := len(s.r.entries()); n != 2*(maxImporters+10) {
		t.Errorf("%d entries", n)
	}
}

func TestFollowFile(t *testing.T) {
	s := newScene(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "any name.jsonl")
	appendTo(t, path, rec("a"))
	reports := make(chan Report, 10)
	s.opts.Report = func(r Report) { reports <- r }
	s.run(func(ctx context.Context) error {
		return FollowFile(ctx, s.r, Source{Path: "any name.jsonl", Dir: dir}, s.opts)
	})
	s.want("a")
	if r := <-reports; r.Session != "s-s1" || r.Entries != 1 {
		t.Errorf("report %+v", r)
	}
	appendTo(t, filepath.Join(dir, "other.jsonl"), rec("x"))
	appendTo(t, path, rec("b"))
	s.want("b")
}

func TestFollowFileTellsWhatIsWrongAtOnce(t *testing.T) {
	s := newScene(t)
	for path, code := range map[string]fault.Code{
		write(t, ""):                       fault.Invalid,
		write(t, "hello\n"):                fault.Invalid,
		filepath.Join(t.TempDir(), "none"): fault.NotFound,
	} {
		if err := FollowFile(t.Context(), s.r, Source{Path: path}, s.opts); !fault.Is(err, code) {
			t.Errorf("%v, want %s", err, code)
		}
	}
	if err := Follow(t.Context(), s.r, FollowOptions{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("no workspace: %v", err)
	}
}

func TestFollowingWritesNothing(t *testing.T) {
	s := newScene(t)
	s.mkdir(s.dir)
	path := s.append("s1.jsonl", s.rec("a"))
	for p, mode := range map[string]os.FileMode{path: 0o400, s.dir: 0o500} {
		if err := os.Chmod(p, mode); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(s.dir, 0o700) // so that the directory can be removed
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	s.follow()
	s.want("a")
	after, err := os.Stat(path)
	if err != nil || !before.ModTime().Equal(after.ModTime()) || before.Size() != after.Size() {
		t.Errorf("the file changed: %v, %v", after, err)
	}
	names, err := os.ReadDir(s.dir)
	if err != nil || len(names) != 1 {
		t.Errorf("the directory holds %v, %v", names, err)
	}
}

func TestTransientTroubleIsToldOnce(t *testing.T) {
	s := newScene(t)
	f := s.follower()
	for range 3 {
		f.judge(context.Background(), "/p/x.jsonl", errors.New("disk on fire"))
	}
	if n := strings.Count(s.logged.String(), "disk on fire"); n != 1 || !f.failed["/p/x.jsonl"] {
		t.Errorf("logged %d times, to be tried again: %v", n, f.failed)
	}
}

// TestAFileIsReadWhenSomebodyAsks: without an event or a tick, as when an agent has ended this moment and a person asks for
// its session. What is not a session file of the place is answered, and not read.
func TestAFileIsReadWhenSomebodyAsks(t *testing.T) {
	s := newScene(t)
	reads := make(chan Asked)
	s.opts.Reads = map[sessionfile.Agent]chan Asked{claudecode.Name: reads}
	s.run(func(ctx context.Context) error {
		f := s.follower() // never started: the system gives no events
		f.loop(ctx)
		return nil
	})
	s.mkdir(s.dir)
	path := s.append("s1.jsonl", s.rec("a"))
	outside := filepath.Join(s.workspace, "s2.jsonl")
	appendTo(t, outside, s.rec("b"))
	for _, path := range []string{outside, path, path} {
		done := make(chan struct{})
		select {
		case reads <- Asked{Path: path, Done: done}:
		case <-time.After(patience):
			t.Fatal("nobody listens")
		}
		select {
		case <-done:
		case <-time.After(patience):
			t.Fatalf("%s is not read", path)
		}
	}
	if got := s.r.entries(); len(got) != 1 {
		t.Errorf("%d entries", len(got))
	}
}
