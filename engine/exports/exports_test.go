package exports_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"ctxledger.dev/engine"
	"ctxledger.dev/engine/exports"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open returns a fresh ledger.
func open(t *testing.T) (*engine.Local, env.Env) {
	t.Helper()
	e := env.System()
	e.Now = func() time.Time { return time.Date(2026, 5, 27, 15, 30, 0, 123e6, time.UTC) }
	l, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Workspace: "/w", Env: e})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l, e
}

// act is one tool call with its result.
type act struct {
	name, args, result string
	failed             bool
}

// turn makes the messages of a turn: a request, and calls with their results.
func turn(request string, acts ...act) (messages [][]byte) {
	add := func(role transcript.Role, content any) {
		raw, err := json.Marshal(map[string]any{"role": role, "content": content})
		if err != nil {
			panic(err)
		}
		messages = append(messages, raw)
	}
	add(transcript.RoleUser, request)
	for i, a := range acts {
		id := fmt.Sprintf("%s-%d", request, i)
		add(transcript.RoleAssistant,
			[]any{map[string]any{"type": "tool_use", "id": id, "name": a.name, "input": json.RawMessage(a.args)}})
		add(transcript.RoleUser,
			[]any{map[string]any{"type": "tool_result", "tool_use_id": id, "is_error": a.failed, "content": a.result}})
	}
	add(transcript.RoleAssistant, "done with "+request)
	return messages
}

