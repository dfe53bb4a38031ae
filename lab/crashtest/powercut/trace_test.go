package powercut

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestParseTrace: calls of several threads are put together, and what is not a trace is refused.
func TestParseTrace(t *testing.T) {
	const trace = `17    openat(AT_FDCWD, "\x2f\x61", O_RDWR|O_CREAT, 0600) = 3
18    pwrite64(3, "\x68\x69", 2, 4096 <unfinished ...>
17    fsync(3 <unfinished ...>
18    <... pwrite64 resumed>) = 2
17    <... fsync resumed>) = 0
17    close(3) = -1 EBADF (Bad file descriptor)
18    bind(4, {sa_family=AF_UNIX, sun_path="\x2f\x73"}, 110) = 0
17    fsync(5 <unfinished ...>
`
	calls, err := parseTrace(strings.NewReader(trace))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range calls {
		got = append(got, fmt.Sprintf("%s/%d = %d %v, lines %d-%d", c.name, len(c.args), c.ret, c.failed,
			c.begin, c.end))
	}
	want := []string{
		"openat/4 = 3 false, lines 1-1", "pwrite64/4 = 2 false, lines 2-4", "fsync/1 = 0 false, lines 3-5",
		"close/1 = -1 true, lines 6-6", "bind/3 = 0 false, lines 7-7",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
	if data, err := calls[1].bytes(1); err != nil || string(data) != "hi" {
		t.Errorf("data %q, %v", data, err)
	}
	for _, bad := range []string{
		"openat(1) = 2",               // no thread
		"17 <... fsync resumed>) = 0", // never begun
		"17 fsync(3",                  // cut off
		"17 fsync(3)",                 // no result
		"17 fsync(3) = many",          // no number
		"17 --- SIGURG ---",           // not a call
		`17 write(1, "abc, 3) = 3`,    // text without an end
		"17 fsync(3 <unfinished ...>\n17 fsync(4 <unfinished ...>", // one thread, two calls
	} {
		if calls, err := parseTrace(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was read as %+v", bad, calls)
		}
	}
	for _, cut := range []string{`"\x61"...`, `"a"`, `\x61`, `"\x6"`, `"\x61\x`} {
		if b, err := unquote(cut); err == nil {
			t.Errorf("%q was read as %q", cut, b)
		}
	}
}

// print writes a call as strace does.
func (c call) print() string {
	return fmt.Sprintf("1 %s(%s) = %d", c.name, strings.Join(c.args, ", "), c.ret)
}

// FuzzParseTrace: what is read can be written and read again, unchanged, and is no longer than the
// trace.
func FuzzParseTrace(f *testing.F) {
	f.Add("17 openat(3, \"\\x61\", O_RDWR) = 4\n18 fsync(3 <unfinished ...>\n17 close(4) = 0\n18 <... fsync " +
		"resumed>) = 0\n")
	f.Add("1 bind(4, {a=[1, 2], b=\"\\x2f\"}, 3) = -1 EINVAL (x)\n")
	f.Add("1 a(,) = ?\n")
	f.Add("1 openat(AT_FDCWD, \"\\x2f\\x64\\x2f\\x2e\", O_RDONLY|O_CLOEXEC) = 5\n1 openat(5, \"\\x2e\", " +
		"O_RDONLY|O_NOFOLLOW) = 6\n")
	f.Fuzz(func(t *testing.T, trace string) {
		calls, err := parseTrace(strings.NewReader(trace))
		if err != nil {
			return
		}
		size := 0
		for _, c := range calls {
			for _, a := range c.args {
				size += len(a)
			}
			again, err := parseTrace(strings.NewReader(c.print()))
			if err != nil || len(again) != 1 {
				t.Fatalf("%q is not read again: %v", c.print(), err)
			}
			a := again[0]
			if a.name != c.name || a.ret != c.ret || strings.Join(a.args, "|") != strings.Join(c.args, "|") {
				t.Fatalf("%+v became %+v", c, a)
			}
			if c.begin > c.end {
				t.Fatalf("ends at line %d and begins at %d", c.end, c.begin)
			}
		}
		if size > len(trace) {
			t.Fatalf("%d bytes of arguments in %d bytes of trace", size, len(trace))
		}
	})
}
