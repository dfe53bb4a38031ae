package daemon

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/pulse"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

func contents(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestADaemonLeavesWhenNobodyIsThere(t *testing.T) {
	state := stateDir(t)
	r := run(t, Config{State: state, Idle: 50 * time.Millisecond})
	if err := r.wait(t); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(state)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); name == link.OwnerName || name == socketName {
			t.Errorf("%s was left", name)
		}
	}
	if log := string(contents(t, r.log)); !strings.Contains(log, errIdle.Error()) {
		t.Errorf("the log does not say why:\n%s", log)
	}
}

// TestADaemonLeavesClientsThatAskNothing: they go on with the next owner, and nothing is lost.
func TestADaemonLeavesClientsThatAskNothing(t *testing.T) {
	state := stateDir(t)
	o := optionsFor(t, state)
	r := run(t, Config{State: state, Workspace: o.Workspace, Idle: 50 * time.Millisecond})
	api := open(t, o)
	save(t, api, "fact")
	if err := r.wait(t); err != nil {
		t.Fatal(err)
	}
	if got, err := api.Memory(deadlined(t), ledger.MemoryRequest{Name: "fact"}); err != nil || got.Body != "fact" {
		t.Errorf("after the next owner began: %+v, %v", got, err)
	}
}

// TestWhatUsesAnOwner: a poll keeps it, but does not keep its caches.
func TestWhatUsesAnOwner(t *testing.T) {
	now := time.Unix(1e9, 0)
	var p presence
	p.init(env.Env{Now: func() time.Time { return now }})
	is := func(what string, asked int, idle time.Duration) {
		t.Helper()
		if _, a, i := p.now(); a != asked || i != idle {
			t.Errorf("%s: %d asked, idle for %s", what, a, i)
		}
	}
	now = now.Add(time.Minute)
	polled := p.begin(true)
	is("a poll", 1, time.Minute)
	called := p.begin(false)
	now = now.Add(time.Second)
	is("a call under way", 2, time.Second)
	called()
	is("a call that ended", 1, 0)
	now = now.Add(time.Hour)
	polled()
	is("nothing", 0, time.Hour)
}

// TestALiveSessionKeepsItsOwner: to add a case, add a row.
func TestALiveSessionKeepsItsOwner(t *testing.T) {
	const idle = 2 * time.Minute
	for name, c := range map[string]struct {
		age          time.Duration // of the session's newest entry
		ended        bool          // whether a hook said that its agent ended
		before, then time.Duration // idle times
		leaves       bool
	}{
		"live":                       {age: 9 * time.Minute, before: idle - 1, then: idle},
		"ended":                      {age: time.Minute, ended: true, before: idle - 1, then: idle, leaves: true},
		"of an hour ago":             {age: time.Hour, before: idle - 1, then: idle, leaves: true},
		"made up":                    {age: -time.Hour, before: idle - 1, then: idle, leaves: true},
		"too soon":                   {age: time.Hour, before: idle - 2, then: idle - 1},
		"looked already":             {age: time.Hour, before: idle, then: idle + 1},
		"the ledger was used again":  {age: time.Hour, before: idle, then: 1},
		"another idle timeout later": {age: time.Hour, before: 2*idle - 1, then: 2 * idle, leaves: true},
	} {
		t.Run(name, func(t *testing.T) {
			e := env.System()
			l, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Workspace: "/ws", Env: e})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close() // nothing is of interest but the answer
			s := sessions.Session{Host: "h", HostID: "a"}
			_, err = l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
				Import: "a", Session: s, Done: true, Next: 1,
				Entries: []sessions.NewEntry{{Kind: sessions.KindMessage, Format: transcript.Anthropic,
					Time: e.Now().Add(-c.age), Original: []byte(`{"role":"user","content":"Hello."}`)}}})
			if err == nil && c.ended {
				_, err = l.NoteStage(t.Context(), ledger.NoteStageRequest{Stage: ledger.StageEnded,
					LiveSession: ledger.LiveSession{Host: s.Host, HostID: s.HostID}})
			}
			if err != nil {
				t.Fatal(err)
			}
			d := &daemon{config: Config{Env: e, Idle: idle}, api: l}
			if leaves := d.unneeded(t.Context(), c.before, c.then); leaves != c.leaves {
				t.Errorf("leaves: %v", leaves)
			}
		})
	}
}

func TestADaemonLeavesWithItsStateDirectory(t *testing.T) {
	state := stateDir(t)
	r := run(t, Config{State: state})
	old := published(t, state)
	until(t, "the directory is removed", func() bool { // it fails while the daemon makes a file in it
		return os.RemoveAll(state) == nil
	})
	// The next owner begins at once, in a directory of the same name.
	o := optionsFor(t, state)
	save(t, open(t, o), "fact")
	_ = r.wait(t) // closing a ledger without files may fail: nothing can be lost any more
	if now := published(t, state); now.Token == old.Token {
		t.Error("the old owner is still published")
	}
	if s, err := Status(deadlined(t), state); err != nil || !s.Running {
		t.Errorf("the new owner has been disturbed: %+v, %v", s, err)
	}
}

