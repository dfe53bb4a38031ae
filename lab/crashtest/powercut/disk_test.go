package powercut

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// follow plays a trace, of which each line is a call of thread 1, on a disk at /d.
func follow(t *testing.T, lines ...string) *disk {
	t.Helper()
	d := newDisk("/d")
	calls, err := parseTrace(strings.NewReader("1 " + strings.Join(lines, "\n1 ") + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range eventsOf(calls) {
		if err := d.follow(e); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// printed is a text as strace -xx prints it.
func printed(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		const digits = "0123456789abcdef"
		b.WriteString(`\x` + string(digits[c>>4]) + string(digits[c&15]))
	}
	return b.String() + `"`
}

// outcomes returns what a disk may hold after the power has failed, each as "name=content" of its
// files.
func outcomes(t *testing.T, d *disk) []string {
	t.Helper()
	seen := map[string]bool{}
	for n := range uint64(400) {
		at := filepath.Join(t.TempDir(), "image")
		if err := d.save(at, newFate(rand.New(rand.NewPCG(1, n)), d)); err != nil {
			t.Fatal(err)
		}
		var files []string
		err := fs.WalkDir(os.DirFS(at), ".", func(p string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			raw, err := os.ReadFile(filepath.Join(at, p))
			files = append(files, p+"="+strings.TrimRight(string(raw), "\x00"))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		seen[strings.Join(files, " ")] = true
	}
	var all []string
	for s := range seen {
		all = append(all, s)
	}
	slices.Sort(all)
	return all
}

// TestWhatAPowerCutLeaves: what was synced is there in every image, of the rest every combination
// is met.
func TestWhatAPowerCutLeaves(t *testing.T) {
	create := "openat(AT_FDCWD, " + printed("/d/a") + ", O_RDWR|O_CREAT, 0600) = 3"
	openRoot := "openat(AT_FDCWD, " + printed("/d") + ", O_RDONLY) = 4"
	one, two := "pwrite64(3, "+printed("1")+", 1, 0) = 1", "pwrite64(3, "+printed("2")+", 1, 1) = 1"
	other := "openat(AT_FDCWD, " + printed("/d/b") + ", O_RDWR|O_CREAT, 0600) = 5"
	move := "renameat(AT_FDCWD, " + printed("/d/a") + ", AT_FDCWD, " + printed("/d/b") + ") = 0"
	for _, c := range []struct {
		name string
		do   []string
		want []string
	}{
		{"nothing synced", []string{create, one}, []string{"", "a=", "a=1"}},
		{"content synced, name not", []string{create, one, "fsync(3) = 0"}, []string{"", "a=1"}},
		{"both synced", []string{create, one, "fsync(3) = 0", openRoot, "fsync(4) = 0"}, []string{"a=1"}},
		{"a failed sync syncs nothing", []string{create, one, openRoot, "fsync(4) = 0", "fsync(3) = -1 EIO (x)"},
			[]string{"a=", "a=1"}},
		{"writes in any order", []string{create, openRoot, "fsync(4) = 0", one, two},
			[]string{"a=", "a=\x002", "a=1", "a=12"}},
		{"renamed inside a directory", []string{create, one, "fsync(3) = 0", openRoot, "fsync(4) = 0", move},
			[]string{"a=1", "b=1"}},
		{"removed", []string{create, one, "fsync(3) = 0", openRoot, "fsync(4) = 0",
			"unlinkat(4, " + printed("a") + ", 0) = 0"}, []string{"", "a=1"}},
		{"appended", []string{create, openRoot, "fsync(4) = 0", "write(3, " + printed("x") + ", 1) = 1",
			"write(3, " + printed("y") + ", 1) = 1"}, []string{"a=", "a=\x00y", "a=x", "a=xy"}},
		{"a directory opened as itself", []string{
			"mkdirat(AT_FDCWD, " + printed("/d/s") + ", 0700) = 0", openRoot, "fsync(4) = 0",
			"openat(AT_FDCWD, " + printed("/d/s/.") + ", O_RDONLY) = 6",
			"openat(6, " + printed(".") + ", O_RDONLY) = 7",
			"openat(7, " + printed("a") + ", O_RDWR|O_CREAT, 0600) = 8", "pwrite64(8, " + printed("1") + ", 1, 0) = 1",
			"fsync(8) = 0", "fsync(6) = 0", "renameat(7, " + printed("a") + ", 6, " + printed("./b") + ") = 0",
		}, []string{"s/a=1", "s/b=1"}},
		{"the root opened as itself",
			[]string{create, "fsync(3) = 0", "openat(AT_FDCWD, " + printed("/d/.") + ", O_RDONLY) = 4", "fsync(4) = 0"},
			[]string{"a="}},
		{"two names", []string{create, other}, []string{"", "a=", "a= b=", "b="}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := outcomes(t, follow(t, c.do...)); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestSyncTakesWhatWasThereWhenItBegan: a write that ends while a sync is under way is not made
// durable by it.
func TestSyncTakesWhatWasThereWhenItBegan(t *testing.T) {
	d := newDisk("/d")
	trace := `1 openat(AT_FDCWD, ` + printed("/d/a") + `, O_RDWR|O_CREAT, 0600) = 3
1 openat(AT_FDCWD, ` + printed("/d") + `, O_RDONLY) = 4
1 fsync(4) = 0
1 fsync(3 <unfinished ...>
2 pwrite64(3, ` + printed("1") + `, 1, 0) = 1
1 <... fsync resumed>) = 0
`
	calls, err := parseTrace(strings.NewReader(trace))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range eventsOf(calls) {
		if err := d.follow(e); err != nil {
			t.Fatal(err)
		}
	}
	if got := outcomes(t, d); !slices.Equal(got, []string{"a=", "a=1"}) {
		t.Errorf("got %q", got)
	}
}

// TestAReaderMayComeBeforeARenameReturns: it opens the new name while the trace still has the call as unfinished.
func TestAReaderMayComeBeforeARenameReturns(t *testing.T) {
	d := follow(t,
		"openat(AT_FDCWD, "+printed("/d/new")+", O_WRONLY|O_CREAT, 0600) = 3",
		"pwrite64(3, "+printed("1")+", 1, 0) = 1",
		"openat(AT_FDCWD, "+printed("/d/a")+", O_RDONLY|O_CLOEXEC) = 4",
		"renameat(AT_FDCWD, "+printed("/d/new")+", AT_FDCWD, "+printed("/d/a")+") = 0",
		"close(4) = 0",
	)
	if got := outcomes(t, d); !slices.Contains(got, "a=1") {
		t.Errorf("got %q", got)
	}
}

// TestWhatIsNotUnderstoodFails: the model does not guess.
func TestWhatIsNotUnderstoodFails(t *testing.T) {
	create := "1 openat(AT_FDCWD, " + printed("/d/a") + ", O_RDWR|O_CREAT, 0600) = 3\n"
	for _, line := range []string{
		"fallocate(3, 0, 0, 4096) = 0",
		"mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 3, 0) = 140000",
		"fcntl(3, F_DUPFD_CLOEXEC, 0) = 4",
		"openat(AT_FDCWD, " + printed("a") + ", O_RDONLY) = 5",
		"openat(AT_FDCWD, " + printed("/d/never") + ", O_RDWR) = 5",
		"openat(AT_FDCWD, " + printed("/d/never/.") + ", O_RDONLY) = 5",
		"openat(AT_FDCWD, " + printed("/d/a/.") + ", O_RDONLY) = 5",
		"openat(AT_FDCWD, " + printed("/elsewhere/../d/a") + ", O_RDONLY) = 5",
		"openat(AT_FDCWD, " + printed("/proc/self/fd/3") + ", O_RDWR) = 5",
		"openat(AT_FDCWD, " + printed("/d") + ", O_RDWR|O_TMPFILE, 0600) = 5",
		"mkdirat(AT_FDCWD, " + printed("/d/.") + ", 0700) = 0",
		"renameat2(AT_FDCWD, " + printed("/d/a") + ", AT_FDCWD, " + printed("/d/b") + ", RENAME_EXCHANGE) = 0",
		"unlinkat(AT_FDCWD, " + printed("/d/never") + ", 0) = 0",
		"renameat(AT_FDCWD, " + printed("/d/a") + ", AT_FDCWD, " + printed("/elsewhere") + ") = 0",
		"pwrite64(3, \"\\x61\"..., 900, 0) = 900",
	} {
		calls, err := parseTrace(strings.NewReader(create + "1 " + line + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		d := newDisk("/d")
		for _, e := range eventsOf(calls) {
			err = errors.Join(err, d.follow(e))
		}
		if err == nil {
			t.Errorf("%s was accepted", line)
		}
	}
}

// TestContent: blocks and holes are what a plain slice is.
func TestContent(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var c content
	var plain []byte
	for range 2000 {
		if rng.IntN(5) == 0 {
			size := rng.IntN(3 * block)
			c.truncate(int64(size))
			plain = append(plain, make([]byte, max(0, size-len(plain)))...)[:size]
			continue
		}
		data := bytes.Repeat([]byte{byte(1 + rng.IntN(255))}, 1+rng.IntN(2*block))
		off := rng.IntN(3 * block)
		before := c.clone()
		c.write(int64(off), data)
		if !before.equals(plain) {
			t.Fatal("a write has changed a copy")
		}
		plain = append(plain, make([]byte, max(0, off+len(data)-len(plain)))...)
		copy(plain[off:], data)
		if !c.equals(plain) {
			t.Fatal("the content is not what was written")
		}
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := c.save(path); err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(path); err != nil || !bytes.Equal(raw, plain) {
		t.Errorf("saved %d bytes of %d, %v", len(raw), len(plain), err)
	}
}
