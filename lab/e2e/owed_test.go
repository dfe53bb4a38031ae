package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/lab/sandbox"
)

// The volume of TestNothingOwedIsLost: what make test does of it, unless flags say more.
var (
	owedEvents = flag.Int("owed", 16, "how many compactions and starts of sessions there are that have to be told of")
	owedLoad   = flag.Int("owed-load", 0, "how many processes keep the machine busy meanwhile")
	owedSizes  = flag.String("owed-sizes", "0.3", "sizes of the session files, in megabytes, separated by commas")
	owedSeed   = flag.Uint64("owed-seed", 1, "of what happens to hooks")
	owedPause  = flag.Duration("owed-pause", 0, "how long the host's model writes a summary")
)

const (
	owedRule   = "Never push to the main branch without asking me."
	owedMemory = "the shop is closed on Mondays"
	// owedMost bounds how often an agent goes on until it was told. Its daemon is killed only in the first owedKills: these
	// hooks come in seconds, and what is to be told of a long session takes a daemon longer to make on a busy machine.
	owedMost, owedKills = 2_000, 20
)

// fate is what happens to a run of a hook.
type fate int

const (
	lives     fate = iota
	killed         // after some time
	hurried        // it has a part of its time only
	unread         // nobody reads what it prints
	abandoned      // the daemon is killed meanwhile
	fates
)

// owing is a workspace whose agent is told what it is owed.
type owing struct {
	*testing.T
	*sandbox.Sandbox
	dice     *rand.Rand
	happened [fates]int
	first    int           // events that were told of by the first hook that could
	hooks    []int         // that ran for an event until it was told of
	twice    int           // texts that came once more
	longest  time.Duration // that an agent waited for a hook
}

// TestNothingOwedIsLost plays compactions whose summary loses a rule, and starts of sessions that have to be told a
// memory, with the built ctxhook and its daemon. Hooks are killed at any instant, have less time than they need, write
// into closed pipes and lose their daemon. Every text has to arrive. It may arrive twice, not for ever.
func TestNothingOwedIsLost(t *testing.T) {
	o := &owing{T: t, Sandbox: newBox(t), dice: rand.New(rand.NewPCG(*owedSeed, 0))}
	burn(t, *owedLoad)
	_, err := o.Sandbox.Run(t.Context(), "memory", "save", "closing", "--body", owedMemory)
	if err != nil {
		t.Fatal(err)
	}
	var files []session
	for size := range strings.SplitSeq(*owedSizes, ",") {
		mb, err := strconv.ParseFloat(size, 64)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, o.session(int(mb*1e6)))
	}
	o.serve()
	began := time.Now()
	for n := range *owedEvents {
		if n%4 == 3 {
			o.start(n)
		} else {
			o.compaction(files[n%len(files)])
		}
		if n%25 == 24 {
			t.Logf("%d events in %v", n+1, time.Since(began).Round(time.Second))
		}
	}
	slices.Sort(o.hooks)
	t.Logf("%d events in %v, killed %d, hurried %d, unread %d, daemons killed %d: %d told by the first hook that could, "+
		"all by the %d., %d told again; a hook took at most %v",
		len(o.hooks), time.Since(began).Round(time.Second), o.happened[killed], o.happened[hurried], o.happened[unread],
		o.happened[abandoned], o.first, o.hooks[len(o.hooks)-1], o.twice,
		o.longest.Round(time.Millisecond))
}

// session is a session of the agent, with its file.
type session struct{ id, file string }

// session writes the file of a session of so many bytes, whose user sets a rule.
func (o *owing) session(size int) session {
	o.Helper()
	s := session{id: fmt.Sprintf("%08x-1111-4222-8333-444455556666", o.dice.Uint32())}
	home := env.Env{Home: o.Home, Lookup: func(string) string { return "" }}
	s.file = filepath.Join(claudecode.ProjectDir(home, o.Workspace), s.id+".jsonl")
	var b bytes.Buffer
	line := func(role string, content any) {
		raw, err := json.Marshal(map[string]any{"type": role, "uuid": fmt.Sprint(s.id, b.Len()), "sessionId": s.id,
			"cwd": o.Workspace, "timestamp": time.Now().UTC(), "message": map[string]any{"role": role, "content": content}})
		if err != nil {
			o.Fatal(err)
		}
		b.Write(append(raw, '\n'))
	}
	line("user", owedRule)
	line("assistant", "I will not.")
	for turn := 0; b.Len() < size; turn++ {
		line("user", "Now "+o.words(30)+".")
		for call := range 12 {
			id := fmt.Sprintf("toolu_%d_%d", turn, call)
			line("assistant", []any{map[string]any{"type": "text", "text": "I will look at " + o.words(20) + "."},
				map[string]any{"type": "tool_use", "id": id, "name": "Bash",
					"input": map[string]any{"command": "make " + o.words(3)}}})
			line("user", []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": o.words(500)}})
		}
		line("assistant", "Done: "+o.words(60)+".")
	}
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		o.Fatal(err)
	}
	write(o.T, s.file, b.String())
	return s
}

// words returns n words.
func (o *owing) words(n int) string {
	list := strings.Fields("invoice export country customer column amount header translate build test branch review")
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%s%d ", list[o.dice.IntN(len(list))], o.dice.IntN(50))
	}
	return b.String()
}

