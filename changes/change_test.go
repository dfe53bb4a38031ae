package changes_test

import (
	"testing"

	"ctxledger.dev/changes"
)

// The faces name the tree of a change only where it is not the one that they speak of.
func TestAChangeNamesItsTreeWhereItIsAnother(t *testing.T) {
	const main = "/w"
	for _, c := range []struct {
		name   string
		change changes.Change
		tree   string // the one that is spoken of
		want   string
	}{
		{"in the workspace, from there", changes.Change{}, main, ""},
		{"in a worktree, from there", changes.Change{Tree: "/w/fix"}, "/w/fix", ""},
		{"in a worktree, from the workspace", changes.Change{Tree: "/w/fix"}, main, "/w/fix"},
		{"in the workspace, from a worktree", changes.Change{}, "/w/fix", main},
		{"in a worktree, from another", changes.Change{Tree: "/w/fix"}, "/w/new", "/w/fix"},
		{"outside all", changes.Change{Tree: "/w/fix", Outside: true}, main, ""},
	} {
		if got := c.change.Elsewhere(main, c.tree); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
