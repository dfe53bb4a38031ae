package escapetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// canary is part of every file outside a tree.
const canary = "thecanaryoutside"

// place is the directory tree of one subject, with what must not be read next to it.
type place struct {
	t       testing.TB
	base    string // holds all the others
	inside  string // the tree
	outside string // has a counterpart of each file that is swapped
	stage   string // what takes a file's place waits here
	pipes   []string
	swaps   atomic.Int64
}

// newPlace makes a tree and its counterpart outside; inside is its path below a temporary directory.
func newPlace(t testing.TB, inside string, files, counterparts map[string]string) *place {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	p := &place{t: t, base: base, inside: filepath.Join(base, inside), stage: filepath.Join(base, "stage")}
	// a prefix of paths is no boundary; behind "-" it would be the project of a directory below
	p.outside = p.inside + "evil"
	for _, dir := range []string{p.inside, p.outside, p.stage, p.home()} {
		must(t, os.MkdirAll(dir, 0o700))
	}
	put(t, p.inside, files)
	put(t, p.outside, counterparts)
	put(t, p.stage, map[string]string{"top.txt": canary}) // what ../top.txt is from a directory that was moved away
	return p
}

func (p *place) home() string { return filepath.Join(p.base, "home") }

// giveAway makes what is outside another user's, which only root can.
func (p *place) giveAway() {
	const nobody = 65534
	must(p.t, filepath.WalkDir(p.outside, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			err = os.Lchown(path, nobody, nobody)
		}
		if errors.Is(err, fs.ErrPermission) {
			p.t.Skip("only root can give files to another user")
		}
		return err
	}))
}

// put writes files below a directory.
func put(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(content), 0o600))
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// target is a path of the tree whose content is swapped.
type target struct {
	path  string
	dir   bool
	plant bool // a writer replaces it, or it is the name of a temporary file: each trap is made again
	named bool // a person names this path: links count as what they lead to
}

// trap is what can take the place of a target.
type trap struct {
	target string // absolute
	staged string // where it waits; "" for one that is made again each time
	make   func(path string) error
}

// traps makes what takes the places of targets.
func (p *place) traps(targets []target) []trap {
	var all []trap
	for i, at := range targets {
		path := filepath.Join(p.inside, at.path)
		for j, make := range p.forms(at) {
			tr := trap{target: path, make: make}
			if !at.plant {
				tr.staged = filepath.Join(p.stage, fmt.Sprintf("%d-%d", i, j))
				must(p.t, make(tr.staged))
			}
			all = append(all, tr)
		}
	}
	return all
}

// forms returns functions that make each kind of file that can be at a target's path.
func (p *place) forms(at target) (all []func(path string) error) {
	link := func(to string) func(string) error {
		return func(path string) error { return os.Symlink(to, path) }
	}
	out := filepath.Join(p.outside, at.path)
	up, err := filepath.Rel(filepath.Dir(filepath.Join(p.inside, at.path)), out)
	must(p.t, err)
	hop := filepath.Join(p.stage, "hop-"+strings.ReplaceAll(at.path, "/", "-"))
	must(p.t, os.Symlink(out, hop))
	if !at.named {
		// Links that lead out come three times as often as anything else.
		all = append(all, link(out), link(up), link(hop), link("/proc/self/root"+out), link(out), link(up))
		if f, err := os.Open(out); err == nil {
			p.t.Cleanup(func() { f.Close() })
			all = append(all, link(fmt.Sprintf("/proc/self/fd/%d", f.Fd())),
				link(fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd())))
		}
	}
	if at.plant {
		return append(all, func(path string) error { return os.Link(out, path) }, p.pipe)
	}
	all = append(all, link("nowhere"), link(filepath.Base(at.path)), p.pipe,
		func(path string) error { return unix.Mknod(path, unix.S_IFSOCK|0o600, 0) },
		func(path string) error { return os.Mkdir(path, 0o700) })
	if at.dir {
		return append(all, func(path string) error { return os.WriteFile(path, []byte("lies inside"), 0o600) })
	}
	if zero := int(unix.Mkdev(1, 5)); unix.Mknod(filepath.Join(p.stage, "zero-"+filepath.Base(hop)), unix.S_IFCHR|0o600,
		zero) == nil {
		all = append(all, func(path string) error { return unix.Mknod(path, unix.S_IFCHR|0o600, zero) })
	}
	return all
}

// pipe makes a named pipe that unblock knows, whatever it is called by then.
func (p *place) pipe(path string) error {
	if err := unix.Mkfifo(path, 0o600); err != nil {
		return err
	}
	if len(p.pipes) >= 64 { // of those that are made again each time
		return nil
	}
	keep := filepath.Join(p.base, fmt.Sprintf("pipe-%d", len(p.pipes)))
	p.pipes = append(p.pipes, keep)
	return os.Link(path, keep)
}

// unblock releases readers and writers that wait for the other end of a pipe.
func (p *place) unblock() {
	for _, name := range p.pipes {
		if f, err := os.OpenFile(name, os.O_RDWR|unix.O_NONBLOCK, 0); err == nil {
			_ = f.Close()
		}
	}
}

// swapping swaps at full speed until stop is called. With stirs it changes the modification time of the file at a
// target's path first, so that watchers see a change.
func (p *place) swapping(seed uint64, targets []target, stirs bool) (stop func()) {
	traps := p.traps(targets)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		rng := rand.New(rand.NewPCG(seed, 14))
		for ctx.Err() == nil {
			tr := traps[rng.IntN(len(traps))]
			if stirs {
				now := time.Now().Add(time.Duration(rng.IntN(1000)) * time.Millisecond)
				_ = os.Chtimes(tr.target, now, now) // a directory of the path may be swapped
			}
			if !p.swap(tr) {
				continue
			}
			// Some stay for as long as a reader needs to step in, most for less.
			for until := time.Now().Add(time.Nanosecond << rng.IntN(18)); time.Now().Before(until); {
				runtime.Gosched()
			}
			p.back(tr)
		}
	}()
	return func() { cancel(); <-done }
}

// swap puts a trap where its target is.
func (p *place) swap(tr trap) bool {
	err := error(nil)
	if tr.staged == "" {
		_ = os.Remove(tr.target) // what the writer made of it
		err = tr.make(tr.target)
	} else {
		err = exchange(tr.staged, tr.target)
	}
	if err == nil {
		p.swaps.Add(1)
	}
	return err == nil
}

// back puts the target where it was.
func (p *place) back(tr trap) {
	switch {
	case tr.staged == "":
		_ = os.Remove(tr.target) // its writer may have replaced it
	case exchange(tr.staged, tr.target) != nil:
		p.t.Errorf("%s cannot be put back", tr.target)
	}
	p.swaps.Add(1)
}

// exchange swaps two paths in one step.
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
