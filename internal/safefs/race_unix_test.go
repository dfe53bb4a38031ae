//go:build unix

package safefs

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// swaps is how often the racing test replaces what it looks at.
const swaps = 20_000

func TestInvariant10PipesAndDevicesAreNotOpened(t *testing.T) {
	root, _ := place(t)
	tree := open(t, root)
	must(t, syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600))
	must(t, os.Symlink("pipe", filepath.Join(root, "l-pipe")))
	for _, name := range []string{"pipe", "l-pipe"} {
		if got, info, err := tree.Hash(name, 10); got != (Sums{}) || info.Kind != Other || err != nil {
			t.Errorf("%s: %q, %+v, %v", name, got, info, err)
		}
		if tree.Read(name, 10) != nil {
			t.Errorf("%s was read", name)
		}
	}
}

// While one goroutine replaces a file and a directory by links that lead out, and by a pipe, another
// reads them: it never gets what is outside, and never hangs.
func TestInvariant10NoRaceLeadsOutOfTheTree(t *testing.T) {
	root, outside := place(t)
	tree := open(t, root)
	at := func(name string) string { return filepath.Join(root, name) }
	must(t, os.Symlink(filepath.Join(outside, "s.txt"), at("evil")))
	must(t, os.Symlink(outside, at("evildir")))
	put(t, at("good"), "a")
	put(t, at("gooddir/s.txt"), "b")
	must(t, syscall.Mkfifo(at("pipe"), 0o600))
	done, rounds := make(chan struct{}), swaps
	if testing.Short() {
		rounds /= 10
	}
	var swapping sync.WaitGroup
	swapping.Go(func() {
		defer close(done)
		for i := range rounds {
			for _, source := range []string{"good", "evil", "pipe"} {
				_ = os.Remove(at("x.tmp"))
				_ = os.Link(at(source), at("x.tmp"))
				_ = os.Rename(at("x.tmp"), at("x"))
			}
			if i%2 == 0 {
				_ = os.Rename(at("dir"), at("gooddir"))
				_ = os.Rename(at("evildir"), at("dir"))
			} else {
				_ = os.Rename(at("dir"), at("evildir"))
				_ = os.Rename(at("gooddir"), at("dir"))
			}
		}
	})
	bad, reads := sum(secret), 0
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		for _, name := range []string{"x", "dir/s.txt"} {
			if got, _, _ := tree.Hash(name, 1<<20); got.Bytes == bad {
				t.Fatalf("%s: what is outside was read", name)
			} else if got != (Sums{}) {
				reads++
			}
			if got := tree.Read(name, 1<<20); string(got) == secret {
				t.Fatalf("%s: what is outside was read", name)
			}
		}
	}
	swapping.Wait()
	if reads == 0 {
		t.Error("nothing was read at all")
	}
}
