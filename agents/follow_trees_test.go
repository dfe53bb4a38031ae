package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/agents/claudecode"
)

// tree makes a linked worktree of the scene's workspace, as git does.
func (s *scene) tree(dir, name string) {
	s.t.Helper()
	linked := filepath.Join(s.workspace, ".git", "worktrees", name)
	s.mkdir(linked)
	s.mkdir(dir)
	for path, text := range map[string]string{
		filepath.Join(dir, ".git"): "gitdir: " + linked, filepath.Join(linked, "gitdir"): filepath.Join(dir, ".git"),
		filepath.Join(linked, "commondir"): "../..",
	} {
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
}

// started writes a record of a session that was started in a directory, into the directory where Claude Code
// keeps it.
func (s *scene) started(dir, session, id string) string {
	s.t.Helper()
	project := claudecode.ProjectDir(s.opts.Env, dir)
	s.mkdir(project)
	path := filepath.Join(project, session+".jsonl")
	appendTo(s.t, path, strings.ReplaceAll(strings.Replace(rec(id), "/w", dir, 1), `"s1"`, `"`+session+`"`))
	return path
}

// TestSessionsOfAllTreesAreFollowed: each case starts sessions in directories, by the ids of their records. want
// are those that are recorded, in this order.
func TestSessionsOfAllTreesAreFollowed(t *testing.T) {
	long := strings.Repeat(strings.Repeat("deep-", 12)+"/", 5) // few levels: removing them holds a descriptor for each
	for _, c := range []struct {
		name string
		make func(s *scene, home string)
		dirs []string // below the home directory, where work is the workspace
		want string
	}{
		{"a subdirectory", nil, []string{"work", "work/sub/dir"}, "0 1"},
		{"a subdirectory that is gone", func(s *scene, home string) { _ = os.Remove(filepath.Join(home, "work/sub")) },
			[]string{"work/sub"}, "0"},
		{"a worktree, and one inside", func(s *scene, home string) {
			s.tree(filepath.Join(home, "fix"), "fix")
			s.tree(filepath.Join(home, "work/.claude/worktrees/a"), "a")
		}, []string{"work", "fix", "fix/sub", "work/.claude/worktrees/a/b"}, "0 1 2 3"},
		{"a twin by its prefix", nil, []string{"work-evil", "work-evil/sub", "work"}, "2"},
		{"a twin by its slug", nil, []string{"work/evil", "work-evil", "work.evil"}, "0"},
		{"a workspace inside", func(s *scene, home string) {
			s.mkdir(filepath.Join(home, "work/inner/sub"))
			appendTo(s.t, filepath.Join(home, "work/inner/ctxledger.yaml"), "")
		}, []string{"work/inner", "work/inner/sub", "work"}, "2"},
		{"a repository inside", func(s *scene, home string) { s.mkdir(filepath.Join(home, "work/clone/.git")) },
			[]string{"work/clone/x", "work"}, "1"},
		{"long paths, whose names are cut and hashed",
			func(s *scene, home string) { s.tree(filepath.Join(home, long, "fix"), "fix") },
			[]string{"work/" + long + "a", long + "fix", long + "fix/a", long + "fix-b"}, "0 1 2"},
		{"a tree that does not link back", func(s *scene, home string) {
			s.mkdir(filepath.Join(home, "evil"))
			appendTo(s.t, filepath.Join(home, "evil/.git"), "gitdir: ../"+filepath.Base(s.workspace)+"/.git")
		}, []string{"evil", "work"}, "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t)
			s.mkdir(filepath.Join(s.workspace, ".git"))
			home := filepath.Dir(s.workspace)
			for _, dir := range c.dirs {
				s.mkdir(filepath.Join(home, dir))
			}
			if c.make != nil {
				c.make(s, home)
			}
			for i, dir := range c.dirs {
				path := s.started(filepath.Join(home, dir), fmt.Sprint("s-", i), fmt.Sprint(i))
				at := time.Now().Add(-time.Duration(i) * time.Minute)
				if err := os.Chtimes(path, at, at); err != nil {
					t.Fatal(err)
				}
			}
			s.follow()
			s.want(c.want)
			s.nudge()
			s.nudge()
			s.still()
			for i, dir := range c.dirs {
				s.started(filepath.Join(home, dir), fmt.Sprint("s-", i), "later"+fmt.Sprint(i))
			}
			for _, id := range strings.Fields(c.want) {
				s.wantSome("later" + id)
			}
			s.nudge()
			s.nudge()
			s.still()
		})
	}
}

