package escapetest

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ctxledger.dev/internal/safefs"
)

// TestHardLinksCountAsInside: a hard link is the file itself, so nothing shows that its content came from
// elsewhere. docs/threat-model.md has to say so.
func TestHardLinksCountAsInside(t *testing.T) {
	raw, err := os.ReadFile("../../docs/threat-model.md")
	must(t, err)
	for _, words := range []string{"hard links", "bind mounts"} {
		if !strings.Contains(string(raw), words) {
			t.Errorf("docs/threat-model.md does not say what %s mean", words)
		}
	}
	p := newPlace(t, "ws", nil, map[string]string{"a.txt": canary})
	must(t, os.Link(p.outside+"/a.txt", p.inside+"/hard.txt"))
	tree, err := safefs.Open(p.inside)
	must(t, err)
	defer tree.Close() // only read
	if got := string(tree.Read("hard.txt", 100)); got != canary {
		t.Errorf("a hard link is read as %q: then docs/threat-model.md is wrong", got)
	}
}

// mountsVariable is set for a test that runs in a namespace of its own.
const mountsVariable = "ESCAPETEST_MOUNTS"

// mounts is how often something is mounted over a directory, and unmounted.
const mounts = 1000

// TestMountsCountAsInside has something mounted over a directory that is read meanwhile: what is read is the
// content of one of the two, and nothing hangs. Mounting needs a mount namespace of our own.
func TestMountsCountAsInside(t *testing.T) {
	if os.Getenv(mountsVariable) == "" {
		inNamespace(t)
		return
	}
	must(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	p := newPlace(t, "ws", map[string]string{"d/b.txt": "b"}, map[string]string{"d/b.txt": canary})
	tree, err := safefs.Open(p.inside)
	must(t, err)
	defer tree.Close() // only read
	done := make(chan struct{})
	var reads atomic.Int64
	var mounting sync.WaitGroup
	mounting.Go(func() {
		defer close(done)
		for i := range mounts {
			if err := unix.Mount(p.outside+"/d", p.inside+"/d", "", unix.MS_BIND, ""); err != nil {
				t.Error(err)
				return
			}
			// Most are as short as can be; the second read after one of the others began with it mounted.
			for from := reads.Load(); i%100 == 0 && reads.Load() < from+2; {
				runtime.Gosched()
			}
			must(t, unix.Unmount(p.inside+"/d", unix.MNT_DETACH))
		}
	})
	seen := map[string]int{}
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		seen[string(tree.Read("d/b.txt", 100))]++
		reads.Add(1)
	}
	mounting.Wait()
	if seen["b"] == 0 || seen[canary] == 0 || len(seen) > 3 {
		t.Errorf("read: %v", seen)
	}
	fmt.Printf("%d mounts: %d reads of the directory, %d of what was mounted, %d of neither\n", mounts, seen["b"],
		seen[canary], seen[""])
}

// inNamespace runs the test where it is root over mounts.
func inNamespace(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), mountsVariable+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Skipf("this system gives no namespace of mounts: %v", err)
	}
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
	t.Logf("%s", out)
}
