package ctxlsp

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"ctxledger.dev/engine/daemon"
)

// onDisk is a shell line that mounts a disk on $1 with the options $2, does what $4 says as soon as somebody writes to
// the pipe $3, and runs the rest, in name spaces where that needs no rights and what was started ends with it.
const onDisk = `mount -t tmpfs -o "$2" tmpfs "$1" || exit; ` +
	`(read -r _ < "$3"; mount -o "$4" tmpfs "$1") >/dev/null & shift 4; exec "$@"`

// TestALedgerOnABadDiskHurtsNobody puts the state directory on a disk that cannot be written, and then can.
func TestALedgerOnABadDiskHurtsNobody(t *testing.T) {
	for _, c := range []struct {
		trouble
		options, mend string
	}{
		{trouble{name: "a disk that is read-only", problem: "read-only",
			hint: "set CTXLEDGER_STATE to a directory of your own"}, "ro", "remount,rw"},
		{trouble{name: "a disk that is full", problem: "no space", hint: "free up space on"}, "size=16k",
			"remount,size=64m"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			must(t, os.Mkdir(p.State, 0o700))
			pipe := filepath.Join(p.Home, "mend")
			must(t, syscall.Mkfifo(pipe, 0o600))
			s := serve(t, p.Command(t, "unshare", "-Urm", "--pid", "--fork", "--kill-child", "sh", "-c", onDisk, "sh",
				p.State, c.options+",mode=700", pipe, c.mend, binary, "--stdio"))
			c.check(t, s, p, func() { must(t, os.WriteFile(pipe, []byte("\n"), 0)) })
		})
	}
}

// TestAStateDirectoryOfSomebodyElseHurtsNobody has another user own the ledger.
func TestAStateDirectoryOfSomebodyElseHurtsNobody(t *testing.T) {
	p := newPlace(t)
	state := p.Workspace(t).State
	must(t, os.MkdirAll(state, 0o700))
	c := trouble{problem: "belongs to user", hint: "run as its owner, or set CTXLEDGER_STATE"}
	if os.Geteuid() != 0 { // who cannot give a directory away finds one
		must(t, os.Remove(state))
		must(t, os.Symlink("/usr", state))
		c.check(t, p.start(t), p, func() { must(t, os.Remove(state)) })
		return
	}
	must(t, os.Chown(state, 4711, 4711))
	c.check(t, p.start(t), p, func() { must(t, os.Chown(state, 0, 0)) })
}

// TestADaemonThatHangsHurtsNobody stops the owner of the ledger under an editor, and before another one comes.
func TestADaemonThatHangsHurtsNobody(t *testing.T) {
	t.Parallel() // it takes the time after which a daemon counts as silent
	p := newPlace(t)
	p.StopDaemons(t)
	state := p.Workspace(t).State
	first := p.start(t)
	first.inWorkspace(t, p, map[string]any{"lens": "always"})
	for !owned(state) && first.ctx.Err() == nil {
		first.sync(t)
	}
	owner, err := daemon.Status(t.Context(), state)
	must(t, err)
	must(t, syscall.Kill(owner.PID, syscall.SIGSTOP))
	must(t, first.Open("untitled:x", "markdown", guide))
	if got := first.cost(t, "untitled:x"); got != count(guide) {
		t.Errorf("the lens says %q", got)
	}
	first.leave(t)
	c := trouble{problem: "does not answer", hint: "kill -9 "}
	c.check(t, p.start(t), p, func() { must(t, syscall.Kill(owner.PID, syscall.SIGCONT)) })
}
