package workspace

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// git runs git in a directory of the world, without the user's configuration.
func (w *world) git(dir string, args ...string) {
	w.t.Helper()
	cmd := exec.Command("git",
		append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"},
			args...)...)
	cmd.Dir = w.dir(dir)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// repository makes a repository with one commit.
func (w *world) repository(dir string) {
	w.t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		w.t.Skip("git is not on the path")
	}
	w.git(dir, "init", "-q")
	w.git(dir, "commit", "-q", "--allow-empty", "-m", "first")
}

// link writes a file with one path, as git does.
func (w *world) link(name, path string) { w.file(name, path+"\n") }

// TestWhatGitLinksSharesALedger asks git itself to make trees. Each case makes p/other of the repository
// p/shop; joins is the directory whose ledger it shares, apart is said where it has one of its own.
func TestWhatGitLinksSharesALedger(t *testing.T) {
	for _, c := range []struct {
		name  string
		make  func(w *world)
		joins string
		apart string
	}{
		{"a worktree", func(w *world) { w.git("p/shop", "worktree", "add", "-q", "../other") }, "p/shop", ""},
		{"a worktree with relative links, as of git 2.48", func(w *world) {
			w.git("p/shop", "worktree", "add", "-q", "../other")
			w.link("p/other/.git", "gitdir: ../shop/.git/worktrees/other")
			w.link("p/shop/.git/worktrees/other/gitdir", "../../../../other/.git")
		}, "p/shop", ""},
		{"a worktree that git moved", func(w *world) {
			w.git("p/shop", "worktree", "add", "-q", "../old")
			w.git("p/shop", "worktree", "move", "../old", "../other")
		}, "p/shop", ""},
		{"a worktree that was moved without git", func(w *world) {
			w.git("p/shop", "worktree", "add", "-q", "../old")
			must(w.t, os.Rename(w.path("p/old"), w.path("p/other")))
		}, "", "does not link back"},
		{"and repaired", func(w *world) {
			w.git("p/shop", "worktree", "add", "-q", "../old")
			must(w.t, os.Rename(w.path("p/old"), w.path("p/other")))
			w.git("p/other", "worktree", "repair")
		}, "p/shop", ""},
		{"a worktree that was pruned", func(w *world) {
			w.git("p/shop", "worktree", "add", "-q", "../other")
			must(w.t, os.RemoveAll(w.path("p/shop/.git/worktrees/other")))
		}, "", "is not a directory"},
		{"a worktree through a symbolic link", func(w *world) {
			w.dir("p/real")
			symlink(w.t, w.path("p/real"), w.path("p/way"))
			w.git("p/shop", "worktree", "add", "-q", w.path("p/way/tree"))
			symlink(w.t, w.path("p/real/tree"), w.path("p/other"))
		}, "p/shop", ""},
		{"a copy of a worktree", func(w *world) {
			w.git("p/shop", "worktree", "add", "-q", "../tree")
			must(w.t, os.CopyFS(w.path("p/other"), os.DirFS(w.path("p/tree"))))
		}, "", "does not link back"},
		{"a worktree of a bare repository", func(w *world) {
			w.git("p", "clone", "-q", "--bare", "shop", "bare.git")
			w.git("p/bare.git", "worktree", "add", "-q", "../first")
			w.git("p/bare.git", "worktree", "add", "-q", "../other")
		}, "p/first", ""},
		{"a clone", func(w *world) { w.git("p", "clone", "-q", "shop", "other") }, "", ""},
		{"a submodule", func(w *world) {
			w.repository("p/lib")
			w.git("p/shop", "submodule", "--quiet", "add", "../lib", "worktrees/lib")
			w.git("p/shop/worktrees/lib", "worktree", "add", "-q", w.path("p/other"))
		}, "p/shop/worktrees/lib", ""},
		{"a submodule of a worktree", func(w *world) {
			w.repository("p/lib")
			w.git("p/shop", "worktree", "add", "-q", "../tree")
			w.git("p/tree", "submodule", "--quiet", "add", "../lib", "lib")
			symlink(w.t, w.path("p/tree/lib"), w.path("p/other"))
		}, "p/tree/lib", ""},
		{"a separate git directory", func(w *world) {
			w.git("p", "init", "-q", "--separate-git-dir", w.path("p/other.git"), "other")
		}, "", "does not link back"},
		{"and core.worktree", func(w *world) {
			w.git("p", "init", "-q", "--separate-git-dir", w.path("p/other.git"), "other")
			w.git("p/other", "config", "core.worktree", w.path("p/other"))
			w.git("p/other", "commit", "-q", "--allow-empty", "-m", "first")
			w.git("p/other", "worktree", "add", "-q", "../tree")
		}, "p/tree", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.repository("p/shop")
			c.make(w)
			shop, other := w.find(Options{Flag: w.path("p/shop")}), w.find(Options{Flag: w.path("p/other")})
			if !strings.Contains(other.Apart, c.apart) || (other.Apart == "") != (c.apart == "") {
				t.Errorf("apart: %q, want %q", other.Apart, c.apart)
			}
			if c.joins == "" {
				if other.State == shop.State || other.Name != "other" {
					t.Errorf("%+v joins %+v", other, shop)
				}
				return
			}
			joined := w.find(Options{Flag: w.path(c.joins)})
			if other.State != joined.State || joined.Apart != "" ||
				(joined.State == shop.State) != (c.joins == "p/shop") {
				t.Errorf("%+v\nwant the ledger of %+v", other, joined)
			}
		})
	}
}

