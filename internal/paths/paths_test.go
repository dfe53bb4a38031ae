package paths

import (
	"path"
	"strings"
	"testing"
)

// spellings are the paths of one file each.
var spellings = [][]string{
	{`C:\a\B.go`, "c:/a/B.go", `c:\A/b.GO`, `\\?\C:\a\B.go`, `\\.\c:\a\B.go`, "//?/C:/a/B.go", "/mnt/c/a/B.go",
		`C:\a\x\..\B.go`, `C:\\a\.\B.go`, "/mnt//c/./a/B.go"},
	{`\\server\share\x\Y`, `\\Server\Share\x\y`, `\\?\UNC\server\share\x\Y`, `\\?\unc\server\share/x/Y`,
		"//?/UNC/server/share/x/Y", `\\server/share/x/Y`},
	{`C:\`, "c:/", "/mnt/c", "/mnt/c/", `\\?\C:\`},
	{"/home/a/B.go", "/home/./a/B.go", "//home/a/B.go", "/home/a/x/../B.go"},
}

// alone are paths that are not those of any other here or above.
var alone = []string{"/a/B.go", "/a/b.go", `/a\B.go`, `a\B.go`, "a/B.go",
	"d:/a/B.go", "/mnt/d/a/C.go", `/mnt/c/a\B.go`,
	"/mnt/C/a/B.go", "/mnt/cd/a/B.go", "/mnt/a", "/c/a/B.go", "C:a/B.go", "C:",
	`\\server\other\x\Y`, "/server/share/x/Y",
	`\a\B.go`, `\\server`, "/mnt", "1:/a/B.go", "/?/C:/a/B.go", `\\?\a`}

// TestSpellingsOfAPathHaveOneKey and no others have it.
func TestSpellingsOfAPathHaveOneKey(t *testing.T) {
	owner := map[string]string{}
	for _, all := range spellings {
		for _, p := range all {
			if Key(p) != Key(all[0]) || !IsAbs(p) {
				t.Errorf("%q has the key %q, and %q has %q", p, Key(p), all[0], Key(all[0]))
			}
		}
		owner[Key(all[0])] = all[0]
	}
	for _, p := range alone {
		if other := owner[Key(p)]; other != "" {
			t.Errorf("%q has the key of %q: %q", p, other, Key(p))
		}
		owner[Key(p)] = p
	}
}

// TestAbsIsOneSpelling but for the case of names.
func TestAbsIsOneSpelling(t *testing.T) {
	for _, c := range []struct{ dir, p, want string }{
		{`C:\Proj`, `src\A.go`, "C:/Proj/src/A.go"},
		{`C:\Proj`, `..\..\..\A.go`, "C:/A.go"},
		{`C:\Proj`, `\\?\c:\Proj\A.go`, "C:/Proj/A.go"},
		{`C:\Proj`, "/mnt/c/Proj/A.go", "C:/Proj/A.go"},
		{`C:\Proj`, "//Server/Share/A.go", `\\server\share/A.go`},
		{`\\Server\Share`, `x\A.go`, `\\server\share/x/A.go`},
		{"/proj", `src\A.go`, `/proj/src\A.go`},
		{"/mnt/c/proj", `src\A.go`, `/mnt/c/proj/src\A.go`},
		{"/mnt/c/proj", "src/A.go", "C:/proj/src/A.go"},
		{"/proj", "//server/share/A.go", "/server/share/A.go"},
		{"", `src\A.go`, `src\A.go`},
		{"", "./A.go", "A.go"},
	} {
		if got := Abs(c.dir, c.p); got != c.want {
			t.Errorf("%q in %q is %q, want %q", c.p, c.dir, got, c.want)
		}
	}
}

// TestBelowKeepsWhatIsWritten, whatever the spellings of both.
func TestBelowKeepsWhatIsWritten(t *testing.T) {
	for _, c := range []struct{ dir, p, want string }{
		{`C:\Proj`, "c:/proj/src/A.go", "src/A.go"},
		{`C:\Proj\`, `\\?\C:\PROJ\src\A.go`, "src/A.go"},
		{"/mnt/c/proj", `C:\Proj\src\A.go`, "src/A.go"},
		{`C:\Proj`, "/mnt/c/Proj/src/A.go", "src/A.go"},
		{`C:\Proj`, "/mnt/c/Proj", "."},
		{`C:\`, `c:\A.go`, "A.go"},
		{`\\server\share`, `\\?\UNC\Server\Share\x\A.go`, "x/A.go"},
		{`C:\Proj`, `C:\Project\A.go`, ""},
		{"/proj", "/Proj/A.go", ""},
		{"/", "/etc/hosts", "etc/hosts"},
		{"/proj", `/proj/a\b.go`, `a\b.go`},
		{"", "/a", ""},
		{"/mnt/d/proj", `/mnt/d/proj/a\b.go`, `a\b.go`},
	} {
		if got, ok := Below(c.dir, c.p); got != c.want || ok != (c.want != "") {
			t.Errorf("%q below %q is %q, want %q", c.p, c.dir, got, c.want)
		}
	}
}

// FuzzKey: a key is its own key, what is written in full has the key of what was written, and POSIX paths keep apart
// unless WSL shows a drive there.
func FuzzKey(f *testing.F) {
	for _, all := range append(spellings, alone) {
		for _, p := range all {
			f.Add(p, `C:\x`)
		}
	}
	f.Fuzz(func(t *testing.T, p, q string) {
		if key := Key(p); Key(key) != key {
			t.Errorf("the key of %q is %q, and its key %q", p, key, Key(key))
		}
		if full := Abs("", p); Abs("", full) != full || Key(full) != Key(p) {
			t.Errorf("%q is %q in full, and that %q with the key %q, not %q", p, full, Abs("", full), Key(full), Key(p))
		}
		if full := Abs(q, p); IsAbs(q) && Abs("", full) != full {
			t.Errorf("%q in %q is %q, and that is %q", p, q, full, Abs("", full))
		}
		posix := func(s string) bool { return strings.HasPrefix(s, "/") && !Windows(s) }
		if posix(p) && posix(q) && Key(p) == Key(q) && path.Clean(p) != path.Clean(q) {
			t.Errorf("%q and %q have one key: %q", p, q, Key(p))
		}
		if posix(p) && Windows(q) && Key(p) == Key(q) {
			t.Errorf("%q has the key of %q", p, q)
		}
		if rest, ok := Below(q, p); ok && IsAbs(q) && IsAbs(p) && rest != "." && Key(Abs(q, "./"+rest)) != Key(p) {
			t.Errorf("%q below %q is %q, which is %q", p, q, rest, Abs(q, "./"+rest))
		}
	})
}
