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
		"top.txt": true, "d/top.txt": false, "build/": true, "build": false,
		"build/out": true, "d/build/": true, "d/build/x/y": true,
		"doc/a.txt": true, "doc/d/a.txt": false, "deep/x": true, "a/b/deep/x": true, "deep/y": false,
		"#hash": true, "!bang": true, "trail": true, "foo/bar": true, "foo/a/b/bar": true, "foo/a/b/baz": false,
		"logs/": false, "logs/a": true, "logs/a/b": true, "local.txt": true,
		"d/local.txt": true, "x.bak": true, "a.bak": false,
		"sub/x.log": true, "sub/important.log": false, "sub/d/important.log": false,
		"sub/own.txt": true, "sub/d/own.txt": false,
		"sub/nested/": true, "sub/nested/a": true, "nested/": false, "sub/x.tmp": true, "sub/more/x.tmp": false,
		"sub/more/y.tmp": true, "x.tmp": false, ".": false, "": false,
	} {
		dir := strings.HasSuffix(name, "/")
		if got := r.Ignored(strings.TrimSuffix(name, "/"), dir); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

// Each line is a pattern, what it matches and what it does not; a slash at the end makes a directory. The
// values are those of git check-ignore.
func TestPatternsMatchAsInGit(t *testing.T) {
	for _, c := range []struct {
		pattern  string
		yes, not []string
	}{
		{"*.log", []string{"a.log", "d/a.log", ".log", "d.log/"}, []string{"a.log2", "log"}},
		{"a?c", []string{"abc", "x/a-c"}, []string{"ac", "a/c", "aéc"}},
		{"a??c", []string{"aéc"}, []string{"abc"}},
		{"[!a]*", []string{"b", "ba", "x/b", "a/b"}, []string{"a", "ab"}},
		{"[^a]x", []string{"bx"}, []string{"ax", "x"}},
		{"[a-c-e]", []string{"b", "-", "e"}, []string{"d"}},
		{"[]a]", []string{"]", "a"}, []string{"b"}},
		{"[\\]x]", []string{"]", "x"}, []string{"\\"}},
		{"[[:digit:]x]", []string{"7", "x"}, []string{"a", ":"}},
		{"[[:punct:]]", []string{"_", "~"}, []string{"a", "1"}},
		{"[[:nope:]]", nil, []string{"n", "a"}},
		{"[a", nil, []string{"a", "[a"}},
		{"a\\", nil, []string{"a", "a\\"}},
		{"\\*", []string{"*"}, []string{"a"}},
		{"\\#x", []string{"#x"}, nil},
		{"a\\ ", []string{"a "}, []string{"a"}},
		{"a  ", []string{"a"}, []string{"a  "}},
		{"/a", []string{"a", "a/"}, []string{"x/a"}},
		{"a/", []string{"a/", "x/a/", "a/b"}, []string{"a"}},
		{"a/b", []string{"a/b", "a/b/c"}, []string{"x/a/b"}},
		{"a\\/b", []string{"a/b"}, []string{"a"}},
		{"a/*", []string{"a/b", "a/b/c"}, []string{"a", "a/"}},
		{"*/b", []string{"a/b"}, []string{"b", "a/c/b"}},
		{"**/b", []string{"b", "a/b", "a/c/b", "b/x"}, []string{"ab"}},
		{"a/**", []string{"a/b", "a/b/c"}, []string{"a", "a/"}},
		{"a/**/b", []string{"a/b", "a/x/b", "a/x/y/b"}, []string{"b", "a/x"}},
		{"a/***/b", []string{"a/b", "a/x/y/b"}, []string{"b"}},
		{"a/**/", []string{"a/b/"}, []string{"a/", "a/b"}},
		{"a/x**/b", []string{"a/xy/b"}, []string{"a/y/b"}},
		{"a//b", nil, []string{"a/b"}},
		{"/", nil, []string{"a", "a/"}},
		{"!", nil, []string{"a", "!"}},
	} {
		r := rules(map[string]string{".gitignore": c.pattern + "\n"})
		for _, name := range c.yes {
			if !r.Ignored(strings.TrimSuffix(name, "/"), strings.HasSuffix(name, "/")) {
				t.Errorf("%q does not match %q", c.pattern, name)
			}
		}
		for _, name := range c.not {
			if r.Ignored(strings.TrimSuffix(name, "/"), strings.HasSuffix(name, "/")) {
				t.Errorf("%q matches %q", c.pattern, name)
			}
		}
	}
}

// A pattern that takes out a directory again takes out what is in it.
func TestADirectoryTakenOutAgainIsNotIgnored(t *testing.T) {
	r := rules(map[string]string{".gitignore": "**/foo\n!*/\n", "deep/.gitignore": "foo/**\n"})
	for name, want := range map[string]bool{
		"foo/": false, "foo/b": false, "foo": true, "deep/foo": true, "deep/x": false, "deep/foo/x": true,
	} {
		if got := r.Ignored(strings.TrimSuffix(name, "/"), strings.HasSuffix(name, "/")); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

// What takes other matchers time without end: many stars, and many steps of any depth.
func TestHostilePatternsTakeNoTime(t *testing.T) {
	stars, steps := strings.Repeat("*a", 100)+"b", strings.Repeat("**/a/", 100)+"b"
	r := rules(map[string]string{".gitignore": stars + "\n" + steps + "\n"})
	if r.Ignored(strings.Repeat("a", 255), false) || r.Ignored(strings.Repeat("a/", 100)+"c", false) {
		t.Error("they match")
	}
}

// What an answer costs in a deep directory does not grow with the square of its depth.
func TestADeepPathTakesNoMemoryForEachStep(t *testing.T) {
	r := rules(map[string]string{".gitignore": "*.log\n"})
	name := strings.Repeat("d/", 1000) + "f"
	if n := testing.AllocsPerRun(10, func() { r.Ignored(name, false) }); n > 10 {
		t.Errorf("%v allocations for a path of 1000 steps", n)
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
		dir = path.Clean("/" + dir)[1:]
		if dir == "" || strings.Contains(name, "/") || name == "" || name == "." || name == ".." {
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
