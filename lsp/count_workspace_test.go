package lsp

import (
	"slices"
	"testing"

	"ctxledger.dev/tokens"
	"ctxledger.dev/tokens/filecount"
)

// TestTheRowsOfACountAddUp: files right in a directory that has others below it had no row.
func TestTheRowsOfACountAddUp(t *testing.T) {
	text := func(name string, n int) *filecount.Text {
		return &filecount.Text{Name: name, Count: tokens.Count{N: n}}
	}
	for _, c := range []struct {
		name  string
		texts []*filecount.Text
		want  []Directory
	}{
		{"nothing", nil, []Directory{}},
		{"only right in the workspace", []*filecount.Text{text("a", 1), text("b", 2)}, []Directory{{".", 2, 3}}},
		{"at each depth", []*filecount.Text{text("a", 1), text("src/b", 2), text("src/deep/c", 4)},
			[]Directory{{"src", 2, 6}, {"src/deep", 1, 4}, {"src/.", 1, 2}, {".", 1, 1}}},
	} {
		if got := directories(c.texts); !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}
