package forgotten

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/lab/wayback"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// round is one planting and forgetting.
type round struct {
	t    *testing.T
	s    *sandbox.Sandbox
	dice *rand.Rand
	word string
	tale *transcript
}

// The ways to forget.
const (
	byText = iota
	byHandle
	byAge
	ways
)

// TestForgottenIsNowhere plants a word in every field, runs commands, kills them and their daemons, forgets the word and
// searches for it.
func TestForgottenIsNowhere(t *testing.T) {
	for n := range *rounds {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			dice := rand.New(rand.NewPCG(*seed, uint64(n)))
			r := &round{t: t, s: programtest.NewBox(t, bin), dice: dice, word: fmt.Sprintf("qz%08xw", dice.Uint32())}
			r.plant()
			r.disturb()
			r.forget(n % ways)
			r.search("after forgetting")
			if n < *watched {
				r.watch()
			}
			r.end()
		})
	}
}

// run runs a command with an input, and returns what it answered.
func (r *round) run(input string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(r.t.Context(), programtest.Patience)
	defer cancel()
	cmd := r.s.Command(ctx, args...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// must is run, again when a killed daemon made it fail.
func (r *round) must(input string, args ...string) string {
	r.t.Helper()
	var out string
	var err error
	for range 4 {
		if out, err = r.run(input, args...); err == nil {
			return out
		}
	}
	r.t.Fatalf("%v: %v: %s", args, err, out)
	return ""
}

// plant has the word recorded in every way that there is.
func (r *round) plant() {
	r.t.Helper()
	other := &transcript{host: "10000000-0000-4000-8000-000000000000", cwd: r.s.Workspace, branch: "main",
		began: time.Now().Add(-time.Minute)}
	other.user("Something else.")
	other.says(map[string]any{"type": "text", "text": "It is done."})
	r.tale = &transcript{host: "20000000-0000-4000-8000-000000000000", cwd: r.s.Workspace, branch: r.word + "branch",
		began: time.Now().Add(-72 * time.Hour)}
	r.tale.canaries(r.word)
	notes := filepath.Join(r.s.Workspace, "notes")
	for _, err := range []error{r.tale.save(r.s.Config), other.save(r.s.Config), os.Mkdir(notes, 0o700),
		os.WriteFile(r.file(), []byte("content"), 0o600),
		os.WriteFile(filepath.Join(r.s.Workspace, "ctxledger.yaml"), []byte("follow: true\n"), 0o600),
		os.WriteFile(filepath.Join(r.s.Config, "settings.json"), []byte("{}"), 0o600), os.Mkdir(filepath.Join(r.s.Top, "made"), 0o700)} {
		if err != nil {
			r.t.Fatal(err)
		}
	}
	r.must("", "install", "claude-code", "--yes")
	r.must("", "status")
	for _, scope := range []string{"project", "user"} {
		for _, body := range []string{"first", "second"} {
			r.must("", "memory", "save", "--overwrite", "--scope", scope, r.word+"name", "--description", r.word+"what",
				"--body", r.word+body)
		}
	}
	r.must(r.word+"artifact", "artifact", "save", "-", "--title", r.word+"title")
	r.mcp()
	r.hook()
	r.proxied()
	if r.session() == "" {
		r.t.Fatal("the session was not recorded")
	}
	_, _ = r.run("", "compact", "--accept", r.session()) // there may be nothing to do
	if len(rawHits(r.s.Top, r.word)) == 0 {
		r.t.Fatal("nothing is planted")
	}
	for _, pattern := range []string{"user/installed/*.json", "*/settings-*.yaml"} { // which the inventory must have
		if names, err := filepath.Glob(filepath.Join(r.s.State, pattern)); err != nil || len(names) == 0 {
			r.t.Fatalf("no %s: %v", pattern, err)
		}
	}
}

// file has a name with the word.
func (r *round) file() string { return filepath.Join(r.s.Workspace, "notes", r.word+"file.txt") }

// mcp saves and reads through the tools of an agent.
func (r *round) mcp() {
	r.t.Helper()
	c, err := r.s.Connect(r.t.Context(), "ctxmcp")
	if err != nil {
		r.t.Fatal(err)
	}
	defer c.Close() // it has answered
	_, err = c.Call(r.t.Context(), "memory", map[string]any{"action": "save", "name": r.word + "tool",
		"description": r.word, "body": r.word + "body", "request_id": "id-" + fmt.Sprint(r.dice.Uint32())}, nil)
	if err != nil {
		r.t.Fatal(err)
	}
}

// hook has a hook take a long result of a live session.
func (r *round) hook() {
	r.t.Helper()
	file, err := wayback.Make(r.s.Home, wayback.Server)
	if err != nil {
		r.t.Fatal(err)
	}
	event, _ := json.Marshal(map[string]any{"hook_event_name": "PostToolUse", "session_id": r.tale.host,
		"cwd": r.s.Workspace, "transcript_path": file, "tool_name": "mcp__db__" + r.word, "tool_use_id": "toolu_hook",
		"tool_input":    map[string]any{"q": r.word + "query"},
		"tool_response": r.word + "response" + strings.Repeat("\nfiller of an output that is long", 2_000)})
	if out, err := r.run(string(event), "hook", "claude-code", "PostToolUse", wayback.Server); err != nil {
		r.t.Fatalf("hook: %v: %s", err, out)
	}
}

// proxied has a proxy's measurement of a request recorded.
func (r *round) proxied() {
	r.t.Helper()
	api, err := r.s.Open(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	defer api.Close() // it has answered
	_, err = api.NoteRequest(r.t.Context(), ledger.NoteRequestRequest{
		LiveSession: ledger.LiveSession{Host: "claude-code", HostID: r.tale.host, Dir: r.s.Workspace},
		Request: ledger.ModelRequest{At: time.Now(), Dialect: "anthropic", Status: 200, Model: r.word + "model",
			Provider: "anthropic", Endpoint: "http://127.0.0.1/" + r.word, Agent: r.word + "agent", Reply: r.word + "reply",
			New:   []ledger.RequestItem{{Kind: ledger.ItemTool, Name: r.word + "tool", Digest: "0123456789abcdef"}},
			Tools: []ledger.ServerTools{{Server: r.word + "server", Tools: 1}},
			Bill:  sessions.Bill{{Model: r.word + "model", Usage: sessions.Usage{Input: 1}}},
			Cache: ledger.CacheUse{Outcome: ledger.CacheChanged, Item: "tool " + r.word, By: r.word}, Missed: 1,
			MissedWhy: r.word + "why"}})
	if err != nil {
		r.t.Fatal(err)
	}
}

// session returns the id of the session with the word, "" if there is none.
func (r *round) session() string {
	var list struct {
		Sessions []struct {
			ID     string `json:"id"`
			HostID string `json:"host_id"`
		} `json:"sessions"`
	}
	out := r.must("", "sessions", "--json")
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		r.t.Fatalf("%v: %s", err, out)
	}
	for _, s := range list.Sessions {
		if s.HostID == r.tale.host {
			return s.ID
		}
	}
	return ""
}

// disturb runs commands that make copies, and ends them and the daemon at random instants.
func (r *round) disturb() {
	backup := filepath.Join(r.s.Top, "made", "b.tar")
	signals := []os.Signal{os.Kill, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
	for range 2 + r.dice.IntN(3) {
		args := [][]string{{"ledger", "check"}, {"ledger", "backup", backup}, {"ledger", "export"}, {"ledger", "gc"}, {"ledger", "du"}, {"changes"},
			{"audit", "--replay"}}[r.dice.IntN(7)]
		cmd := r.s.Command(r.t.Context(), args...)
		if err := cmd.Start(); err != nil {
			r.t.Fatal(err)
		}
		after, sig := time.Duration(r.dice.IntN(60))*time.Millisecond, signals[r.dice.IntN(len(signals))]
		killed := r.dice.IntN(3) == 0
		r.later(after, func() {
			_ = cmd.Process.Signal(sig) // it may have ended
			if killed {
				r.killOwner()
			}
		})
		_ = cmd.Wait() // by the signal
		_ = os.Remove(backup)
	}
}

// later runs fn after a random time, and waits for it.
func (r *round) later(after time.Duration, fn func()) {
	var wg sync.WaitGroup
	wg.Add(1)
	time.AfterFunc(after, func() { defer wg.Done(); fn() })
	wg.Wait()
}

// killOwner kills the daemon of the workspace, if one runs.
func (r *round) killOwner() {
	if pid, err := r.s.Owner(r.t.Context()); err == nil && pid > 0 {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may have ended
		}
	}
}

// forget forgets all that was planted, in one of the ways, with kills of the daemon in between.
func (r *round) forget(way int) {
	r.t.Helper()
	if r.dice.IntN(2) == 0 {
		after := time.Duration(r.dice.IntN(150)) * time.Millisecond
		done := make(chan struct{})
		go func() { defer close(done); r.later(after, r.killOwner) }()
		defer func() { <-done }()
	}
	if way == byText {
		if out := r.must(r.word, "forget", "--text", "-", "--yes"); !strings.Contains(out, " no copies remain") {
			r.t.Errorf("forget: %s", out)
		}
		return
	}
	if way == byHandle {
		r.must("", "forget", "--yes", r.session())
	} else {
		r.confirmed("ledger", "retain", "--older-than", "48h", "--now")
	}
	for _, a := range r.artifacts() {
		r.must("", "forget", "--yes", a)
	}
	for _, m := range []string{r.word + "name", r.word + "tool"} {
		r.purge("project", m)
	}
	r.purge("user", r.word+"name")
}

// purge forgets a memory. One that is gone was forgotten by a request whose daemon was killed.
func (r *round) purge(scope, name string) {
	r.t.Helper()
	var out string
	var err error
	for range 4 {
		out, err = r.run("", "forget", "--yes", "--memory", name, "--scope", scope)
		if err == nil || strings.Contains(out, "no memory") {
			return
		}
	}
	r.t.Errorf("forget --memory %s: %v: %s", scope, err, out)
}

// confirmed runs a command that destroys, until its daemon is not killed meanwhile.
func (r *round) confirmed(args ...string) {
	r.t.Helper()
	var out string
	var err error
	for range 4 {
		if out, err = r.run("", append(args, "--yes")...); err == nil {
			return
		}
	}
	r.t.Fatalf("%v: %v: %s", args, err, out)
}

// artifacts returns the handles of what a person stored.
func (r *round) artifacts() (ids []string) {
	var list struct {
		Artifacts []struct {
			ID        string  `json:"id"`
			Forgotten *string `json:"forgotten"`
		} `json:"artifacts"`
	}
	out := r.must("", "artifact", "--json")
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		r.t.Fatalf("%v: %s", err, out)
	}
	for _, a := range list.Artifacts {
		if a.Forgotten == nil {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// search fails where the word still is.
func (r *round) search(when string) {
	r.t.Helper()
	for _, hit := range rawHits(r.s.Top, r.word) {
		r.t.Errorf("%s: %s holds the word: %s", when, hit, around(r.s.Top, hit, r.word))
	}
	for _, args := range [][]string{{"status"}, {"sessions", "--json"}, {"artifact"}, {"artifact", "--json"},
		{"memory", "recall", "--json"}, {"changes", "--json"}, {"events", "--json"}, {"ledger", "du", "--json"}, {"config", "window"},
		{"artifact", "read", r.session()}, {"sessions", r.session(), "--json"}, {"status", "--json", r.session()}} {
		out, err := r.run("", args...)
		if err != nil && args[0] == "sessions" && regexp.MustCompile(`session \w+ was (forgotten|expired) on `).MatchString(out) {
			err = nil // of the session: it has nothing to show
		}
		if err != nil || strings.Contains(out, r.word) {
			i := max(0, strings.Index(out, r.word))
			r.t.Errorf("%s: %v: %v: %.300s", when, args, err, out[max(0, i-100):])
		}
	}
	if c, err := r.s.Connect(r.t.Context(), "ctxmcp"); err == nil {
		for tool, args := range map[string]map[string]any{"memory": {"action": "recall"}, "changes": {},
			"context_status": {"session": r.session()}} {
			if out, _ := c.Call(r.t.Context(), tool, args, nil); strings.Contains(out, r.word) {
				r.t.Errorf("%s: the tool %s: %.300s", when, tool, out)
			}
		}
		_ = c.Close()
	}
	for _, m := range unregistered(r.s.State) {
		r.t.Errorf("not in the inventory: %s", m)
	}
}

// watch rewrites what the ledger observes and follows, and looks whether the word comes back.
func (r *round) watch() {
	r.t.Helper()
	r.must("", "status") // a daemon runs
	end := time.Now().Add(*watch)
	for n := 0; time.Now().Before(end); n++ {
		if n%10 == 0 {
			r.tale.b.WriteString("\n")
			r.tale.n++
			_ = os.WriteFile(r.file(), []byte(fmt.Sprint("content ", n)), 0o600)
			if err := r.tale.save(r.s.Config); err != nil {
				r.t.Fatal(err)
			}
		}
		if hits := rawHits(r.s.State, r.word); hits != nil {
			r.t.Fatalf("it came back, in %v: %s", hits, around(r.s.State, hits[0], r.word))
		}
		time.Sleep(100 * time.Millisecond) // the watch itself
	}
	r.search("after watching")
}

// end stops the daemons and looks into the blobs.
func (r *round) end() {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), programtest.Patience)
	defer cancel()
	if out, err := r.run("", "daemon", "stop"); err != nil {
		r.t.Fatalf("%v: %s", err, out)
	}
	hits, err := inBlobs(ctx, r.s.State, r.word)
	if err != nil || len(hits) > 0 {
		r.t.Errorf("after the end: %v, %v", hits, err)
	}
}
