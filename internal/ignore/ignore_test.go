package ignore

import (
	"path"
	"strings"
	"testing"
)

// rules makes rules from files given as name, content.
func rules(files map[string]string) *Rules {
	return New(func(name string) []byte {
		if s, ok := files[name]; ok {
			return []byte(s)
		}
		return nil
	})
}

// Expected values were compared with git check-ignore.
func TestIgnoredAsGitDoes(t *testing.T) {
	r := rules(map[string]string{
		".git/info/exclude":   "local.txt\n*.bak\n",
		".gitignore":          "\ufeff# comment\n\n*.log\n!keep.log\n/top.txt\nbuild/\ndoc/*.txt\n**/deep/x\n\\#hash\n\\!bang\ntrail  \r\nfoo/**/bar\nlogs/**\n!sub\n!a.bak\n",
		"sub/.gitignore":      "!important.log\n/own.txt\nnested/\n*.tmp\n",
		"sub/more/.gitignore": "!x.tmp\n",
		"build/.gitignore":    "!out\n",
	})
	for name, want := range map[string]bool{
		"a.go": false, "x.log": true, "d/x.log": true, "keep.log": false, "d/keep.log": false,
		"top.txt": true, "d/top.txt": false, "build/": true, "build": false, "build/out": true, "d/build/": true, "d/build/x/y": true,
		"doc/a.txt": true, "doc/d/a.txt": false, "deep/x": true, "a/b/deep/x": true, "deep/y": false,
		"#hash": true, "!bang": true, "trail": true, "foo/bar": true, "foo/a/b/bar": true, "foo/a/b/baz": false,
		"logs/": true, "logs/a": true, "logs/a/b": true, "local.txt": true, "d/local.txt": true, "x.bak": true, "a.bak": false,
		"sub/x.log": true, "sub/important.log": false, "sub/d/important.log": false, "sub/own.txt": true, "sub/d/own.txt": false,
		"sub/nested/": true, "sub/nested/a": true, "nested/": false, "sub/x.tmp": true, "sub/more/x.tmp": false, "sub/more/y.tmp": true, "x.tmp": false,
		".": false, "": false,
	} {
		dir := strings.HasSuffix(name, "/")
		if got := r.Ignored(strings.TrimSuffix(name, "/"), dir); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

func TestPatternsAreBounded(t *testing.T) {
	many := strings.Repeat("x\n", maxPatterns) + "late\n"
	if r := rules(map[string]string{".gitignore": many}); r.Ignored("late", false) || !r.Ignored("x", false) {
		t.Error("patterns beyond the limit count")
	}
}

// FuzzWhatLiesInAnIgnoredDirectoryIsIgnored: whatever the patterns, they are read, an answer does not
// depend on what was asked before, and ignoring a directory ignores what is in it.
func FuzzWhatLiesInAnIgnoredDirectoryIsIgnored(f *testing.F) {
	f.Add("build/\n!build/x\n*.log", "!y", "build/x", "y")
	f.Add("[", "**/**/**", "a/b", "c")
	f.Add("a**b/**\n/**/", "\\", "a/b", "c")
	f.Fuzz(func(t *testing.T, top, nested, dir, name string) {
		if dir = path.Clean("/" + dir)[1:]; dir == "" || strings.Contains(name, "/") || name == "" || name == "." || name == ".." {
			return
		}
		files := map[string]string{".gitignore": top, dir + "/.gitignore": nested}
		r := rules(files)
		in := r.Ignored(dir+"/"+name, false)
		if rules(files).Ignored(dir, true) && !in {
			t.Errorf("%q is ignored, %q in it is not", dir, name)
		}
		if again := r.Ignored(dir+"/"+name, false); again != in {
			t.Errorf("%q: first %v, then %v", dir+"/"+name, in, again)
		}
	})
}
