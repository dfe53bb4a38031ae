package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/ledger"
)

// rounds is how many calls each worker makes.
const rounds = 30

// sharing is what the workers of one workspace have in common.
type sharing struct {
	*sandbox.Sandbox
	session string
	calls   chan struct{} // one for each call that was answered

	mu        sync.Mutex
	memories  []string          // guarded by mu; names whose saving was acknowledged
	artifacts map[string][]byte // guarded by mu; contents by acknowledged handle
	messages  map[string]int    // guarded by mu; acknowledged messages by session

	growing [][]byte // records of a session whose file grows while it is imported
}

// TestFourProcessesShareOneWorkspace has two servers, command lines and the daemon at work on one
// workspace while the daemon is killed. No call may fail, and what was acknowledged has to be there
// afterwards, once: invariants 7 and 8, seen from outside.
func TestFourProcessesShareOneWorkspace(t *testing.T) {
	s := &sharing{
		Sandbox: newBox(t), calls: make(chan struct{}, 10*rounds),
		artifacts: map[string][]byte{}, messages: map[string]int{},
	}
	s.growing = linesFor(t, s.Workspace)
	lines := strings.Split(strings.TrimSpace(string(run(t, s.Sandbox, "import", absolute(t, recording)))), "\n")
	s.session = lines[len(lines)-1]
	left, right := connect(t, s.Sandbox, s.Workspace, "left"), connect(t, s.Sandbox, s.Workspace, "right")
	watching := watch(t, s.Sandbox)
	first := owner(t, s.Sandbox)

	var work sync.WaitGroup
	for name, worker := range map[string]func(context.Context, int) error{
		"left saves": func(ctx context.Context, i int) error {
			return s.save(ctx, left, fmt.Sprintf("left-%d", i))
		},
		"right saves": func(ctx context.Context, i int) error {
			return s.save(ctx, right, fmt.Sprintf("right-%d", i))
		},
		"left hands in":        func(ctx context.Context, i int) error { return s.handIn(ctx, left, i) },
		"right asks":           func(ctx context.Context, _ int) error { return s.ask(ctx, right) },
		"right reads":          func(ctx context.Context, i int) error { return s.readBack(ctx, right, i) },
		"command line puts":    s.put,
		"command line imports": s.grow,
	} {
		work.Go(func() {
			for i := range rounds {
				if err := worker(t.Context(), i); err != nil {
					t.Errorf("%s, call %d: %v", name, i, err)
				}
				s.calls <- struct{}{}
			}
		})
	}
	for range 2 * rounds {
		<-s.calls
	}
	kill(t, first)
	answered := 2*rounds + len(s.calls)
	work.Wait()
	t.Logf("the owner was killed after %d of %d calls", answered, 7*rounds)

	if second := owner(t, s.Sandbox); second == first || second == 0 {
		t.Errorf("the owner is %d after %d was killed", second, first)
	}
	s.checkMemories(t, watching)
	s.checkArtifacts(t)
	s.checkMessages(t)
	s.checkImports(t)
	s.checkRepeatedCompaction(t, left, right)
}

// save saves a memory over MCP.
func (s *sharing) save(ctx context.Context, c *sandbox.Client, name string) error {
	_, err := c.Call(ctx, "memory",
		map[string]any{"action": "save", "name": name, "body": "the body of " + name, "request_id": name}, nil)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.memories = append(s.memories, name)
	}
	return err
}

// handIn hands in a conversation over MCP that grows by two messages with every call.
func (s *sharing) handIn(ctx context.Context, c *sandbox.Client, n int) error {
	var messages []map[string]any
	for i := range n + 1 {
		messages = append(messages,
			map[string]any{"role": "user", "content": fmt.Sprintf("question %d", i)},
			map[string]any{"role": "assistant", "content": fmt.Sprintf("answer %d", i)})
	}
	var got struct {
		Session string `json:"session"`
	}
	_, err := c.Call(ctx, "compact_conversation",
		map[string]any{"messages": messages, "format": "anthropic", "return": "receipt"}, &got)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.messages[got.Session] = len(messages)
	}
	return err
}

// ask makes the calls that change nothing.
func (s *sharing) ask(ctx context.Context, c *sandbox.Client) error {
	for tool, args := range map[string]map[string]any{
		"context_status":       {"session": s.session},
		"changes":              {"session": s.session},
		"memory":               {"action": "recall", "query": "body of left", "scope": "project"},
		"compact_conversation": {"session": s.session, "dry_run": true, "return": "receipt"},
	} {
		if _, err := c.Call(ctx, tool, args, nil); err != nil {
			return err
		}
	}
	return nil
}

// readBack reads one of the artifacts that the command line has put so far.
func (s *sharing) readBack(ctx context.Context, c *sandbox.Client, i int) error {
	s.mu.Lock()
	ids := slices.Sorted(maps.Keys(s.artifacts))
	s.mu.Unlock()
	if len(ids) == 0 {
		return nil
	}
	id := ids[i%len(ids)]
	var got struct {
		Text string `json:"text"`
	}
	if _, err := c.Call(ctx, "read_artifact", map[string]any{"id": id}, &got); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if got.Text != string(s.artifacts[id]) {
		return fmt.Errorf("artifact %s reads %q", id, got.Text)
	}
	return nil
}