func TestOwnerJSONComesBack(t *testing.T) {
	state := stateDir(t)
	run(t, Config{State: state})
	self := published(t, state)
	path := filepath.Join(state, link.OwnerName)
	for _, c := range []struct {
		name string
		do   func(t *testing.T)
	}{
		{"removed", func(t *testing.T) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}},
		{"truncated", func(t *testing.T) { write(t, path, "{") }},
		{"another's", func(t *testing.T) { // a restored copy of the directory, say
			other := self
			other.Token = "another"
			if err := publish(other, state); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.do(t)
			until(t, "owner.json is published again", func() bool {
				o, err := link.ReadOwner(state)
				return err == nil && o.Token == self.Token
			})
		})
	}
}

// TestADaemonLeavesWithItsLedger removes the ledger alone: what a daemon wrote on would be gone with it.
func TestADaemonLeavesWithItsLedger(t *testing.T) {
	state := stateDir(t)
	r := run(t, Config{State: state})
	if err := os.Remove(filepath.Join(state, "ledger.db")); err != nil {
		t.Fatal(err)
	}
	_ = r.wait(t) // what closing an unlinked ledger says does not matter
	if log := string(contents(t, r.log)); !strings.Contains(log, errGone.Error()) {
		t.Errorf("the log does not say why:\n%s", log)
	}
	api := open(t, optionsFor(t, state))
	save(t, api, "fact")
	if err := link.Stop(deadlined(t), state); err != nil {
		t.Fatal(err)
	}
	if got, err := api.Memory(deadlined(t), ledger.MemoryRequest{Name: "fact"}); err != nil || got.Body != "fact" {
		t.Errorf("after the next owner: %+v, %v", got, err)
	}
}

func TestBackgroundTasksAreWaitedForAndMayFail(t *testing.T) {
	state := stateDir(t)
	ended := make(chan struct{})
	o := optionsFor(t, state)
	r := run(t, Config{State: state, Workspace: o.Workspace, Background: tasks(
		Task{Name: "failing", Run: func(context.Context, ledger.API, *pulse.Pulse) error {
			return errors.New("a task that fails with ghp_" + strings.Repeat("Ab1x", 9))
		}},
		Task{Name: "panicking", Run: func(context.Context, ledger.API, *pulse.Pulse) error {
			panic("a task that panics")
		}},
		Task{Name: ledger.TaskFollow, Run: func(ctx context.Context, api ledger.API, p *pulse.Pulse) error {
			p.Rest()
			<-ctx.Done()
			_, err := api.SaveMemory(context.WithoutCancel(ctx), fact("last words"))
			close(ended)
			return err
		}},
	)})
	api := open(t, o)
	until(t, "two tasks have failed", func() bool {
		return strings.Count(string(contents(t, r.log)), "background task") == 2
	})
	var info ledger.Info
	got := map[string]string{}
	until(t, "the third one rests", func() (rests bool) {
		var err error
		if info, err = api.Info(deadlined(t), ledger.InfoRequest{}); err != nil {
			t.Fatal(err)
		}
		for _, x := range info.Tasks {
			got[x.Name] = x.State
		}
		return got[ledger.TaskFollow] == ledger.TaskWaiting
	})
	if !info.Following || info.PID != os.Getpid() || info.Clients != 1 {
		t.Errorf("info %+v", info)
	}
	for _, x := range info.Tasks {
		if strings.Contains(x.Trouble(), "ghp_") {
			t.Errorf("a secret leaves through %q", x.Trouble())
		}
	}
	for _, name := range []string{"failing", "panicking"} {
		if got[name] != ledger.TaskFailed {
			t.Errorf("%s: %q, want %q", name, got[name], ledger.TaskFailed)
		}
	}
	if err := link.Stop(deadlined(t), state); err != nil {
		t.Fatal(err)
	}
	if err := r.wait(t); err != nil {
		t.Fatal(err)
	}
	<-ended
	saved, err := api.Memory(deadlined(t), ledger.MemoryRequest{Name: "last words"})
	if err != nil || saved.Body != "last words" {
		t.Errorf("what the task did at the end: %+v, %v", saved, err)
	}
}

func TestASecondDaemonIsRefused(t *testing.T) {
	state := stateDir(t)
	run(t, Config{State: state})
	before := published(t, state)
	err := Run(deadlined(t), Config{State: state, Env: env.System()})
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("error %v", err)
	}
	if published(t, state) != before {
		t.Error("the first owner is no longer published")
	}
}

