package forgotten

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxledger.dev/lab/programtest"
)

// copiesIn lists what checks, repairs and backups have below a directory.
func copiesIn(t *testing.T, top string) (found []string) {
	t.Helper()
	for _, pattern := range []string{"state/*/tmp/*", "state/.*", "made/*.partial"} {
		names, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, names...)
	}
	return found
}

// TestInterruptedCommandsLeaveNoCopies ends `check`, `audit` and `backup` by every signal while they have copies. After a signal
// that a process sees, the copies are gone when it ends; after a kill when the next daemon starts, or at a `gc`.
func TestInterruptedCommandsLeaveNoCopies(t *testing.T) {
	for name, c := range map[string]struct {
		args   []string
		signal syscall.Signal
		owner  bool // the daemon gets it, not the command
	}{
		"check, interrupted": {[]string{"ledger", "check"}, syscall.SIGINT, false},
		"check, terminated":  {[]string{"ledger", "check"}, syscall.SIGTERM, false},
		"check, hung up":     {[]string{"ledger", "check"}, syscall.SIGHUP, false},
		"check, killed":      {[]string{"ledger", "check"}, syscall.SIGKILL, false},
		"audit, hung up":     {[]string{"audit", "--replay"}, syscall.SIGHUP, false},
		"audit, killed":      {[]string{"audit", "--replay"}, syscall.SIGKILL, false},
		"backup, its daemon": {[]string{"ledger", "backup", "made/b.tar"}, syscall.SIGKILL, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := programtest.NewBox(t, bin)
			r := &round{t: t, s: s, dice: rand.New(rand.NewPCG(*seed, 0)), word: "qzinterrupted"}
			r.plant()
			if c.args[0] == "backup" {
				c.args = []string{"ledger", "backup", filepath.Join(s.Top, "made", "b.tar")}
			}
			cmd := s.Command(t.Context(), c.args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() { defer close(ended); _ = cmd.Wait() }() // by the signal
			caught := false
			for !caught {
				select {
				case <-ended:
					caught = true // too fast: nothing may be left either
				default:
					caught = len(copiesIn(t, s.Top)) > 0
				}
			}
			if c.owner {
				r.killOwner()
			} else {
				_ = cmd.Process.Signal(c.signal) // it may have ended
			}
			<-ended
			r.must("", "daemon", "stop") // which ends what the command had asked for
			if c.signal == syscall.SIGKILL {
				_ = os.Remove(filepath.Join(s.Top, "made", "b.tar")) // it may have been complete
				r.must("", "status")
				if !c.owner {
					r.must("", "ledger", "gc")
				}
			}
			if left := copiesIn(t, s.Top); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
			if out := r.must(r.word, "forget", "--text", "-", "--yes"); !strings.Contains(out, " no copies remain") {
				t.Error(out)
			}
			if hits := rawHits(s.Top, r.word); hits != nil {
				t.Errorf("the word is in %v", hits)
			}
		})
	}
}
