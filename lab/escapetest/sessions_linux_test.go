package escapetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/audit"
	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/changes"
	"ctxledger.dev/engine"
	"ctxledger.dev/engine/observe"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// hurried is how much faster than the system's the clock of what rests between two looks is.
const hurried = 1000

// hurry returns an environment whose clock runs fast.
func (p *place) hurry() env.Env {
	e := p.env(p.inside)
	start := time.Now()
	e.Now = func() time.Time { return start.Add(hurried * time.Since(start)) }
	return e
}

// spy is a ledger that notes what is handed in.
type spy struct {
	*engine.Local
	mu     sync.Mutex
	out    strings.Builder // guarded by mu
	handed chan struct{}   // holds one: something was handed in
}

// newSpy opens a ledger outside the tree.
func newSpy(t testing.TB, p *place, e env.Env) *spy {
	t.Helper()
	l, err := engine.Open(context.Background(),
		engine.Options{State: filepath.Join(p.base, "state"), Workspace: p.inside, Env: e})
	must(t, err)
	t.Cleanup(func() { must(t, l.Close()) })
	return &spy{Local: l, handed: make(chan struct{}, 1)}
}

// note keeps what was handed in for the next read.
func (s *spy) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(&s.out, format, args...)
	select {
	case s.handed <- struct{}{}:
	default:
	}
}

// next waits until something is handed in, shortly, and returns that.
func (s *spy) next(ctx context.Context) (string, bool) {
	soon, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	select {
	case <-s.handed:
	case <-soon.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.out.String()
	s.out.Reset()
	return out, out == ""
}

// RecordStates implements observe.Ledger.
func (s *spy) RecordStates(ctx context.Context, r ledger.RecordStatesRequest) (ledger.RecordStatesResponse, error) {
	for _, o := range r.States {
		s.note("%s %s size=%d\n", o.State.Path, o.State.Hash, o.State.Size)
	}
	return s.Local.RecordStates(ctx, r)
}

// ImportState implements agents.Ledger.
func (s *spy) ImportState(ctx context.Context, r ledger.ImportStateRequest) (ledger.ImportState, error) {
	s.note("looks at %s\n", r.Import)
	return s.Local.ImportState(ctx, r)
}

// AppendEntries implements agents.Ledger.
func (s *spy) AppendEntries(ctx context.Context, r ledger.AppendEntriesRequest) (ledger.AppendEntriesResponse, error) {
	for _, e := range r.Entries {
		s.note("%s\n", e.Original)
	}
	return s.Local.AppendEntries(ctx, r)
}

// until runs something until the test ends.
func until(t testing.TB, run func(ctx context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

var observeSubject = subject{
	name:   "observer",
	inside: map[string]string{"a.txt": "a", "d/b.txt": "b", ".gitignore": "*.log\n"},
	outside: map[string]string{"a.txt": words(many), "d/b.txt": words(many), "d/" + canary + ".txt": "x",
		".gitignore": "*\n"},
	targets: []target{{path: "a.txt"}, {path: "d", dir: true}, {path: "d/b.txt"}, {path: ".gitignore"}},
	stirs:   true,
	leaks:   func(out string) bool { return strings.Contains(out, fmt.Sprintf("size=%d", len(words(many)))) },
	start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
		e := p.hurry()
		s := newSpy(t, p, e)
		var entries []sessions.NewEntry
		for i, name := range []string{"a.txt", "d/b.txt"} {
			entries = append(entries, sessions.NewEntry{Kind: sessions.KindMessage, Time: e.Now(),
				Format: transcript.Anthropic, Original: fmt.Appendf(nil,
					`{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Write",`+
						`"input":{"file_path":%q,"content":"x"}}]}`, i, filepath.Join(p.inside, name))})
		}
		_, err := s.Local.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
			Import: "a", Session: sessions.Session{Host: "h", HostID: "a", Dir: p.inside}, Next: 1, Done: true,
			Entries: entries,
		})
		must(t, err)
		until(t, func(ctx context.Context) error { return observe.Run(ctx, s, observe.Options{Env: e}) })
		return s.next
	},
}

