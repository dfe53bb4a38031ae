//go:build unix

package safefs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"ctxledger.dev/internal/fault"
)

// openers are the ways to open a path that others can replace. A newcomer adds a row.
var openers = []struct {
	name      string
	open      func(root *os.Root, path string) (io.Closer, error)
	link, dir bool // whether a link to a file, or a directory, may be opened
}{
	{"OpenFile", func(_ *os.Root, path string) (io.Closer, error) { f, _, err := OpenFile(path); return f, err }, true,
		false},
	{"OpenListed", func(_ *os.Root, path string) (io.Closer, error) { f, _, err := OpenListed(path); return f, err },
		false, false},
	{"OpenAppend", func(_ *os.Root, path string) (io.Closer, error) { f, _, err := OpenAppend(path); return f, err },
		false, false},
	{"OpenIn", func(r *os.Root, path string) (io.Closer, error) {
		f, _, err := OpenIn(r, filepath.Base(path), os.O_RDWR)
		return f, err
	}, true, false},
	{"Files", func(r *os.Root, path string) (io.Closer, error) { return Files(r).Open(filepath.Base(path)) }, true,
		true},
	{"ReadFile", func(_ *os.Root, path string) (io.Closer, error) {
		_, err := ReadFile(path, 10)
		return io.NopCloser(nil), err
	}, true, false},
	{"OpenDir", func(_ *os.Root, path string) (io.Closer, error) { return OpenDir(path) }, false, true},
	{"OpenDirIn", func(r *os.Root, path string) (io.Closer, error) { return OpenDirIn(r, filepath.Base(path)) }, false,
		true},
	{"OpenRoot", func(_ *os.Root, path string) (io.Closer, error) { return OpenRoot(path) }, false, true},
}

// things are what can lie at a path.
var things = []struct {
	name string
	make func(path string) error
}{
	{"file", func(path string) error { return os.WriteFile(path, []byte("text"), 0o600) }},
	{"pipe", func(path string) error { return syscall.Mkfifo(path, 0o600) }},
	{"socket", func(path string) error { return syscall.Mknod(path, syscall.S_IFSOCK|0o600, 0) }},
	{"link", func(path string) error { return os.Symlink("target", path) }},
	{"link to a pipe", func(path string) error { return os.Symlink("pipe", path) }},
	{"directory", func(path string) error { return os.Mkdir(path, 0o700) }},
}

// hang is how long an open may take before it counts as waiting for somebody.
const hang = 20 * time.Second

// within fails the test when fn does not return.
func within(t *testing.T, what string, fn func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); fn() }()
	select {
	case <-done:
	case <-time.After(hang):
		t.Fatalf("%s: waits", what)
	}
}

func TestOnlyWhatIsWantedIsOpened(t *testing.T) {
	for _, o := range openers {
		for _, x := range things {
			t.Run(o.name+"/"+x.name, func(t *testing.T) {
				dir := t.TempDir()
				put(t, filepath.Join(dir, "target"), "text")
				must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
				path := filepath.Join(dir, "x")
				if err := x.make(path); err != nil {
					t.Skip(err)
				}
				root, err := os.OpenRoot(dir)
				must(t, err)
				defer root.Close() // only read
				within(t, x.name, func() {
					c, err := o.open(root, path)
					wanted := x.name == "file" && !(o.dir && !o.link) || x.name == "link" && o.link ||
						x.name == "directory" && o.dir
					if (err == nil) != wanted {
						t.Errorf("%v", err)
					}
					if err == nil {
						_ = c.Close() // only read
					} else if !o.dir && !fault.Is(err, fault.Invalid) {
						t.Errorf("%v has code %s", err, fault.CodeOf(err))
					}
				})
			})
		}
	}
}

func TestWhatIsMissingIsMissing(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	must(t, err)
	defer root.Close() // only read
	for _, o := range openers {
		_, err := o.open(root, filepath.Join(root.Name(), "none"))
		if o.name != "OpenAppend" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", o.name, err)
		}
		_ = os.Remove(filepath.Join(root.Name(), "none"))
	}
}

// A path that is a file, a pipe, a link and a directory in turn never makes any opener wait.
func TestNoOpenerWaitsForAPipeSwappedIn(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "target"), "text")
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	path := filepath.Join(dir, "x")
	put(t, path, "text")
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close() // only read
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			_ = os.RemoveAll(path + ".new")
			_ = things[i%len(things)].make(path + ".new")
			_ = os.Remove(path)
			_ = os.Rename(path+".new", path)
		}
	}()
	within(t, "an opener", func() {
		for range swaps / 4 {
			for _, o := range openers {
				if c, err := o.open(root, path); err == nil {
					_ = c.Close() // only read
				}
			}
		}
	})
	close(done)
	<-stopped
}
