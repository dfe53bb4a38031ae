package ledger_test

import (
	"testing"

	"ctxledger.dev/ledger"
)

// The faces name the tree of a file only where it is not the one that they speak of.
func TestAFileNamesItsTreeWhereItIsAnother(t *testing.T) {
	const main = "/w"
	in := func(tree string) ledger.Info { return ledger.Info{Workspace: tree, Main: main} }
	for _, c := range []struct {
		name       string
		in         ledger.Info
		tree, path string
		want       string
	}{
		{"in the workspace, from there", ledger.Info{Workspace: main}, "", "a", ""},
		{"in a worktree, from there", in("/w/fix"), "/w/fix", "a", ""},
		{"in a worktree, from the workspace", ledger.Info{Workspace: main}, "/w/fix", "a", "/w/fix"},
		{"in the workspace, from a worktree", in("/w/fix"), "", "a", main},
		{"in a worktree, from another", in("/w/new"), "/w/fix", "a", "/w/fix"},
		{"outside all", ledger.Info{Workspace: main}, "/w/fix", "/etc/a", ""},
		{"without a workspace", ledger.Info{}, "", "a", ""},
	} {
		if got := c.in.Elsewhere(c.tree, c.path); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
