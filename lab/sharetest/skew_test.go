package sharetest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/lab/sandbox"
)

// recording is a session that the real Claude Code recorded, see testdata/sessions/README.md.
const recording = "../../testdata/sessions/shop.jsonl"

// TestTwoVersionsShareOneLedger runs the programs of earlier commits together with those of this one. The short run has
// the previous commit, most of which is compiled; make share compiles the old one, too.
func TestTwoVersionsShareOneLedger(t *testing.T) {
	commits := []struct{ name, commit string }{
		{"the previous commit", git(t, "rev-parse", "HEAD~1")},
		{"the last commit of the protocol before", git(t, "rev-parse", raising(t)+"~1")},
	}
	if testing.Short() {
		commits = commits[:1]
	}
	for _, c := range commits {
		t.Run(c.name, func(t *testing.T) {
			old := programsOf(t, c.commit)
			t.Run("a newer client at an older owner", func(t *testing.T) { olderOwner(t, old) })
			t.Run("an older client at a newer owner", func(t *testing.T) { newerOwner(t, old) })
			t.Run("both at once while owners die", func(t *testing.T) { mixed(t, old) })
		})
	}
}

// raising returns the commit that raised the protocol to what it is.
func raising(t *testing.T) string {
	t.Helper()
	commit := git(t, "log", "-1", "--format=%H", "-G^\tprotocol +=", "--", ":/engine/daemon/proto.go")
	if commit == "" {
		t.Fatal("no commit has set the protocol: the history is not there")
	}
	return commit
}

// git runs git in the checkout of this module and returns what it prints. Its whole history is needed.
func git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s\nthe test builds earlier commits: it needs a clone with history (git fetch "+
			"--unshallow)", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// programsOf builds the programs of a commit and returns their directory.
func programsOf(t *testing.T, commit string) string {
	t.Helper()
	source, into, index := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "index")
	for _, args := range [][]string{
		{"read-tree", commit},
		{"checkout-index", "--all", "--prefix=" + source + string(filepath.Separator)},
	} {
		cmd := exec.Command("git", args...)
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+index)
		cmd.Dir = git(t, "rev-parse", "--show-toplevel")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	if err := programtest.BuildIn(source, into, "./cmd/ctxledger", "./cmd/ctxmcp"); err != nil {
		t.Fatal(err)
	}
	return into
}

// with returns the same place for other programs.
func with(s *sandbox.Sandbox, programs string) *sandbox.Sandbox {
	other := *s
	other.Bin = programs
	return &other
}