// TestAnArchiveDoesNotJoinTheLedgerOfAnother unpacks p/evil, an archive that knows of p/shop and of its
// worktree p/tree, and can hold any file.
func TestAnArchiveDoesNotJoinTheLedgerOfAnother(t *testing.T) {
	for _, c := range []struct {
		name   string
		unpack func(w *world)
		apart  string
	}{
		{"a file that names the repository", func(w *world) { w.link("p/evil/.git", "gitdir: "+w.path("p/shop/.git")) },
			"does not link back"},
		{"a file that names it relatively", func(w *world) { w.link("p/evil/.git", "gitdir: ../shop/.git") },
			"does not link back"},
		{"a file that names the directory of its worktree",
			func(w *world) { w.link("p/evil/.git", "gitdir: ../shop/.git/worktrees/tree") }, "does not link back"},
		{"a file that names the tree", func(w *world) { w.link("p/evil/.git", "gitdir: ../shop") },
			"does not link back"},
		{"a symbolic link to the repository", func(w *world) {
			w.dir("p/evil")
			symlink(w.t, w.path("p/shop/.git"), w.path("p/evil/.git"))
		}, "symbolic link"},
		{"a symbolic link to a .git file", func(w *world) {
			w.dir("p/evil")
			symlink(w.t, w.path("p/tree/.git"), w.path("p/evil/.git"))
		}, "symbolic link"},
		{"a directory with a commondir", func(w *world) { w.link("p/evil/.git/commondir", w.path("p/shop/.git")) },
			"commondir"},
		{"a directory of links into the repository", func(w *world) {
			w.dir("p/evil/.git")
			for _, name := range []string{"config", "HEAD", "worktrees"} {
				symlink(w.t, w.path("p/shop/.git/"+name), w.path("p/evil/.git/"+name))
			}
		}, ""},
		{"a forged directory of a worktree", func(w *world) {
			w.link("p/evil/.git", "gitdir: forged/worktrees/x")
			w.link("p/evil/forged/worktrees/x/commondir", w.path("p/shop/.git"))
			w.link("p/evil/forged/worktrees/x/gitdir", w.path("p/evil/.git"))
		}, "does not link back"},
		{"a forged directory below a link to the repository's", func(w *world) {
			w.link("p/evil/.git", "gitdir: forged/worktrees/tree")
			w.dir("p/evil/forged")
			symlink(w.t, w.path("p/shop/.git/worktrees"), w.path("p/evil/forged/worktrees"))
		}, "does not link back"},
		{"a chain of commondirs", func(w *world) {
			w.link("p/evil/.git", "gitdir: forged/worktrees/x")
			w.link("p/evil/forged/worktrees/x/commondir", "../..")
			w.link("p/evil/forged/worktrees/x/gitdir", "../../../.git")
			w.link("p/evil/forged/commondir", w.path("p/shop/.git"))
		}, ""},
		{"a forged git directory with core.worktree", func(w *world) {
			w.link("p/evil/.git", "gitdir: forged")
			w.file("p/evil/forged/config", "[core]\nworktree = ..\n")
			w.link("p/evil/forged/gitdir", w.path("p/shop/.git"))
		}, ""},
		{"a directory inside the archive", func(w *world) { w.link("p/evil/.git", "gitdir: ../evil") },
			"does not link back"},
		{"a file of another machine", func(w *world) { w.link("p/evil/.git", `gitdir: \\server\share\.git`) }, ""},
		{"a long file", func(w *world) {
			w.file("p/evil/.git", "gitdir: "+strings.Repeat("./", linkSize)+w.path("p/shop/.git"))
		}, "neither"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.repository("p/shop")
			w.git("p/shop", "worktree", "add", "-q", "../tree")
			c.unpack(w)
			shop, evil := w.find(Options{Flag: w.path("p/shop")}), w.find(Options{Flag: w.path("p/evil")})
			if evil.State == shop.State {
				t.Errorf("%+v joins %+v", evil, shop)
			}
			if !strings.Contains(evil.Apart, c.apart) {
				t.Errorf("apart: %q, want %q", evil.Apart, c.apart)
			}
			if below := w.find(Options{Flag: w.dir("p/evil/sub")}); below.State == shop.State {
				t.Errorf("a directory inside: %+v joins %+v", below, shop)
			}
		})
	}
}

