package attribution

import (
	"path"
	"strings"
	"testing"

	"ctxledger.dev/internal/paths"
)

func TestNormal(t *testing.T) {
	for _, test := range []struct {
		root, dir, in, want string
		outside             bool
	}{
		{"/w", "", "a.go", "a.go", false},
		{"/w", "", "./x/../a.go", "a.go", false},
		{"/w", "", "/w/a.go", "a.go", false},
		{"/w/", "", "/w/a.go", "a.go", false},
		{"/w", "/w/sub", "a.go", "sub/a.go", false},
		{"/w", "/w/sub", "../a.go", "a.go", false},
		{"/w", "", "/w", ".", false},
		{"/w", "", ".", ".", false},
		{"/w", "", "../a", "/a", true},
		{"/w", "", "../../../etc/passwd", "/etc/passwd", true},
		{"/w", "", "/w-evil/a", "/w-evil/a", true},
		{"/w", "", "/W/a", "/W/a", true},
		{"/w", "", "/", "/", true},
		{"/w", "/elsewhere/p", "a", "a", false}, // a session from another machine
		{"/w", "/elsewhere/p", "/elsewhere/p/a", "a", false},
		{"/w", "/elsewhere/p", "/elsewhere/px/a", "/elsewhere/px/a", true},
		{"/w", "/elsewhere/p", "/w/a", "a", false},
		{"/a/b", "/a/b-evil", "x", "x", false}, // a twin of the root is another directory
		{"/a/b", "/a/b-evil", "/a/b/x", "x", false},
		{"/", "", "/etc/hosts", "etc/hosts", false},
		{"", "", "a", "a", false},
		{"", "", "/a", "/a", true},
		{"", "/home/x", "a", "a", false},
		{"/w", "/elsewhere/p", `src\a.go`, `src\a.go`, false}, // a name with a backslash is one name
		{"/w", `C:\proj`, `src\a.go`, "src/a.go", false},
		{"/w", `C:\proj`, `c:/PROJ/src/a.go`, "src/a.go", false},
		{"/w", `C:\proj`, `\\?\C:\proj\src\a.go`, "src/a.go", false},
		{"/w", `C:\proj`, "/mnt/c/proj/src/a.go", "src/a.go", false},
		{"/w", "/mnt/c/proj", `C:\proj\src\a.go`, "src/a.go", false},
		{"/mnt/c/w", "/mnt/c/w", `C:\w\src\a.go`, "src/a.go", false},
		{"/mnt/c/w", "/mnt/c/w", `a\b.go`, `a\b.go`, false},
		{"/w", `\\srv\share\p`, `\\?\UNC\Srv\Share\p\a.go`, "a.go", false},
		{"/w", `\\srv\share\p`, `\\srv\share\q\a.go`, `\\srv\share/q/a.go`, true},
		{"/w", "", "/mnt/c/x", "C:/x", true},
		{"/w", `C:\proj`, `C:\proj\src\a.go`, "src/a.go", false},
		{"/w", `C:\proj`, `C:\other\a.go`, "C:/other/a.go", true},
		{"/w", "", "c:/x", "C:/x", true},
		{"/w", "", "1:/x", "1:/x", false},
		{"/w", "", "", "", false},
		{"/w", "", "a\x00b", "", false},
		{"/w", "", "a\nb", "", false},
		{"/w", "", strings.Repeat("a", 5000), "", false},
	} {
		l := NewTrees(test.root, nil, nil, nil)
		got, outside := l.Normal(test.dir, test.in)
		if got != test.want || outside != test.outside {
			t.Errorf("root %q, dir %q: %q is %q outside %v, want %q %v", test.root, test.dir, test.in, got, outside,
				test.want, test.outside)
		}
	}
}

// FuzzNormalIsStable: a path that was normalised stays as it is, has no way up, and is inside or
// absolute.
func FuzzNormalIsStable(f *testing.F) {
	for _, s := range []string{"a", "../a", "/w/a", "/w/../x", "C:\\a\\b", "//x", "a/./b/../../..", "\xff/x", "/w/.."} {
		f.Add("/w", "/w/sub", s)
		f.Add("/w", "/other", s)
		f.Add("/", "", s)
	}
	f.Fuzz(func(t *testing.T, root, dir, p string) {
		if !strings.HasPrefix(root, "/") || dir != "" && !strings.HasPrefix(dir, "/") ||
			strings.ContainsAny(root+dir, "\x00\n") {
			t.Skip() // directories of a host are absolute
		}
		l := NewTrees(path.Clean(root), nil, nil, nil)
		got, outside := l.Normal(dir, p)
		if got == "" || !outside && paths.IsAbs(got) {
			return // a directory that is called like a drive
		}
		if outside != paths.IsAbs(got) {
			t.Fatalf("%q outside %v", got, outside)
		}
		if !outside && (got == ".." || strings.HasPrefix(got, "../") || got != path.Clean(got)) {
			t.Fatalf("%q reaches up", got)
		}
		if again, out := l.Normal(dir, got); outside && (again != got || !out) {
			t.Fatalf("%q becomes %q", got, again)
		}
		if again, out := l.Normal("", got); !outside && (again != got || out) {
			t.Fatalf("%q becomes %q", got, again)
		}
	})
}