// put keeps an artifact with the command line, a process of its own each time. It reads a file: what
// comes through a pipe can be sent only once, and is refused with a hint when the owner dies meanwhile.
func (s *sharing) put(ctx context.Context, i int) error {
	content := fmt.Appendf(nil, "content number %d\n", i)
	path := filepath.Join(s.Top, fmt.Sprintf("content-%d.txt", i))
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return err
	}
	out, err := s.Run(ctx, "artifact", "save", path)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.artifacts[strings.TrimSpace(string(out))] = content
	return nil
}

// grow appends records to a session's file and imports it again, with the command line.
func (s *sharing) grow(ctx context.Context, i int) error {
	path := filepath.Join(s.Top, hostID+".jsonl")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	n := len(s.growing)
	_, err = f.Write(bytes.Join(s.growing[n*i/rounds:n*(i+1)/rounds], nil))
	if err = errors.Join(err, f.Close()); err == nil {
		_, err = s.Run(ctx, "import", path)
	}
	return err
}

// checkMemories wants every acknowledged memory once: in the ledger, and in what a command line saw
// that had been following the events all the time.
func (s *sharing) checkMemories(t *testing.T, watching *watcher) {
	t.Helper()
	if len(s.memories) != 2*rounds {
		t.Errorf("%d of %d memories were acknowledged", len(s.memories), 2*rounds)
	}
	now, err := open(t, s.Sandbox).WaitEvents(deadlined(t), ledger.WaitEventsRequest{After: -1})
	if err != nil {
		t.Fatal(err)
	}
	saved := map[string]int{}
	for i, e := range watching.until(t, now.Next) {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d was followed by event %d", i, e.Seq)
		}
		if e.Kind == ledger.EventMemory {
			saved[e.ID]++
		}
	}
	for _, name := range s.memories {
		if saved[name] != 1 {
			t.Errorf("memory %s was committed %d times", name, saved[name])
		}
		if out := run(t, s.Sandbox, "memory", "get", name); !bytes.Contains(out, []byte("the body of "+name)) {
			t.Errorf("memory %s is %q", name, out)
		}
	}
}

// checkArtifacts wants every acknowledged artifact, byte for byte.
func (s *sharing) checkArtifacts(t *testing.T) {
	t.Helper()
	if len(s.artifacts) != rounds {
		t.Errorf("%d of %d artifacts were acknowledged", len(s.artifacts), rounds)
	}
	for id, content := range s.artifacts {
		if got := run(t, s.Sandbox, "artifact", "read", id); !bytes.Equal(got, content) {
			t.Errorf("artifact %s is %q, not %q", id, got, content)
		}
	}
}

// checkMessages wants the handed in conversation once, whole.
func (s *sharing) checkMessages(t *testing.T) {
	t.Helper()
	if len(s.messages) != 1 {
		t.Errorf("one growing conversation became %d sessions: %v", len(s.messages), s.messages)
	}
	api := open(t, s.Sandbox)
	for id, n := range s.messages {
		got, err := api.Session(deadlined(t), ledger.SessionRequest{Name: id})
		if err != nil || got.Seq != int64(n) {
			t.Errorf("session %s holds %d of %d messages: %v", id, got.Seq, n, err)
		}
	}
}

// checkImports wants the bytes that were imported: at once before, and bit by bit meanwhile.
func (s *sharing) checkImports(t *testing.T) {
	t.Helper()
	api := open(t, s.Sandbox)
	grown, err := api.Session(deadlined(t), ledger.SessionRequest{Name: hostID})
	if err != nil {
		t.Fatal(err)
	}
	for session, want := range map[string][]byte{s.session: read(t, recording), grown.ID: bytes.Join(s.growing, nil)} {
		var got bytes.Buffer
		if _, err := ledger.WriteOriginals(deadlined(t), api, &got, session, 0, 0); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("session %s is not what its file holds", session)
		}
	}
}

// checkRepeatedCompaction wants the same answer for one request that both servers send.
func (s *sharing) checkRepeatedCompaction(t *testing.T, clients ...*sandbox.Client) {
	t.Helper()
	var ids []string
	for _, c := range clients {
		var got struct {
			ID string `json:"summary_id"`
		}
		args := map[string]any{"session": s.session, "return": "receipt", "request_id": "once"}
		if _, err := c.Call(deadlined(t), "compact_conversation", args, &got); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, got.ID)
	}
	if ids[0] == "" || ids[0] != ids[1] {
		t.Errorf("one request was answered with the summaries %q", ids)
	}
}

// owner returns the process id of the daemon.
func owner(t *testing.T, s *sandbox.Sandbox) int {
	t.Helper()
	pid, err := s.Owner(deadlined(t))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// kill ends a process at once, without a chance to tidy up.
func kill(t *testing.T, pid int) {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// absolute returns a path for programs that run elsewhere.
func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