func TestWhatAFileSaysIsQuotedAndBounded(t *testing.T) {
	w := newWorld(t)
	w.file("p/odd/.git", "gitdir: /a\x1b[31m\nb"+strings.Repeat("x", 4000))
	ws := w.find(Options{Flag: w.path("p/odd")})
	if strings.ContainsAny(ws.Apart, "\x1b\n") || len(ws.Apart) > 2*shownLink || ws.Apart == "" {
		t.Errorf("%q", ws.Apart)
	}
}

func TestGitSettings(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		found            bool
	}{
		{"as git writes it", "[core]\n\tbare = false\n\tworktree = ../../../lib\n[remote \"origin\"]\n\turl = /x\n",
			"../../../lib", true},
		{"the last one", "[core]\nworktree = a\n[core]\nWorkTree=b\n", "b", true},
		{"another section", "[remote \"core\"]\nworktree = a\n[core \"x\"]\nworktree = b\n", "", false},
		{"a bracket in a subsection", "[a \"]\\\"[core]\"]\nworktree = a\n", "", false},
		{"behind the header", "[CORE] worktree = a", "a", true},
		{"quoted", "[core]\nworktree = \" a # b \" ; c\n", " a # b ", true},
		{"escaped", "[core]\nworktree = C:\\\\a\\\\\\\"b\n", `C:\a\"b`, true},
		{"continued", "[core]\nworktree = a\\\n/b\n", "a/b", true},
		{"a value that looks like a setting", "[core]\nx = a\\\nworktree = b\n", "", false},
		{"a quoted value that looks like a section", "[x]\ny = \"\\n[core]\\nworktree = a\"\n", "", false},
		{"comments", "# [core]\n; worktree = a\n[core] # x\nbare ; y\nworktree = a b  # c\n", "a b", true},
		{"line ends of Windows", "\ufeff[core]\r\n\tworktree = a\r\n", "a", true},
		{"no value", "[core]\nworktree\n", "", true},
		{"an open quote", "[core]\nworktree = \"a\n", "", false},
		{"an open header", "[core\nworktree = a\n", "", false},
		{"an unknown escape", "[core]\nworktree = \\a\n", "", false},
		{"a backslash at the end", "[core]\nworktree = a\\", "", false},
		{"garbage behind a good value", "[core]\nworktree = a\n\x00\x01\n", "", false},
		{"empty", "", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if v, found := gitSetting(c.text, "core", "worktree"); v != c.want || found != c.found {
				t.Errorf("%q, %v; want %q, %v", v, found, c.want, c.found)
			}
		})
	}
}

// FuzzGitSettings: what is found was written, and any text comes to an end.
func FuzzGitSettings(f *testing.F) {
	f.Add("[core]\n\tworktree = \"a\\n\" ; b\n[x \"y\"]z\\\n")
	f.Fuzz(func(t *testing.T, text string) {
		value, found := gitSetting(text, "core", "worktree")
		if !found && value != "" || len(value) > len(text) {
			t.Fatalf("%q, %v", value, found)
		}
		if found && !strings.Contains(strings.ToLower(text), "worktree") {
			t.Fatalf("%q is not in %q", value, text)
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