// What is outside has the lines that a session read, and was observed: only if it is read, they are known to be there still.
var partsSubject = subject{
	name:    "parts that were read",
	inside:  map[string]string{"a.txt": "a\n", "d/b.txt": "b\n"},
	outside: map[string]string{"a.txt": canary + "\n", "d/b.txt": canary + "\n"},
	targets: []target{{path: "a.txt"}, {path: "d", dir: true}, {path: "d/b.txt"}},
	leaks:   func(out string) bool { return strings.Contains(out, ".txt") },
	start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
		e := p.env(p.inside)
		s := newSpy(t, p, e)
		sum := sha256.Sum256([]byte(canary + "\n"))
		var entries []sessions.NewEntry
		var seen []ledger.Observation
		for i, name := range []string{"a.txt", "d/b.txt"} {
			for _, message := range []string{
				fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Read",`+
					`"input":{"file_path":%q,"offset":3,"limit":1}}]}`, i, filepath.Join(p.inside, name)),
				fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":%q}]}`, i, "3\t"+canary),
			} {
				entries = append(entries, sessions.NewEntry{Kind: sessions.KindMessage, Time: e.Now(),
					Format: transcript.Anthropic, Original: []byte(message)})
			}
			seen = append(seen, ledger.Observation{Seen: e.Now().Add(time.Hour), State: changes.State{Path: name, Exists: true,
				Size: int64(len(canary) + 1), Modified: e.Now(), Hash: hex.EncodeToString(sum[:])}})
		}
		r, err := s.Local.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
			Import: "a", Session: sessions.Session{Host: "h", HostID: "a", Dir: p.inside}, Next: 1, Done: true,
			Entries: entries,
		})
		must(t, err)
		_, err = s.Local.RecordStates(t.Context(), ledger.RecordStatesRequest{States: seen})
		must(t, err)
		return func(ctx context.Context) (string, bool) {
			resp, err := s.Changes(ctx, ledger.ChangesRequest{Session: r.Session, Limit: 1})
			return strings.Join(resp.Parts, " "), err != nil
		}
	},
}

// said is a line of a session file.
func said(id, cwd, text string) string {
	return fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":%q},`+
		`"uuid":"%s-%d","timestamp":"2026-11-20T11:00:47.542Z","cwd":%q,"sessionId":%q,"version":"2.1.328"}`,
		text, id, len(text), cwd, id) + "\n"
}

// Session files outside begin as those inside: else it would be seen that they are others.
var (
	sessionFiles = map[string]string{
		"s1.jsonl":                   said("s1", workPlace, "hello"),
		"s1/subagents/agent-2.jsonl": said("s1", workPlace, "hello agent"),
	}
	foreignFiles = map[string]string{
		"s1.jsonl":                   said("s1", workPlace, "hello") + said("s1", "/"+canary, canary),
		"s1/subagents/agent-2.jsonl": said("s1", workPlace, "hello agent") + said("s1", "/"+canary, canary),
	}
	sessionsAt = []target{{path: "s1.jsonl"}, {path: "s1", dir: true}, {path: "s1/subagents", dir: true},
		{path: "s1/subagents/agent-2.jsonl"}}
)

// workPlace is the directory of the sessions. It need not exist.
const workPlace = "/home/dev/work"

var followSubject = subject{
	name: "follower", root: "home/.claude/projects/-home-dev-work",
	inside: sessionFiles, outside: foreignFiles, targets: sessionsAt, stirs: true, foreign: true,
	start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
		e := p.env(p.inside)
		if dir := claudecode.ProjectDir(e, workPlace); dir != p.inside {
			t.Fatalf("sessions of %s lie in %s", workPlace, dir)
		}
		s := newSpy(t, p, e)
		until(t, func(ctx context.Context) error {
			return agents.Follow(ctx, s, agents.FollowOptions{Workspace: workPlace, Env: e})
		})
		return s.next
	},
}

var auditSubject = subject{
	name: "audit DIRECTORY", inside: sessionFiles, outside: foreignFiles, targets: sessionsAt, foreign: true,
	start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
		return func(ctx context.Context) (string, bool) {
			found, err := audit.Run(ctx, audit.Options{
				Env: p.env(p.inside), Paths: []string{p.inside}, Models: tokens.Builtin(), Zone: time.UTC,
				Expect: func(int64) {}, Advance: func(int64) {},
			})
			if err != nil {
				return err.Error(), true
			}
			raw, err := json.Marshal(found)
			must(t, err)
			return string(raw), found.Files < 2
		}
	},
}
