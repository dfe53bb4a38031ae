package gitobject

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
)

// git runs git in a directory, without the user's configuration, and returns what it prints.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not on the path")
	}
	own := []string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "gc.auto=0"}
	cmd := exec.Command("git", append(own, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// commits makes a repository with n commits, each of which says most of what the one before said.
func commits(t *testing.T, n int, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, append([]string{"init", "-q"}, args...)...)
	text := "of " + dir + "\n\n"
	for i := range n {
		text += fmt.Sprintf("%x\n", sha256.Sum256([]byte(text+fmt.Sprint(i))))
		git(t, dir, "commit", "-q", "--allow-empty", "-m", text[max(0, len(text)-400):])
	}
	return dir
}

// roots are what git itself says that all history began with.
func roots(t *testing.T, dir string) string {
	return git(t, dir, "rev-list", "--max-parents=0", "--first-parent", "HEAD")
}

// TestTheRootIsThatOfGit in every form in which git stores commits.
func TestTheRootIsThatOfGit(t *testing.T) {
	base := commits(t, 8)
	for name, make := range map[string]func(dir string) (string, string){
		"loose":  func(dir string) (string, string) { return dir, roots(t, dir) },
		"packed": func(dir string) (string, string) { git(t, dir, "gc", "-q"); return dir, roots(t, dir) },
		"deltas": func(dir string) (string, string) {
			git(t, dir, "repack", "-adfq", "--depth=50", "--window=50")
			git(t, dir, "pack-refs", "--all")
			index, _ := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.idx"))
			if said := git(t, dir, "verify-pack", "-v", index[0]); !strings.Contains(said, "chain length = 2") {
				t.Fatalf("nothing is a delta of a delta:\n%s", said)
			}
			return dir, roots(t, dir)
		},
		"a clone": func(dir string) (string, string) {
			to := t.TempDir()
			git(t, to, "clone", "-q", "file://"+dir, ".")
			return to, roots(t, dir)
		},
		"a shallow clone": func(dir string) (string, string) {
			to := t.TempDir()
			git(t, to, "clone", "-q", "--depth=1", "file://"+dir, ".")
			return to, ""
		},
		"detached": func(dir string) (string, string) {
			git(t, dir, "checkout", "-q", "HEAD~1")
			return dir, roots(t, dir)
		},
		"another project merged": func(dir string) (string, string) {
			other, root := commits(t, 1), roots(t, dir)
			git(t, dir, "fetch", "-q", other, "HEAD")
			git(t, dir, "merge", "-q", "--allow-unrelated-histories", "-m", "both", "FETCH_HEAD")
			return dir, root
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(base)); err != nil {
				t.Fatal(err)
			}
			dir, want := make(dir)
			s, err := Open(filepath.Join(dir, ".git"))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			got, err := s.Root(t.Context())
			if err != nil || got != want {
				t.Errorf("%s, %v; git says %s", got, err, want)
			}
			for id, has := range map[string]bool{git(t, dir, "rev-parse", "HEAD"): true,
				strings.Repeat("ab", 20): false, want: want != ""} {
				if found, err := s.Has(id); found != has || (err != nil) != (id == "") {
					t.Errorf("has %q: %v, %v", id, found, err)
				}
			}
		})
	}
}

func TestWithoutCommitsThereIsNoRoot(t *testing.T) {
	s, err := Open(filepath.Join(commits(t, 0), ".git"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got, err := s.Root(t.Context()); got != "" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if has, err := s.Has(strings.Repeat("ab", 20)); has || err != nil {
		t.Errorf("%v, %v", has, err)
	}
}

func TestNamesOfSHA256(t *testing.T) {
	dir := commits(t, 2, "--object-format=sha256")
	git(t, dir, "gc", "-q")
	s, err := Open(filepath.Join(dir, ".git"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := s.Root(t.Context())
	if want := roots(t, dir); err != nil || got != want {
		t.Errorf("%s, %v; git says %s", got, err, want)
	}
	if has, err := s.Has(got); !has || err != nil {
		t.Errorf("%v, %v", has, err)
	}
}

// TestAPackThatIsReplacedMeanwhile is found under its new name: objects never go because git packs them again.
func TestAPackThatIsReplacedMeanwhile(t *testing.T) {
	dir := commits(t, 2)
	git(t, dir, "gc", "-q")
	s, err := Open(filepath.Join(dir, ".git"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	root, err := s.Root(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "more")
	git(t, dir, "gc", "-q", "--prune=now")
	if has, err := s.Has(root); !has || err != nil {
		t.Errorf("%v, %v", has, err)
	}
	if has, err := s.Has(git(t, dir, "rev-parse", "HEAD")); !has || err != nil {
		t.Errorf("the new one: %v, %v", has, err)
	}
}

// TestWhatIsDamagedIsAnError, never another root.
func TestWhatIsDamagedIsAnError(t *testing.T) {
	dir := commits(t, 3)
	git(t, dir, "gc", "-q")
	packs, _ := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*"))
	for _, file := range packs {
		whole, err := os.ReadFile(file)
		if err != nil || os.Chmod(file, 0o600) != nil {
			t.Fatal(err)
		}
		for _, cut := range []int{0, 4, 100, 1040, len(whole) / 2} {
			if err := os.WriteFile(file, whole[:min(cut, len(whole))], 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := Open(filepath.Join(dir, ".git"))
			if err != nil {
				t.Fatal(err)
			}
			root, err := s.Root(t.Context())
			if ext := filepath.Ext(file); (ext == ".idx" || ext == ".pack") && cut < 1000 && err == nil ||
				err == nil && root != roots(t, dir) {
				t.Errorf("%s cut to %d bytes: %q, %v", ext, cut, root, err)
			}
			s.Close()
		}
		if err := os.WriteFile(file, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestALongWalkCanBeEnded(t *testing.T) {
	s, err := Open(filepath.Join(commits(t, 2), ".git"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Root(ctx); err == nil {
		t.Error("it was walked")
	}
}

func TestOnlyNamesOfObjectsAreLookedFor(t *testing.T) {
	s := &Store{}
	for _, id := range []string{"", "ab", "../../../../etc/passwd", strings.Repeat("AB", 20),
		strings.Repeat("zz", 20)} {
		if _, err := s.Has(id); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// FuzzPatched: a delta makes what it says, of what is there, or is refused.
func FuzzPatched(f *testing.F) {
	f.Add([]byte("hello world"), []byte{11, 8, 0x90, 5, 3, 'a', 'b', 'c'})
	f.Add([]byte("x"), []byte{1, 1, 0xff, 1, 2, 3, 4, 5, 6, 7})
	f.Add([]byte(""), []byte{0, 200})
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		before := bytes.Clone(base)
		out, err := patched(base, delta)
		if err == nil && len(out) > maxObject || !bytes.Equal(base, before) {
			t.Errorf("%d bytes; the base changed: %v", len(out), !bytes.Equal(base, before))
		}
	})
}