// wantSome waits until a record has been appended, among others that are expected too.
func (s *scene) wantSome(id string) {
	s.t.Helper()
	deadline := time.After(patience)
	for !strings.Contains(s.seen, " "+id+" ") {
		select {
		case b := <-s.r.appended:
			for _, e := range b.Entries {
				s.seen += " " + e.HostID + " "
			}
		case s.ticks() <- time.Time{}:
		case <-deadline:
			s.t.Fatalf("no entry %q; log:\n%s", id, s.logged)
		}
	}
}

func TestAWorktreeThatComesIsFollowed(t *testing.T) {
	for name, first := range map[string]string{"with its first session": "tree", "after a session there": "session"} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.mkdir(filepath.Join(s.workspace, ".git"))
			fix := filepath.Join(filepath.Dir(s.workspace), "work-fix") // its project directory was a candidate before
			s.mkdir(fix)
			s.started(s.workspace, "s-0", "a")
			if first == "session" {
				s.started(fix, "s-1", "b")
			}
			s.follow()
			s.want("a")
			s.nudge()
			s.still()
			s.tree(fix, "fix")
			if first == "tree" {
				s.started(fix, "s-1", "b")
			}
			for range treeTicks + 1 {
				s.nudge()
			}
			s.want("b")
			if err := os.RemoveAll(fix); err != nil {
				t.Fatal(err)
			}
			for range treeTicks + 1 {
				s.nudge()
			}
			s.started(fix, "s-2", "c")
			s.started(s.workspace, "s-0", "d")
			s.want("d")
			s.nudge()
			s.still()
		})
	}
}

func TestATreeCanBeLeftAlone(t *testing.T) {
	s := newScene(t)
	s.mkdir(filepath.Join(s.workspace, ".git"))
	inner := filepath.Join(s.workspace, "quiet")
	s.tree(inner, "quiet")
	s.opts.Skip = func(tree string) bool { return tree == inner }
	s.started(inner, "s-1", "x")
	s.started(filepath.Join(inner, "sub"), "s-2", "y")
	s.started(s.workspace, "s-0", "a")
	s.follow()
	s.want("a")
	s.nudge()
	s.nudge()
	s.still()
}

// TestManySessionsAreNotListedAgain: with events, neither ticks nor new sessions look at all files again.
func TestManySessionsAreNotListedAgain(t *testing.T) {
	s := newScene(t)
	s.needsEvents()
	s.mkdir(s.dir)
	for i := range maxWatches + 50 {
		s.mkdir(filepath.Join(s.dir, fmt.Sprint("s-", i), "subagents"))
		s.append(fmt.Sprintf("s-%d.jsonl", i), s.rec("x"))
	}
	f := s.follower()
	defer f.close()
	f.start()
	f.list()
	clear(f.due)
	if !f.healthy() || len(f.watched) > maxWatches {
		t.Fatalf("healthy %v, %d watches", f.healthy(), len(f.watched))
	}
	clear(f.seen) // whatever is listed again becomes due
	f.tick()
	f.event(filepath.Join(s.dir, "s-1"), false)
	f.event(filepath.Join(s.dir, "s-1", "subagents"), false)
	if len(f.due) > 0 {
		t.Errorf("%d files are due", len(f.due))
	}
	agent := s.append("s-2/subagents/agent-7.jsonl", s.rec("b"))
	f.event(filepath.Join(s.dir, "s-2.jsonl"), false)
	f.event(filepath.Join(s.dir, "s-2", "subagents"), false)
	if _, due := f.due[agent]; len(f.due) != 2 || !due {
		t.Errorf("%v are due", f.due)
	}
}

// BenchmarkTick is a tick next to 10,000 sessions.
func BenchmarkTick(b *testing.B) {
	home := b.TempDir()
	s := &scene{r: &recorder{}, workspace: home}
	s.opts.Workspace, s.opts.Env.Home, s.opts.Env.Now = home, home, time.Now
	s.opts.Env.Lookup = func(string) string { return "" }
	dir := claudecode.ProjectDir(s.opts.Env, home)
	for i := range 10_000 {
		session := filepath.Join(dir, fmt.Sprint("s-", i))
		if err := os.MkdirAll(filepath.Join(session, "subagents"), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(session+".jsonl", []byte(rec("x")), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	f := s.follower()
	defer f.close()
	f.start()
	f.list()
	for b.Loop() {
		f.tick()
		f.event(filepath.Join(dir, "s-1"), false)
	}
}
