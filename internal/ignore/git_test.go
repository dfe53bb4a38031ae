package ignore

import (
	"flag"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var trees = flag.Int("trees", 60, "random trees to compare with git")

// The steps of paths and of patterns in random trees. A pattern like a** in front of a slash is not among
// them: there the package follows git's documentation, and git does more.
var (
	names  = []string{"a", "b", "ab", "ba", "abc", ".a", "a.b"}
	shapes = []string{"a", "b", "ab", "*", "**", "?", "a*", "*b", "?b", "[ab]", "[!a]", "[^b]*", "[a-c]b",
		".*", "*.b", "\\a"}
)

// TestRandomTreesAreIgnoredAsGitDoes asks git itself.
func TestRandomTreesAreIgnoredAsGitDoes(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not on the path")
	}
	for seed := range *trees {
		rng := rand.New(rand.NewPCG(uint64(seed), 9))
		root := t.TempDir()
		grow(t, rng, root, 3)
		git(t, root, "init", "-q")
		want := strings.Split(strings.TrimSuffix(git(t, root, "ls-files", "-o", "--exclude-standard", "-z"), "\x00"),
			"\x00")
		slices.Sort(want)
		if got := taken(t, root); !slices.Equal(got, slices.DeleteFunc(want, func(s string) bool { return s == "" })) {
			t.Errorf("tree %d: %q, git takes %q", seed, got, want)
		}
	}
}

// grow fills a directory with files, directories so deep, and often with patterns.
func grow(t *testing.T, rng *rand.Rand, dir string, depth int) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, name)
		var err error
		switch {
		case rng.IntN(3) == 0:
			continue
		case depth > 0 && rng.IntN(2) == 0:
			if err = os.Mkdir(path, 0o700); err == nil {
				grow(t, rng, path, depth-1)
			}
		default:
			err = os.WriteFile(path, nil, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if depth == 3 || rng.IntN(3) == 0 {
		if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(patterns(rng)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// patterns returns a few lines of patterns.
func patterns(rng *rand.Rand) string {
	var b strings.Builder
	for range 1 + rng.IntN(4) {
		if rng.IntN(4) == 0 {
			b.WriteByte('!')
		}
		if rng.IntN(4) == 0 {
			b.WriteByte('/')
		}
		b.WriteString(shapes[rng.IntN(len(shapes))])
		for range rng.IntN(3) {
			b.WriteString("/" + shapes[rng.IntN(len(shapes))])
		}
		if rng.IntN(4) == 0 {
			b.WriteByte('/')
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// git runs a command of git that no configuration of the machine reaches.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

// taken returns the files below a directory that are not ignored.
func taken(t *testing.T, root string) (files []string) {
	t.Helper()
	tree := os.DirFS(root)
	r := New(func(name string) []byte {
		data, _ := fs.ReadFile(tree, filepath.ToSlash(filepath.Clean(name))) // nil where there is none
		return data
	})
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.Name() == ".git" {
			return fs.SkipDir
		}
		if err == nil && !d.IsDir() && !r.Ignored(name, false) {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	return files
}