// record hands in turns as one session.
func record(t *testing.T, l ledger.API, session string, turns ...[][]byte) string {
	t.Helper()
	r, err := l.AppendMessages(t.Context(), ledger.AppendMessagesRequest{
		Session: session, Since: session != "", Host: "agent", Format: transcript.Anthropic, Messages: bytesOf(turns),
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.Session
}

func bytesOf(turns [][][]byte) (all [][]byte) {
	for _, t := range turns {
		all = append(all, t...)
	}
	return all
}

// export writes all sessions and reads the files again.
func export(t *testing.T, l ledger.API, e env.Env, ids ...string) (exports.Changes, exports.Intents) {
	t.Helper()
	var all []sessions.Session
	for _, id := range ids {
		s, err := l.Session(t.Context(), ledger.SessionRequest{Name: id})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	dir := filepath.Join(t.TempDir(), "new", "dir")
	if _, err := exports.Write(t.Context(), l, e, dir, all); err != nil {
		t.Fatal(err)
	}
	return read(t, dir)
}

// read reads both files of a directory, which have to be complete and private.
func read(t *testing.T, dir string) (c exports.Changes, i exports.Intents) {
	t.Helper()
	for name, load := range map[string]func([]byte) error{
		exports.ChangesFile: func(raw []byte) error { return json.Unmarshal(raw, &c) },
		exports.IntentsFile: func(raw []byte) error { return json.Unmarshal(raw, &i) },
	} {
		path := filepath.Join(dir, name)
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(raw) || !bytes.HasSuffix(raw, []byte("}\n")) {
			t.Errorf("%s is not complete: %s", name, raw)
		}
		if err := load(raw); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	return c, i
}

// TestWhatCallsDidIsExported: one case a line of the documented table.
func TestWhatCallsDidIsExported(t *testing.T) {
	write := func(path string) act {
		return act{name: "write_file", args: `{"path":"` + path + `","content":"x"}`, result: "ok"}
	}
	long := strings.Repeat("界", 5000)
	for _, test := range []struct {
		name string
		acts []act
		want exports.Turn
	}{
		{"write_file and patch_file give a write", []act{write("a.go"),
			{name: "patch_file", args: `{"path":"b.go","oldText":"x","newText":"y"}`, result: "ok"}},
			exports.Turn{FilesWritten: []string{"a.go", "b.go"}}},
		{"the same file twice is listed once", []act{write("a.go"), write("a.go")},
			exports.Turn{FilesWritten: []string{"a.go"}}},
		{"move_file gives one write and one delete",
			[]act{{name: "move_file", args: `{"source":"a.go","destination":"b.go"}`, result: "ok"}},
			exports.Turn{FilesWritten: []string{"b.go"}, FilesDeleted: []string{"a.go"}}},
		{"copy_file gives one write",
			[]act{{name: "copy_file", args: `{"source":"a.go","destination":"b.go"}`, result: "ok"}},
			exports.Turn{FilesWritten: []string{"b.go"}}},
		{"delete_file gives a delete", []act{{name: "delete_file", args: `{"path":"a.go"}`, result: "ok"}},
			exports.Turn{FilesDeleted: []string{"a.go"}}},
		{"a failed write is not in FilesWritten", []act{write("a.go"),
			{name: "write_file", args: `{"path":"b.go","content":"x"}`, result: "denied", failed: true}},
			exports.Turn{FilesWritten: []string{"a.go"}}},
		{"a command that succeeds", []act{{name: "shell_run", args: `{"command":"go test ./..."}`, result: "ok ..."}},
			exports.Turn{CommandsRun: []exports.CommandRun{{Command: "go test ./...", Succeeded: true,
				Output: "ok ..."}}}},
		{"a failed command is there with false",
			[]act{{name: "shell_run", args: `{"command":"go test ./..."}`, result: "FAIL", failed: true}},
			exports.Turn{CommandsRun: []exports.CommandRun{{Command: "go test ./...", Output: "FAIL"}}}},
		{"a status wins over the text",
			[]act{{name: "shell_run", args: `{"command":"grep ERROR log"}`, result: "[ERROR] a line of the log"}},
			exports.Turn{CommandsRun: []exports.CommandRun{{Command: "grep ERROR log", Succeeded: true,
				Output: "[ERROR] a line of the log"}}}},
		{"git_commit", []act{{name: "git_commit", args: `{"message":"feat: users api"}`, result: "ok"}},
			exports.Turn{GitCommits: []string{"feat: users api"}}},
		{"sed -i through the shell is a write",
			[]act{{name: "Bash", args: `{"command":"sed -i s/a/b/ src/a.go"}`, result: ""}},
			exports.Turn{FilesWritten: []string{"src/a.go"}, FilesVia: map[string]string{"src/a.go": "shell"},
				CommandsRun: []exports.CommandRun{{Command: "sed -i s/a/b/ src/a.go", Succeeded: true}}}},
		{"output is cut at 4,096 characters, a command with a mark",
			[]act{{name: "shell_run", args: `{"command":"` + long + `"}`, result: long}},
			exports.Turn{CommandsRun: []exports.CommandRun{{Command: strings.Repeat("界", 4096) + "…", Succeeded: true,
				Output: strings.Repeat("界", 4096)}}}},
		{"a command over 1,000 characters is whole",
			[]act{{name: "shell_run", args: `{"command":"` + long[:6000] + `"}`, result: "x"}},
			exports.Turn{CommandsRun: []exports.CommandRun{{Command: long[:6000], Succeeded: true, Output: "x"}}}},
		{"binary output is its size", []act{{name: "shell_run", args: `{"command":"cat x"}`, result: "\x00\x01\x02"}},
			exports.Turn{CommandsRun: []exports.CommandRun{{Command: "cat x", Succeeded: true,
				Output: "(binary output, 3 bytes)"}}}},
		{"output that became an artifact",
			[]act{{name: "shell_run", args: `{"command":"cat x"}`, result: strings.Repeat("0123456789", 10_000)}},
			exports.Turn{CommandsRun: []exports.CommandRun{{Command: "cat x", Succeeded: true,
				Output: strings.Repeat("0123456789", 410)[:4096]}}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, e := open(t)
			c, _ := export(t, l, e, record(t, l, "", turn("nothing"), turn("go", test.acts...)))
			if len(c.Entries) != 1 {
				t.Fatalf("%d entries: %+v", len(c.Entries), c.Entries)
			}
			got := c.Entries[0]
			if got.Agent != "agent" || got.TurnIndex != 1 || got.SessionID == "" || got.Timestamp == "" {
				t.Errorf("%+v", got)
			}
			want := test.want
			for _, list := range []*[]string{&want.FilesWritten, &want.FilesDeleted, &want.GitCommits} {
				if *list == nil {
					*list = []string{}
				}
			}
			if want.CommandsRun == nil {
				want.CommandsRun = []exports.CommandRun{}
			}
			want.Agent, want.TurnIndex, want.Timestamp, want.SessionID = got.Agent, got.TurnIndex, got.Timestamp,
				got.SessionID
			if diff := cmp.Diff(asJSON(t, want), asJSON(t, got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestASessionThatGoesOnKeepsItsOutputs: what comes before the first turn, such as a host's summary, does not end the turns.
func TestASessionThatGoesOnKeepsItsOutputs(t *testing.T) {
	l, e := open(t)
	earlier := turn("earlier")[1:] // an answer without its request
	c, _ := export(t, l, e, record(t, l, "", earlier,
		turn("go", act{name: "shell_run", args: `{"command":"go test ./..."}`, result: "ok ..."})))
	if len(c.Entries) != 1 || len(c.Entries[0].CommandsRun) != 1 || c.Entries[0].CommandsRun[0].Output != "ok ..." {
		t.Errorf("%+v", c.Entries)
	}
}

// asJSON writes one turn.
func asJSON(t *testing.T, turn exports.Turn) string {
	t.Helper()
	var b bytes.Buffer
	if err := (exports.Changes{Entries: []exports.Turn{turn}}).Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTwoSessionsInterleavedKeepTheirOwn(t *testing.T) {
	l, e := open(t)
	write := func(s string, n int) [][]byte {
		return turn(fmt.Sprint(s, n), act{name: "write_file",
			args: fmt.Sprintf(`{"path":"%s%d.go","content":"x"}`, s, n), result: "ok"})
	}
	a, b := record(t, l, "", write("a", 0)), record(t, l, "", write("b", 0))
	for n := 1; n < 20; n++ {
		record(t, l, a, write("a", n))
		record(t, l, b, write("b", n))
	}
	c, i := export(t, l, e, a, b)
	if len(c.Entries) != 40 || len(i.Entries) != 40 {
		t.Fatalf("%d turns and %d intents", len(c.Entries), len(i.Entries))
	}
	for n, got := range c.Entries {
		s, id := "a", a
		if n >= 20 {
			s, id = "b", b
		}
		if want := fmt.Sprintf("%s%d.go", s, n%20); got.SessionID != id || got.TurnIndex != n%20 ||
			len(got.FilesWritten) != 1 || got.FilesWritten[0] != want {
			t.Errorf("entry %d: %+v, want %s of %s", n, got, want, id)
		}
		if in := i.Entries[n]; in.SessionID != id || in.TurnIndex != n%20 || in.Status != intents.Applied ||
			in.Operation.FunctionName != "write_file" {
			t.Errorf("intent %d: %+v", n, in)
		}
	}
}

func TestACallThatFailedIsAFailedIntent(t *testing.T) {
	l, e := open(t)
	long := strings.Repeat("x", 400)
	_, i := export(t, l, e, record(t, l, "", turn("go",
		act{name: "patch_file", args: `{"path":"a.go","oldText":"` + long + `"}`, result: "not found: " + long,
			failed: true},
	)))
	got := i.Entries[0]
	if got.Status != intents.Failed || len([]rune(got.ErrorMessage)) != 301 || got.CompletedAt == "" ||
		got.Operation.TargetPath != "a.go" {
		t.Errorf("%+v", got)
	}
	if n := len([]rune(got.Operation.ArgsSummary["oldText"])); n != 201 {
		t.Errorf("an argument of %d characters", n)
	}
}

// TestFollowKeepsTheActiveSessionUpToDate: written at the start, after a change, and at once when
// something was forgotten; between writings it rests 99 times as long as one took.
// The output of a command in the background is not that it was put there.
func TestACommandInTheBackgroundIsExportedWithItsEnd(t *testing.T) {
	l, e := open(t)
	id := record(t, l, "", turn("go", act{"Bash", `{"command":"make"}`,
		"Command running in background with ID: b1. Output is being written to: /tmp/b1.output.", false}),
		turn("<task-notification>\n<task-id>b1</task-id>\n<status>failed</status>\n"+
			"<summary>Background command \"make\" failed with exit code 2</summary>\n</task-notification>"))
	c, _ := export(t, l, e, id)
	if run := c.Entries[0].CommandsRun[0]; run.Succeeded ||
		run.Output != `Background command "make" failed with exit code 2` {
		t.Errorf("%+v", run)
	}
}

func TestFollowKeepsTheActiveSessionUpToDate(t *testing.T) {
	l, e := open(t)
	clock := time.Date(2026, 5, 27, 15, 30, 0, 0, time.UTC)
	e.Now = func() time.Time { clock = clock.Add(50 * time.Millisecond); return clock } // a writing takes as long
	info, err := l.Info(t.Context(), ledger.InfoRequest{})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(info.State, exports.Dir)
	waits, again := make(chan time.Duration), make(chan bool)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- exports.Follow(ctx, l, exports.Options{Env: e, Wait: func(ctx context.Context, d time.Duration) {
			select {
			case waits <- d:
				<-again
			case <-ctx.Done():
			}
		}})
	}()
	command := func(n int) [][]byte {
		return turn(fmt.Sprint(n), act{name: "shell_run", args: `{"command":"echo"}`,
			result: fmt.Sprintf("token-%d-hunter2hunter2", n)})
	}
	s := record(t, l, "", command(0))
	// nudge records turns until Follow has seen one and rests, and returns for how long it wants to.
	nudge := func(n int) time.Duration {
		for {
			record(t, l, s, command(n))
			select {
			case d := <-waits:
				return d
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
	if d := nudge(1); d < time.Second {
		t.Errorf("rests %v at first", d)
	}
	again <- true
	if d := nudge(2); d != 99*50*time.Millisecond {
		t.Errorf("rests %v after a writing of 50 ms", d)
	}
	if c, i := read(t, dir); len(c.Entries) < 2 || len(i.Entries) < 2 || c.ActiveSessionID != s ||
		i.ActiveSessionID != s {
		t.Errorf("%d turns, %d intents", len(c.Entries), len(i.Entries))
	}
	again <- true
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Text: "token-1-hunter2hunter2"}); err != nil {
		t.Fatal(err)
	}
	nudge(3)
	raw, err := os.ReadFile(filepath.Join(dir, exports.ChangesFile))
	if err != nil || bytes.Contains(raw, []byte("token-1")) || !bytes.Contains(raw, []byte("token-0")) {
		t.Errorf("after forgetting: %s, %v", raw, err)
	}
	stop()
	again <- true
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.partial")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestALiveFileStaysSmall: of a long session the end is written, and how much is not is said.
func TestALiveFileStaysSmall(t *testing.T) {
	l, e := open(t)
	var turns [][][]byte
	for n := range 700 {
		turns = append(turns, turn(fmt.Sprint(n),
			act{name: "shell_run", args: fmt.Sprintf(`{"command":"echo %d"}`, n),
				result: strings.Repeat("<&>\n", 1200)}))
	}
	s := record(t, l, "", turns...)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- exports.Follow(ctx, l, exports.Options{Env: e, Wait: func(context.Context, time.Duration) { stop() }})
	}()
	for running := true; running; {
		record(t, l, s, turn("more")) // until it has seen one of them, and rests
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			running = false
		case <-time.After(100 * time.Millisecond):
		}
	}
	info, err := l.Info(t.Context(), ledger.InfoRequest{})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(info.State, exports.Dir)
	st, err := os.Stat(filepath.Join(dir, exports.ChangesFile))
	if err != nil || st.Size() > 2<<20 || st.Size() < 1<<20 {
		t.Errorf("%d bytes, %v", st.Size(), err)
	}
	c, _ := read(t, dir)
	if n := len(c.Entries); c.Dropped == 0 || c.Dropped+n != 700 ||
		c.Entries[n-1].CommandsRun[0].Command != "echo 699" {
		t.Errorf("%d entries, %d dropped", n, c.Dropped)
	}
}

// TestSecretsAreMaskedInExports: the one exit of exports masks, and what is written stays a document.
func TestSecretsAreMaskedInExports(t *testing.T) {
	token := "gh" + "p_" + "R7tGq2LmXw9ZbV4cNf8KsYd3HpJ6uTe1aQoB" // of no account
	l, e := open(t)
	c, i := export(t, l, e, record(t, l, "", turn("go", act{
		name: "shell_run", args: `{"command":"push --token ` + token + `"}`, result: "pushed with\n" + token,
		failed: true,
	})))
	run, in := c.Entries[0].CommandsRun[0], i.Entries[0]
	for what, text := range map[string]string{
		"command": run.Command, "output": run.Output, "error": in.ErrorMessage, "intent": in.Operation.Command,
		"argument": in.Operation.ArgsSummary["command"],
	} {
		if strings.Contains(text, token) || len(text) < 20 {
			t.Errorf("%s: %s", what, text)
		}
	}
}

// A link in the place of the directory once led the live files out of the state directory.
func TestLiveExportsStayInTheStateDirectory(t *testing.T) {
	l, e := open(t)
	record(t, l, "", turn("first"))
	info, err := l.Info(t.Context(), ledger.InfoRequest{})
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(info.State, exports.Dir)); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // for a follower that writes, and waits for more
	err = exports.Follow(ctx, l, exports.Options{Env: e, Wait: func(context.Context, time.Duration) { cancel() }})
	if err != nil {
		t.Fatal(err)
	}
	if names, err := os.ReadDir(elsewhere); len(names) > 0 || err != nil {
		t.Errorf("written elsewhere: %v, %v", names, err)
	}
}

// leaving ends a follower when it waits for more after it has looked at a session.
type leaving struct {
	ledger.API
	looked *bool
	leave  func()
}

func (l leaving) WaitEvents(ctx context.Context, r ledger.WaitEventsRequest) (ledger.WaitEventsResponse, error) {
	if *l.looked && r.WaitMS > 0 {
		l.leave()
	}
	return l.API.WaitEvents(ctx, r)
}

// Where a tree's own configuration has no exports, none are written of its sessions.
func TestASessionThatIsSkippedIsNotExported(t *testing.T) {
	l, e := open(t)
	record(t, l, "", turn("first"))
	info, err := l.Info(t.Context(), ledger.InfoRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, skip := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		looked := false
		err = exports.Follow(ctx, leaving{l, &looked, cancel}, exports.Options{
			Env: e, Wait: func(context.Context, time.Duration) {}, Skip: func(sessions.Session) bool {
				looked = true
				return skip
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err := os.Stat(filepath.Join(info.State, exports.Dir, exports.ChangesFile))
		if written := err == nil; written == skip {
			t.Errorf("skipped: %t, written: %t", skip, written)
		}
	}
}