// everything makes a call of each kind, by the names that both versions have, with the programs of s, and returns the session it worked on.
func everything(t *testing.T, s *sandbox.Sandbox, tag string) {
	t.Helper()
	file, err := filepath.Abs(recording)
	if err != nil {
		t.Fatal(err)
	}
	last := func(out []byte) string {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return lines[len(lines)-1]
	}
	session := last(run(t, s, "import", file))
	handle := last(run(t, s, "artifact", "put", file))
	run(t, s, "memory", "add", tag, "--body", "the body of "+tag)
	for _, args := range [][]string{
		{"sessions"}, {"status"}, {"events"}, {"changes"}, {"why", "README.md"},
		{"compact", "--json", "--keep", "1", session}, {"artifact", "ls"}, {"artifact", "search", "test"},
		{"cat", handle},
		{"memory"}, {"memory", "show", tag}, {"daemon", "status"},
	} {
		if out := run(t, s, args...); len(out) == 0 {
			t.Errorf("%v printed nothing", args)
		}
	}
	c, err := s.Connect(deadlined(t), tag)
	if err != nil {
		t.Fatal(err)
	}
	for tool, args := range map[string]map[string]any{
		"context_status":       {"session": session},
		"changes":              {"session": session},
		"memory":               {"action": "save", "name": tag + "-tool", "body": "x"},
		"read_artifact":        {"id": handle},
		"compact_conversation": {"session": session, "return": "receipt"},
	} {
		if _, err := c.Call(deadlined(t), tool, args, nil); err != nil {
			t.Error(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// protocolOf returns the protocol of the daemon that runs.
func protocolOf(t *testing.T, s *sandbox.Sandbox) int {
	t.Helper()
	st, err := daemon.Status(deadlined(t), stateOf(t, s))
	if err != nil || !st.Running {
		t.Fatalf("%+v, %v", st, err)
	}
	return st.Protocol
}

// olderOwner wants all that an older owner wrote, and everything to work: with that owner if it speaks
// our protocol, else with one of ours in its place.
func olderOwner(t *testing.T, programs string) {
	s := programtest.NewBox(t, bin)
	old := with(s, programs)
	everything(t, old, "old")
	first, spoken := owner(t, s), protocolOf(t, s)
	everything(t, s, "new")
	if out := run(t, s, "memory", "show", "old"); !strings.Contains(string(out), "the body of old") {
		t.Errorf("what was written before reads %q", out)
	}
	replaced, raised := owner(t, s) != first, protocolOf(t, s) > spoken
	if replaced != raised {
		t.Errorf("the owner was replaced: %v; the protocol has risen: %v", replaced, raised)
	}
	everything(t, old, "old again")
}

// newerOwner wants an older program to work with a newer owner, and to leave it there.
func newerOwner(t *testing.T, programs string) {
	s := programtest.NewBox(t, bin)
	old := with(s, programs)
	everything(t, s, "new")
	first := owner(t, s)
	everything(t, old, "old")
	if now := owner(t, s); now != first {
		t.Errorf("owner %d was replaced by %d", first, now)
	}
	if out := run(t, old, "daemon", "stop"); !strings.Contains(string(out), fmt.Sprint(first)) {
		t.Errorf("an older program stops the daemon: %s", out)
	}
	if now := owner(t, s); now != 0 {
		t.Errorf("the owner is still %d", now)
	}
}

// mixed has servers of both versions write while owners leave and one is killed, so that either may start
// the next, over and over.
func mixed(t *testing.T, programs string) {
	s := programtest.NewBox(t, bin)
	run(t, with(s, programs), "status") // the first owner is the older one
	const each, calls, between = 3, 60, 40
	var (
		work    sync.WaitGroup
		written = make(chan string, 2*each*calls)
	)
	for version, box := range map[string]*sandbox.Sandbox{"old": with(s, programs), "new": s} {
		for i := range each {
			name := fmt.Sprintf("%s-%d", version, i)
			c, err := box.Connect(deadlined(t), name)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Close() }) // what it had to say has been said
			work.Go(func() { writeMany(t, c, name, calls, written) })
		}
	}
	owners := map[int]int{} // protocols by process id
	var acknowledged []string
	for n := 1; n <= 2*each*calls; n++ {
		if name := <-written; name != "" {
			acknowledged = append(acknowledged, name)
		}
		if n%between != 0 {
			continue
		}
		st, err := daemon.Status(deadlined(t), stateOf(t, s))
		if err != nil || !st.Running {
			continue // between two owners
		}
		owners[st.PID] = st.Protocol
		if n/between == 2 {
			err = killProcess(st.PID)
		} else {
			err = link.Stop(deadlined(t), stateOf(t, s))
		}
		if err != nil {
			t.Error(err)
		}
	}
	work.Wait()
	t.Logf("the protocols of the owners met, by process id: %v", owners)
	listed := string(run(t, s, "memory", "--json"))
	for _, name := range acknowledged {
		if !strings.Contains(listed, strconv.Quote(name)) {
			t.Errorf("%s is lost", name)
		}
	}
	t.Logf("%d of %d memories were acknowledged", len(acknowledged), 2*each*calls)
	if now := protocolOf(t, s); now < newest(owners) {
		t.Errorf("after a newer client the owner speaks protocol %d of %v", now, owners)
	}
}

// newest returns the highest protocol of owners.
func newest(owners map[int]int) (p int) {
	for _, o := range owners {
		p = max(p, o)
	}
	return p
}

// barred is what a client of earlier versions says that has seen two owners die, killed ones included, or
// one leave just after it had welcomed a client: that may end its work here, but nothing is lost.
const barred = "no other is started"

// newer is what an owner of earlier versions says of a ledger whose records have a schema that it does not know: one of
// ours has opened it. Its clients are served again as soon as one of ours owns it.
const newer = "the ledger has schema "

// writeMany saves memories over MCP, one after the other, and hands over the names of those that were
// acknowledged, "" for one that was not.
func writeMany(t *testing.T, c *sandbox.Client, name string, calls int, written chan<- string) {
	for i := range calls {
		fact := fmt.Sprintf("%s-%d", name, i)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		_, err := c.Call(ctx, "memory", map[string]any{"action": "save", "name": fact, "body": "x"}, nil)
		cancel()
		if err != nil {
			if !strings.Contains(err.Error(), barred) && !strings.Contains(err.Error(), newer) {
				t.Errorf("%s: %v", fact, err)
			}
			fact = ""
		}
		written <- fact
	}
}
