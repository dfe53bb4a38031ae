package cli

import (
	"path/filepath"
	"slices"
	"testing"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/workspace"
)

func TestPathsMeanWhatTheUserSees(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, root, dir, typed string
		want                   []string
	}{
		{"at the root", root, "", "a/b.go", []string{"a/b.go"}},
		{"not clean", root, "", "./a/../b.go", []string{"b.go"}},
		{"a directory", root, "", "a/", []string{"a"}},
		{"the root itself", root, "", ".", []string{"."}},
		{"below the root", root, "sub", "b.go", []string{"sub/b.go", "b.go"}},
		{"below the root, upwards", root, "sub", "../b.go", []string{"b.go", "../b.go"}},
		{"absolute inside", root, "sub", filepath.Join(root, "a.go"), []string{"a.go"}},
		{"absolute outside", root, "sub", "/elsewhere/a.go", []string{"/elsewhere/a.go"}},
		{"a neighbour with the same beginning", root, "", root + "x/a.go", []string{root + "x/a.go"}},
		{"no workspace", "", "", "/a.go", []string{"/a.go"}},
	} {
		a := &action{Config: Config{Env: env.Env{Dir: filepath.Join(root, c.dir)}},
			place: workspace.Workspace{Root: c.root}}
		if got := ledgerPaths(a, c.typed); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTheNextPageIsACommand(t *testing.T) {
	for _, c := range []struct {
		next artifacts.Selection
		want string
	}{
		{artifacts.Selection{Lines: "46-"}, "ctxledger artifact read abc --lines 46-"},
		{artifacts.Selection{Bytes: "8000-", Limit: 500}, "ctxledger artifact read abc --bytes 8000- --chars 500"},
		{artifacts.Selection{Grep: "a|b", Context: 2, After: 7},
			"ctxledger artifact read abc --grep 'a|b' --context 2 --after 7"},
		{artifacts.Selection{JSONPath: "$.x[0]", After: 3},
			"ctxledger artifact read abc --json-path '$.x[0]' --after 3"},
		{artifacts.Selection{Search: "two words", After: 5},
			"ctxledger artifact read abc --search 'two words' --after 5"},
	} {
		if got := readCommand(ledger.ReadArtifactRequest{ID: "abc", Selection: c.next}); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
