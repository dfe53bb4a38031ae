package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"testing"
	"time"

	"ctxledger.dev/agents"
	"ctxledger.dev/artifacts"
	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/engine/upkeep"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/storetest/inmemory"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// shopFile is a session that the real Claude Code recorded, see testdata/sessions/README.md.
const shopFile = "../testdata/sessions/shop.jsonl"

// clock is a time that only tests advance.
type clock struct{ now time.Time }

// testEnv returns an environment with a clock that starts where the recorded session ends.
func testEnv() (env.Env, *clock) {
	c := &clock{time.Date(2026, 11, 20, 11, 5, 0, 0, time.UTC)}
	e := env.System()
	e.Now = func() time.Time { return c.now }
	return e, c
}

// volume leaves a test out of a short run: it has one goroutine and much to read, so that under the race detector it
// takes minutes and shows nothing. The run without the detector has it.
func volume(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("one goroutine with a large session: in the run without the race detector")
	}
}

// inMemory has the tests of this package keep their records in memory.
var inMemory = flag.Bool("memory", false, "keep the records of all tests in memory instead of in files")

// inBoth selects the tests that every run has on both kinds of stores. With -memory all of them are.
const inBoth = "Invariant|Append|Memor|Artifact|Compaction"

// onEachStore runs the tests on files and, if all were to run, some of them again in memory.
func onEachStore(m *testing.M) int {
	code := m.Run()
	for _, name := range []string{"test.run", "test.bench", "test.fuzz", "test.list"} {
		if flag.Lookup(name).Value.String() != "" {
			return code
		}
	}
	if code != 0 || *inMemory {
		return code
	}
	*inMemory = true
	if err := errors.Join(flag.Set("test.run", inBoth), flag.Set("test.short", "true")); err != nil {
		panic(err)
	}
	return m.Run()
}

// onStore adds the kind of store to the options of a ledger.
func onStore(o engine.Options) engine.Options {
	if *inMemory {
		o.Store, o.Stores = "memory:"+o.State, kv.Backends{"memory": inmemory.Backend{}}
	}
	return o
}

// stored are the options of the ledger in a directory.
func stored(dir string) engine.Options { return onStore(engine.Options{State: dir, Env: env.System()}) }

// storeIn opens the records of a closed ledger.
func storeIn(dir string) (kv.Store, error) {
	o := stored(dir)
	o.LockWait = 5 * time.Second
	return o.OpenStore()
}

// openOptions opens a ledger on the kind of store that is being tested.
func openOptions(ctx context.Context, o engine.Options) (*engine.Local, error) {
	return engine.Open(ctx, onStore(o))
}

// inFiles leaves a test out that is about the files of a store.
func inFiles(t *testing.T) {
	t.Helper()
	if *inMemory {
		t.Skip("about files, which this kind of store has not")
	}
}

// openIn opens a ledger of the workspace root, with every transaction run twice.
func openIn(t *testing.T, dir, root string) (*engine.Local, *clock) {
	t.Helper()
	e, c := testEnv()
	l, err := openOptions(t.Context(), engine.Options{State: dir, Workspace: root, Env: e, RunTwice: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = l.Close() // a test may have closed it
		sound(t, dir)
	})
	return l, c
}

// sound checks the ledger that a test leaves, against all that the domains and the engine promise.
func sound(t *testing.T, dir string) {
	t.Helper()
	found, err := upkeep.Check(context.Background(), stored(dir))
	if err != nil {
		t.Errorf("check: %v", err)
	}
	for _, f := range found.Damage {
		t.Errorf("check: %s: %s", f.Where, f.What)
	}
}

// openWith opens a new ledger with a policy.
func openWith(t *testing.T, p window.Policy) *engine.Local {
	t.Helper()
	e, _ := testEnv()
	l, err := openOptions(t.Context(), engine.Options{State: t.TempDir(), Env: e,
		Settings: engine.Settings{Policy: &p}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// open returns a fresh ledger of the workspace in which the shop session was recorded.
func open(t *testing.T) *engine.Local {
	t.Helper()
	l, _ := openIn(t, t.TempDir(), "/home/dev/shop")
	return l
}

// shop imports the recorded session and returns its id.
func shop(t *testing.T, l *engine.Local) string {
	t.Helper()
	r, err := agents.Import(t.Context(), l, agents.Source{Path: shopFile}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r.Session
}

// compact compacts a session and returns the plan.
func compact(t *testing.T, l *engine.Local, session string, o compaction.Options) ledger.CompactionPlan {
	t.Helper()
	p, err := ledger.Compact(t.Context(), l, ledger.PlanCompactionRequest{Session: session, Options: o}, "", false)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// render returns the whole view of a session as its provider's messages.
func render(t *testing.T, l *engine.Local, session string) [][]byte {
	t.Helper()
	v, err := ledger.Messages(t.Context(), l, ledger.ViewRequest{Session: session})
	if err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	for _, m := range v.Messages {
		out = append(out, m.JSON)
	}
	return out
}

// originals returns everything that a session received, as one text.
func originals(t *testing.T, l *engine.Local, session string, from, to int64) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := ledger.WriteOriginals(t.Context(), l, &b, session, from, to); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// log returns the whole log of a session.
func log(t *testing.T, l *engine.Local, session string) []sessions.Entry {
	t.Helper()
	var all []sessions.Entry
	for e, err := range ledger.LogEntries(t.Context(), l, ledger.LogRequest{Session: session}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.Entry)
	}
	return all
}

// eventsOf returns the payloads of all events of a kind, oldest first.
func eventsOf[T any](t *testing.T, l *engine.Local, kind string) (out []T) {
	t.Helper()
	resp, err := l.WaitEvents(t.Context(), ledger.WaitEventsRequest{Kinds: []string{kind}, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range resp.Events {
		var data T
		if err := json.Unmarshal(e.Data, &data); err != nil {
			t.Fatalf("event %d: %v in %s", e.Seq, err, e.Data)
		}
		out = append(out, data)
	}
	return out
}

// say makes messages from alternating texts of user and assistant.
func say(texts ...string) [][]byte {
	var out [][]byte
	for i, text := range texts {
		role := transcript.RoleUser
		if i%2 == 1 {
			role = transcript.RoleAssistant
		}
		out = append(out, transcript.NewMessage(transcript.Anthropic, role, text))
	}
	return out
}

// hand hands in messages.
func hand(t *testing.T, l *engine.Local, r ledger.AppendMessagesRequest) ledger.AppendMessagesResponse {
	t.Helper()
	if r.Format == "" {
		r.Format = transcript.Anthropic
	}
	resp, err := l.AppendMessages(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// wantCode fails unless err is of the given kind.
func wantCode(t *testing.T, err error, code fault.Code) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Fatalf("got %q (%v), want %q", fault.CodeOf(err), err, code)
	}
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// compactionOf are the options that keep some turns.
func compactionOf(keep int) compaction.Options { return compaction.Options{Keep: keep} }

func artifactRef(session string) artifacts.Ref { return artifacts.Ref{Session: session} }

// readWhole reads a session file without a ledger.
func readWhole(tb testing.TB, path string) agents.Recording {
	tb.Helper()
	file, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	r, err := agents.Read(file, path)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// toolUse returns an assistant message that calls one tool.
func toolUse(id, tool, input string) []byte {
	return raw(`{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":%q,"input":%s}]}`, id, tool, input)
}