// compaction compacts a session, and goes on until the agent was told the rule that its summary lost. One of the hooks
// lives: a daemon that has heard of nothing owes nothing.
func (o *owing) compaction(s session) {
	o.Helper()
	fates := []fate{o.fate(), o.fate(), o.fate()}
	if !slices.Contains(fates, lives) {
		fates[o.dice.IntN(len(fates))] = lives
	}
	o.hook(s, "PreCompact", fates[0], map[string]any{"trigger": "auto"})
	<-time.After(*owedPause)
	o.hook(s, "SessionStart", fates[1], map[string]any{"source": "compact"})
	o.hook(s, "PostCompact", fates[2], map[string]any{"trigger": "auto",
		"compact_summary": "The user wants an invoice export."})
	o.untilTold(s, owedRule, false)
}

// start begins a session, and goes on until the agent was told the memory.
func (o *owing) start(n int) {
	o.Helper()
	s := session{id: fmt.Sprint("started-", n)}
	out := o.hook(s, "SessionStart", o.fate(), map[string]any{"source": "startup"})
	o.untilTold(s, owedMemory, strings.Contains(out, owedMemory))
}

// untilTold goes on with a session until its agent was told a text, and a while longer.
func (o *owing) untilTold(s session, text string, told bool) {
	o.Helper()
	hooks, times := 0, 0
	if told {
		times++
	}
	for last := fates; hooks < owedMost && (times == 0 || last != lives); hooks++ {
		if last = o.fate(); last == abandoned && hooks > owedKills {
			last = killed
		}
		if strings.Contains(o.next(s, hooks, last), text) {
			if times++; times == 1 {
				o.hooks = append(o.hooks, hooks+1)
				if hooks == 0 {
					o.first++
				}
			}
		}
	}
	switch {
	case times == 0:
		o.Fatalf("lost: session %s was not told %q by %d hooks", s.id, text, hooks)
	case told:
		o.hooks, o.first = append(o.hooks, 0), o.first+1
	}
	if times > 1 {
		o.twice += times - 1
	}
	for n := 0; strings.Contains(o.next(s, n, lives), text); n++ { // an event of a hook that was killed may come late
		if o.twice++; n == 5 {
			o.Fatalf("session %s is told %q again and again", s.id, text)
		}
	}
}

// next runs the hook of an event that can tell something: the user's words, or a call.
func (o *owing) next(s session, n int, f fate) string {
	o.Helper()
	if n%3 == 2 && !strings.HasPrefix(s.id, "started") {
		return o.hook(s, "PreToolUse", f, map[string]any{"tool_name": "Bash",
			"tool_use_id": fmt.Sprint("next_", o.dice.Uint64()), "tool_input": map[string]any{"command": "make"}})
	}
	return o.hook(s, "UserPromptSubmit", f, map[string]any{"prompt": "Go on."})
}

// fate rolls what happens to a hook: half of them live.
func (o *owing) fate() fate {
	switch n := o.dice.IntN(100); {
	case n < 50:
		return lives
	case n < 75:
		return killed
	case n < 90:
		return hurried
	case n < 98:
		return unread
	}
	return abandoned
}

// hook runs ctxhook for an event, and returns what the agent reads of its answer.
func (o *owing) hook(s session, event string, f fate, input map[string]any) string {
	o.Helper()
	if o.happened[f]++; f == lives && o.daemon() == nil {
		o.serve()
	}
	input["session_id"], input["transcript_path"] = s.id, s.file
	input["cwd"], input["hook_event_name"] = o.Workspace, event
	raw, err := json.Marshal(input)
	if err != nil {
		o.Fatal(err)
	}
	hook := o.Program(o.Context(), "ctxhook", "claude-code", event)
	hook.Stdin = bytes.NewReader(raw)
	if f == hurried {
		hook.Env = append(hook.Env, fmt.Sprint("CTXLEDGER_HOOK_MS=", 1+o.dice.IntN(100)))
	}
	out, in, err := os.Pipe()
	if err != nil {
		o.Fatal(err)
	}
	defer out.Close() // it was read
	if f == unread {
		_ = out.Close() // again at the end
	}
	hook.Stdout = in
	began := time.Now()
	if err := errors.Join(hook.Start(), in.Close()); err != nil {
		o.Fatal(err)
	}
	end := func() {}
	if f == killed || f == abandoned {
		victim := hook.Process
		if daemon := o.daemon(); f == abandoned && daemon != nil {
			victim = daemon
		}
		timer := time.AfterFunc(time.Duration(o.dice.IntN(20_000))*time.Microsecond, func() { _ = victim.Kill() })
		end = func() { timer.Stop() }
	}
	printed, _ := io.ReadAll(out) // of a closed pipe nothing
	err = hook.Wait()
	end()
	if took := time.Since(began); f == lives {
		o.longest = max(o.longest, took)
	}
	if exit, failed := errors.AsType[*exec.ExitError](err); failed && f != killed && f != unread && f != abandoned {
		o.Errorf("%s of fate %d: %v", event, f, exit)
	}
	return string(printed)
}

// serve starts a daemon, and waits until it has read the session files, longer than a command waits on a busy machine.
func (o *owing) serve() {
	o.Helper()
	var err error
	for range 10 {
		if _, err = o.Sandbox.Run(o.Context(), "sessions"); err == nil {
			return
		}
	}
	o.Fatal(err)
}

// daemon returns the process of the daemon, nil if none runs.
func (o *owing) daemon() *os.Process {
	pid, err := o.Owner(o.Context())
	if err != nil || pid == 0 {
		return nil
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		o.Fatal(err)
	}
	return p
}

// burn keeps the machine busy with n processes until the test ends.
func burn(t *testing.T, n int) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var all []*exec.Cmd
	for range n {
		cmd := exec.CommandContext(ctx, "sh", "-c", "while :; do :; done")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	t.Cleanup(func() {
		stop()
		for _, cmd := range all {
			_ = cmd.Wait() // killed
		}
	})
}