func TestOverLoopbackItIsTheSame(t *testing.T) {
	state := stateDir(t)
	run(t, Config{State: state, listen: func(Config) (listener, error) { return listenLoopback() }})
	if a := published(t, state).Address; !strings.HasPrefix(a, "tcp:127.0.0.1:") {
		t.Errorf("address %s", a)
	}
	api := open(t, optionsFor(t, state))
	save(t, api, "fact")
	blob, err := api.PutBlob(deadlined(t), strings.NewReader("content"))
	if err != nil || blob.Size != 7 {
		t.Errorf("%+v, %v", blob, err)
	}
	_, err = link.Introduce(rawDial(t, state), link.Hello{Protocol: link.Protocol, Want: link.WantCalls})
	if !fault.Is(err, fault.Denied) {
		t.Errorf("without the token: %v", err)
	}
}

// TestAnOlderOwnerIsAskedToLeave puts an owner of the protocol before ours in the way, and one of an older program that
// speaks ours. Its side of the greeting never changes, which is why it can be written down here.
func TestAnOlderOwnerIsAskedToLeave(t *testing.T) {
	for name, old := range map[string]link.Owner{
		"protocol": {Protocol: link.Protocol - 1}, "version": {Protocol: link.Protocol, Version: "0.9.1"},
	} {
		t.Run(name, func(t *testing.T) { asksToLeave(t, old) })
	}
}

func asksToLeave(t *testing.T, old link.Owner) {
	state := stateDir(t)
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := listenLoopback()
	if err != nil {
		t.Fatal(err)
	}
	old.PID, old.Address, old.Token = os.Getpid(), l.address, "old"
	if err := publish(old, state); err != nil {
		t.Fatal(err)
	}
	left := make(chan error, 1)
	go func() { left <- serveOld(l, old, state) }()
	o := optionsFor(t, state)
	o.Version = "0.10.0"
	api := open(t, o)
	if err := <-left; err != nil {
		t.Fatal(err)
	}
	info, err := api.Info(deadlined(t), ledger.InfoRequest{})
	if err != nil || info.PID == os.Getpid() {
		t.Errorf("info %+v, %v", info, err)
	}
}

// serveOld greets clients as an old owner until one asks it to leave, and leaves.
func serveOld(l net.Listener, self link.Owner, state string) error {
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		var h link.Hello
		err = link.ReadJSON(conn, link.HelloFrame, &h)
		if err == nil {
			err = link.WriteJSON(conn, link.Welcome{Protocol: self.Protocol, PID: self.PID, Version: self.Version})
		}
		if err == nil && h.Want == link.WantLeave {
			err = errors.Join(withdraw(self, state), l.Close())
			return errors.Join(err, conn.Close())
		}
		if err = errors.Join(err, conn.Close()); err != nil {
			return err
		}
	}
}

// TestAnOwnerThatIsTooNewIsNamed meets an owner that no longer serves our protocol: its answer is final.
func TestAnOwnerThatIsTooNewIsNamed(t *testing.T) {
	state := stateDir(t)
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := listenLoopback()
	if err != nil {
		t.Fatal(err)
	}
	newer := link.Owner{Protocol: link.Protocol + 1, PID: os.Getpid(), Address: l.address, Token: "new"}
	if err := publish(newer, state); err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			served <- err
			return
		}
		var h link.Hello
		err = link.ReadJSON(conn, link.HelloFrame, &h)
		refusal := fault.New(fault.Invalid, "daemon.greet", "the daemon no longer serves protocol %d", h.Protocol).
			WithHint("update this program")
		err = errors.Join(err, link.WriteJSON(conn, link.Welcome{Protocol: newer.Protocol, Error: refusal}))
		served <- errors.Join(err, conn.Close(), l.Close())
	}()
	_, err = Open(deadlined(t), optionsFor(t, state))
	if !fault.Is(err, fault.Invalid) || !strings.Contains(fault.HintOf(err), "update") {
		t.Errorf("error %v, hint %q", err, fault.HintOf(err))
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func TestTheLogIsSetAside(t *testing.T) {
	state := t.TempDir()
	l, err := openLog(state, false)
	if err != nil {
		t.Fatal(err)
	}
	log := logger(l, env.System())
	line := strings.Repeat("x", 1000)
	for range 2500 {
		log.Log(t.Context(), slog.LevelInfo, line)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{l.path, l.path + ".1"} {
		info, err := os.Stat(path)
		if err != nil || info.Size() > logSize || info.Size() == 0 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(l.path))
	if err != nil || len(entries) != 2 {
		t.Errorf("files %v, %v", entries, err)
	}
}

func TestMainLeavesOtherArgumentsAlone(t *testing.T) {
	role := func() Role {
		t.Error("what only daemons need was made")
		return Role{}
	}
	for _, args := range [][]string{nil, {"ctxledger"}, {"ctxledger", "status"},
		{"ctxledger", "x", link.DaemonArgument}} {
		if handled, _ := Main(args, role); handled {
			t.Errorf("%q was taken", args)
		}
	}
	if handled, exit := Main([]string{"ctxledger", link.DaemonArgument}, role); !handled || exit != 2 {
		t.Errorf("without a ledger: %v, %d", handled, exit)
	}
}
