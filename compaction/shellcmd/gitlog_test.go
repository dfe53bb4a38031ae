package shellcmd

import (
	"reflect"
	"strings"
	"testing"
)

// run is a command with what it printed.
type run struct{ command, output string }

func state(runs ...run) Repository {
	var s Repository
	for i, r := range runs {
		s.Take(i+1, int64(i+1), r.command, r.output)
	}
	return s
}

func TestOutputs(t *testing.T) {
	commit := run{"git commit -m 'Add carts'", "[main 1a2b3c4] Add carts\n 1 file changed\n"}
	first := Commit{Hash: "1a2b3c4", Subject: "Add carts", Turn: 1, Seq: 1}
	for _, c := range []struct {
		name string
		runs []run
		want Repository
	}{
		{"nothing", nil, Repository{}},
		{"a commit", []run{commit}, Repository{Branch: "main", Commits: []Commit{first}}},
		{"the first commit", []run{{"git commit -m x", "[main (root-commit) 1a2b3c4] x\n"}},
			Repository{Branch: "main", Commits: []Commit{{Hash: "1a2b3c4", Subject: "x", Turn: 1, Seq: 1}}}},
		{"an amended commit", []run{commit, {"git commit --amend --no-edit", "[main 5d6e7f8] Add carts\n"}},
			Repository{Branch: "main", Commits: []Commit{
				{Hash: "5d6e7f8", Subject: "Add carts", Turn: 2, Amended: 1, Seq: 2}}}},
		{"a quiet commit", []run{{`git commit -qm "Fix tax"`, ""}},
			Repository{Commits: []Commit{{Subject: "Fix tax", Turn: 1, Seq: 1}}}},
		{"a quiet commit of one word", []run{{"go build ./... && git add -A && git commit -qm tax", ""}},
			Repository{Commits: []Commit{{Subject: "tax", Turn: 1, Seq: 1}}}},
		{"a message in a file", []run{{"git -C . commit -q -F msg.txt", ""}},
			Repository{Commits: []Commit{{Turn: 1, Seq: 1}}}},
		{"a quiet amended commit", []run{commit, {"git commit -q --amend --no-edit", ""}},
			Repository{Branch: "main", Commits: []Commit{{Subject: "Add carts", Turn: 2, Amended: 1, Seq: 2}}}},
		{"a quiet commit in front of one that prints", []run{
			{"git commit -qm a a.go && git commit -m b", "[main 1a2b3c4] b\n"}},
			Repository{Branch: "main", Commits: []Commit{
				{Subject: "a", Turn: 1, Seq: 1}, {Hash: "1a2b3c4", Subject: "b", Turn: 1, Seq: 1}}}},
		{"nothing to commit", []run{{"git commit -qm x || true", "On branch main\nnothing to commit\n"}},
			Repository{Branch: "main"}},
		{"a commit for the case that another fails", []run{{"git commit -m a | tail -1 || git commit -m b", ""}},
			Repository{Commits: []Commit{{Subject: "a", Turn: 1, Seq: 1}}}},
		{"a new branch", []run{{"git switch -c tax", "Switched to a new branch 'tax'\n"}}, Repository{Branch: "tax"}},
		{"the status", []run{{"git status", "On branch tax\nYour branch is ahead of 'origin/tax' by 1 commit.\n"}},
			Repository{Branch: "tax", Ahead: "Your branch is ahead of 'origin/tax' by 1 commit.", AheadAt: 1}},
		{"a push", []run{{"git status", "Your branch is ahead of 'o/t' by 1 commit."},
			{"git push", "To host:shop.git\n   1a2b3c4..5d6e7f8  tax -> tax\n"}}, Repository{AheadAt: 1, Pushed: 2}},
		{"a forced push", []run{{"git push -f", " + 1a2b3c4...5d6e7f8 tax -> tax (forced update)\n"}},
			Repository{Pushed: 1}},
		{"a pushed new branch", []run{{"git push -u origin tax", " * [new branch]      tax -> tax\n"}},
			Repository{Pushed: 1}},
		{"a refused push", []run{{"git push", " ! [rejected]        tax -> tax (fetch first)\n"}}, Repository{}},
		{"a pull request", []run{{"gh pr create --fill", "https://host/shop/pull/7\n"}},
			Repository{Request: "https://host/shop/pull/7"}},
		{"an address that another command prints", []run{{"git log", "see https://host/shop/pull/7\n"}}, Repository{}},
	} {
		if got := state(c.runs...); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// A tool that commits without a command line is recorded once, with the first line of its message.
func TestACommitOfATool(t *testing.T) {
	var s Repository
	s.Committed(1, 5, "Add carts\n\nwhy")
	s.Committed(1, 5, "Add carts")
	want := Repository{Commits: []Commit{{Subject: "Add carts", Turn: 1, Seq: 5}}}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("%+v, want %+v", s, want)
	}
}

// A command that leaves the session's directory, or names another repository, says nothing of this one.
func TestCommandsOfThisTree(t *testing.T) {
	for line, want := range map[string]bool{
		"git commit -m x":                        true,
		"cd /w/shop && git -C . commit -m x":     true,
		"cd . && git -C /w -C shop commit -m x":  true,
		"git -c a=b -C '/w/shop/' status":        true,
		"cd sub && git commit -m x":              false,
		"git -c a=b -C ../other commit -m x":     false,
		"git --git-dir ../other/.git log":        false,
		"git init . && git commit -m x":          false,
		"pushd ../other; git commit -m x; popd":  false,
		"echo 'git -C ../other' && git commit":   true,
		"git log --oneline -- ../other | head 3": true,
	} {
		if got := RunsIn("/w/shop", line); got != want {
			t.Errorf("%s: %t, want %t", line, got, want)
		}
	}
}

// Whatever is printed, what a state says was printed, and the newest commit is the last one.
func FuzzTake(f *testing.F) {
	f.Add("git commit --amend -m 'x y'", "[a/b 1234567] x\nOn branch c\n")
	f.Add("git push", "   1234567..89abcde  a -> a\n")
	f.Add("git commit -qm tax && git -C . commit --amend -F -", "")
	f.Fuzz(func(t *testing.T, command, output string) {
		s := state(run{command, output}, run{command, output})
		if s.Branch != "" && !strings.Contains(output, s.Branch) {
			t.Errorf("branch %q was never printed", s.Branch)
		}
		for _, c := range s.Commits {
			if !strings.Contains(output, c.Hash) || c.Seq > s.Newest() {
				t.Errorf("%+v, newest %d", c, s.Newest())
			}
		}
	})
}
