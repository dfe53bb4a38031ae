package daemon

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// diskVariable names the directory of a small disk, to the process that a test runs there.
const diskVariable = "CTXLEDGER_TEST_DISK"

// onSmallDisk is a shell line that mounts a small disk and runs a program with it, in a name space where that
// needs no rights and what was started ends with it.
const onSmallDisk = `mount -t tmpfs -o mode=700,"$1" tmpfs "$2" && shift 2 && exec "$@"`

// TestAFullDisk starts owners on a full disk: what reads and what frees space works, or says how much
// space it needs; what stores something says that the disk is full; and all works when there is space.
func TestAFullDisk(t *testing.T) {
	if dir := os.Getenv(diskVariable); dir != "" {
		for name, end := range map[string]func(*testing.T, string){
			"after one that was killed": func(t *testing.T, state string) { kill(t, published(t, state).PID) },
			"after one that left": func(t *testing.T, state string) {
				if err := link.Stop(deadlined(t), state); err != nil {
					t.Fatal(err)
				}
			},
		} {
			t.Run(name, func(t *testing.T) { onFullDisk(t, filepath.Join(dir, "state"), end) })
		}
		return
	}
	for name, options := range map[string]string{"no space": "size=2m", "no inodes": "size=64m,nr_inodes=64"} {
		t.Run(name, func(t *testing.T) {
			dir := shortDir(t)
			unshare := []string{"-Urm", "--pid", "--fork", "--kill-child", "sh", "-c", onSmallDisk, "sh", options, dir}
			if out, err := exec.Command("unshare", append(unshare, "true")...).CombinedOutput(); err != nil {
				t.Skipf("no disk can be mounted here: %v: %s", err, out)
			}
			inside := exec.Command("unshare", append(unshare, os.Args[0], "-test.run=^TestAFullDisk$", "-test.v")...)
			inside.Env = append(os.Environ(), diskVariable+"="+dir)
			out, err := inside.CombinedOutput()
			if err != nil {
				t.Errorf("%v", err)
			}
			t.Logf("%s", out)
		})
	}
}

// onFullDisk makes a ledger, ends its owner, fills the disk and works on.
func onFullDisk(t *testing.T, state string, end func(*testing.T, string)) {
	o := Options{State: state, Env: env.System(), Version: "test"}
	api := open(t, o)
	save(t, api, "fact")
	secret, kept := artifact(t, api, "secret"), artifact(t, api, "kept")
	until(t, "there is a reserve", func() bool {
		info, err := os.Stat(filepath.Join(state, "reserve"))
		return err == nil && info.Size() > 0
	})
	end(t, state)
	ballast := fill(t, filepath.Dir(state))
	if got, err := api.Memory(deadlined(t), ledger.MemoryRequest{Name: "fact"}); err != nil || got.Body != "fact" {
		t.Errorf("a memory: %+v, %v", got, err)
	}
	got, err := api.ReadArtifact(deadlined(t), ledger.ReadArtifactRequest{ID: kept})
	if err != nil || !strings.Contains(got.Text, "kept") {
		t.Errorf("an artifact: %v", err)
	}
	makesRoom(t, "gc", func() error {
		_, err := api.CollectGarbage(deadlined(t), ledger.CollectGarbageRequest{})
		return err
	})
	forget := func() error {
		_, err := api.Forget(deadlined(t), ledger.ForgetRequest{Handle: secret})
		return err
	}
	makesRoom(t, "forget", forget)
	_, err = api.ReadArtifact(deadlined(t), ledger.ReadArtifactRequest{ID: secret})
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("what was forgotten: %v", err)
	}
	if err := os.RemoveAll(ballast); err != nil {
		t.Fatal(err)
	}
	save(t, api, "later")
	if err := forget(); err != nil {
		t.Errorf("with free space: %v", err)
	}
	if err := errors.Join(link.Stop(deadlined(t), state), os.RemoveAll(state)); err != nil {
		t.Fatal(err)
	}
}

// makesRoom wants a request to succeed, or to say how much space it needs.
func makesRoom(t *testing.T, what string, do func() error) {
	t.Helper()
	err := do()
	t.Logf("%s: %v", what, err)
	if err != nil &&
		(!strings.Contains(err.Error(), "free bytes") || !strings.Contains(fault.HintOf(err), "free up space")) {
		t.Errorf("%s: %v, hint %q", what, err, fault.HintOf(err))
	}
}

// fill fills the disk of dir, and returns the directory whose removal frees the space.
func fill(t *testing.T, dir string) (ballast string) {
	t.Helper()
	ballast = filepath.Join(dir, "ballast")
	if err := os.Mkdir(ballast, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(ballast, "bytes"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() // it is full
	for i := 0; err == nil && i < 1000; i++ {
		err = os.WriteFile(filepath.Join(ballast, fmt.Sprint(i)), nil, 0o600)
	}
	if !errors.Is(err, syscall.ENOSPC) { // there are inodes enough
		_, err = io.CopyN(f, endless{}, 64<<20)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	return ballast
}
