package gitlog

import (
	"reflect"
	"strings"
	"testing"
)

// run is a command with what it printed.
type run struct{ command, output string }

func state(runs ...run) State {
	var s State
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
		want State
	}{
		{"nothing", nil, State{}},
		{"a commit", []run{commit}, State{Branch: "main", Commits: []Commit{first}}},
		{"the first commit", []run{{"git commit -m x", "[main (root-commit) 1a2b3c4] x\n"}},
			State{Branch: "main", Commits: []Commit{{Hash: "1a2b3c4", Subject: "x", Turn: 1, Seq: 1}}}},
		{"an amended commit", []run{commit, {"git commit --amend --no-edit", "[main 5d6e7f8] Add carts\n"}},
			State{Branch: "main", Commits: []Commit{
				{Hash: "5d6e7f8", Subject: "Add carts", Turn: 2, Amended: 1, Seq: 2}}}},
		{"a quiet commit", []run{{`git commit -qm "Fix tax"`, ""}},
			State{Commits: []Commit{{Subject: "Fix tax", Turn: 1, Seq: 1}}}},
		{"a new branch", []run{{"git switch -c tax", "Switched to a new branch 'tax'\n"}}, State{Branch: "tax"}},
		{"the status", []run{{"git status", "On branch tax\nYour branch is ahead of 'origin/tax' by 1 commit.\n"}},
			State{Branch: "tax", Ahead: "Your branch is ahead of 'origin/tax' by 1 commit.", AheadAt: 1}},
		{"a push", []run{{"git status", "Your branch is ahead of 'o/t' by 1 commit."},
			{"git push", "To host:shop.git\n   1a2b3c4..5d6e7f8  tax -> tax\n"}}, State{AheadAt: 1, Pushed: 2}},
		{"a forced push", []run{{"git push -f", " + 1a2b3c4...5d6e7f8 tax -> tax (forced update)\n"}},
			State{Pushed: 1}},
		{"a pushed new branch", []run{{"git push -u origin tax", " * [new branch]      tax -> tax\n"}},
			State{Pushed: 1}},
		{"a refused push", []run{{"git push", " ! [rejected]        tax -> tax (fetch first)\n"}}, State{}},
		{"a pull request", []run{{"gh pr create --fill", "https://host/shop/pull/7\n"}},
			State{Request: "https://host/shop/pull/7"}},
		{"an address that another command prints", []run{{"git log", "see https://host/shop/pull/7\n"}}, State{}},
	} {
		if got := state(c.runs...); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Whatever is printed, what a state says was printed, and the newest commit is the last one.
func FuzzTake(f *testing.F) {
	f.Add("git commit --amend -m 'x y'", "[a/b 1234567] x\nOn branch c\n")
	f.Add("git push", "   1234567..89abcde  a -> a\n")
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
