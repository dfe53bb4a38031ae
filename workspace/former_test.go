package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

// record puts a ledger into the state directory of a workspace.
func record(t *testing.T, state string) {
	t.Helper()
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(state, recordsName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// at returns the workspace of a directory, and the ledgers that it does not use.
func (w *world) at(name string) (Workspace, []Other) {
	w.t.Helper()
	w.env.Dir = w.dir(name)
	ws := w.find(Options{})
	return ws, Others(w.env, ws)
}

func TestADirectoryKeepsItsLedgerWhenItBecomesARepository(t *testing.T) {
	w := newWorld(t)
	plain, _ := w.at("p/shop")
	record(t, plain.State)
	git := w.dir("p/shop/.git")
	repo, others := w.at("p/shop/cmd")
	if repo.State != plain.State || len(others) > 0 {
		t.Errorf("as a repository: %s and %v, before: %s", repo.State, others, plain.State)
	}
	if err := os.Remove(git); err != nil {
		t.Fatal(err)
	}
	if again, _ := w.at("p/shop"); again.State != plain.State {
		t.Errorf("without .git again: %s, before: %s", again.State, plain.State)
	}
}

func TestADirectoryKeepsItsLedgerWhenItLosesItsRepository(t *testing.T) {
	w := newWorld(t)
	git := w.dir("p/shop/.git")
	repo, _ := w.at("p/shop")
	record(t, repo.State)
	if err := os.Remove(git); err != nil {
		t.Fatal(err)
	}
	if plain, others := w.at("p/shop"); plain.State != repo.State || len(others) > 0 {
		t.Errorf("without .git: %s and %v, before: %s", plain.State, others, repo.State)
	}
}

func TestWorktreesShareTheLedgerFromBeforeTheRepository(t *testing.T) {
	w := newWorld(t)
	plain, _ := w.at("p/shop")
	record(t, plain.State)
	w.file("p/shop/.git/worktrees/fix/commondir", "../..\n")
	w.file("p/shop/.git/worktrees/fix/gitdir", w.path("p/fix/.git")+"\n")
	w.file("p/fix/.git", "gitdir: "+w.path("p/shop/.git/worktrees/fix")+"\n")
	if tree, _ := w.at("p/fix"); tree.State != plain.State || tree.Apart != "" {
		t.Errorf("a worktree: %s (%s), its main tree before: %s", tree.State, tree.Apart, plain.State)
	}
}

// A git directory may name any directory as its worktree.
func TestARepositoryDoesNotJoinTheLedgerOfAPlainDirectoryThatItNames(t *testing.T) {
	w := newWorld(t)
	plain, _ := w.at("p/victim")
	record(t, plain.State)
	w.file("p/evil/g/config", "[core]\n\tworktree = "+w.path("p/victim")+"\n")
	w.file("p/evil/g/worktrees/x/commondir", "../..\n")
	w.file("p/evil/g/worktrees/x/gitdir", w.path("p/evil/tree/.git")+"\n")
	w.file("p/evil/tree/.git", "gitdir: ../g/worktrees/x\n")
	evil, others := w.at("p/evil/tree")
	if evil.Main != plain.Root { // else this tests nothing
		t.Fatalf("the main tree is %s (%s)", evil.Main, evil.Apart)
	}
	if evil.State == plain.State || len(others) > 0 {
		t.Errorf("joined %s, sees %v", evil.State, others)
	}
}

func TestLedgersThatAreNotInUseAreNamed(t *testing.T) {
	w := newWorld(t)
	sub, _ := w.at("p/shop/cmd")
	record(t, sub.State)
	plain, _ := w.at("p/shop")
	record(t, plain.State)
	w.dir("p/shop/.git")
	_, others := w.at("p/shop/cmd/deep")
	if len(others) != 1 || others[0] != (Other{Root: sub.Root, State: sub.State}) {
		t.Errorf("below: %v, want %s of %s", others, sub.State, sub.Root)
	}
	id, _ := identify(plain.Root, newRefusals(w.env))
	state := filepath.Join(filepath.Dir(plain.State), id.directory())
	record(t, state)
	repo, others := w.at("p/shop")
	if want := (Other{plain.Root, plain.State, true}); repo.State != state || len(others) != 1 || others[0] != want {
		t.Errorf("both: %s and %v, want %s and %v", repo.State, others, state, want)
	}
}
