package escapetest

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/config"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/gitobject"
	"ctxledger.dev/trust"
	"ctxledger.dev/workspace"
)

// A .git file may name a repository anywhere, which decides where the ledger is: this subject only
// checks that nothing hangs.
var findSubject = subject{
	name:    "workspace",
	inside:  map[string]string{".git": "gitdir: ../repo\n"},
	outside: map[string]string{".git": "gitdir: ../repo\n"},
	targets: []target{{path: ".git", named: true}},
	start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
		put(t, p.base, map[string]string{"repo/commondir": "../repo\n"})
		return func(context.Context) (string, bool) {
			ws, err := workspace.Find(p.env(p.inside), workspace.Options{})
			return fmt.Sprint(ws, err), err != nil
		}
	},
}

// A repository names its linked worktrees in small files of its own. A file outside, to which a link leads,
// names a tree that links back: only that name shows that it was read.
var treesSubject = subject{
	name: "linked worktrees", root: "repo/.git",
	inside: map[string]string{"worktrees/fix/gitdir": "../../../../fix/.git\n", "worktrees/fix/commondir": "../..\n"},
	outside: map[string]string{"worktrees/fix/gitdir": "../../../../" + canary + "/.git\n",
		"worktrees/fix/commondir": "../../.\n"},
	targets: []target{{path: "worktrees", dir: true}, {path: "worktrees/fix", dir: true},
		{path: "worktrees/fix/gitdir"}, {path: "worktrees/fix/commondir"}},
	start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
		main := filepath.Dir(p.inside)
		put(t, p.base, map[string]string{
			"fix/.git":         "gitdir: ../repo/.git/worktrees/fix\n",
			canary + "/.git":   "gitdir: ../repo/.git/worktrees/fix\n",
			"repo/.git/config": "[core]\n\tbare = false\n",
		})
		return func(context.Context) (string, bool) {
			named := workspace.Trees(p.env(main), main)                          // by the repository
			ws, err := workspace.Find(p.env(p.base+"/fix"), workspace.Options{}) // by the tree
			out := fmt.Sprint(named, ws, err)
			return out, len(named) != 2 || err != nil
		}
	},
}

// The newest commit is named in small files of the repository. What a link outside leads to would be quoted in the error.
var commitsSubject = subject{
	name: "commits", root: "repo/.git",
	inside:  map[string]string{"HEAD": "ref: refs/heads/main\n", "refs/heads/main": strings.Repeat("1", 40) + "\n"},
	outside: map[string]string{"HEAD": canary, "refs/heads/main": canary},
	targets: []target{{path: "refs/heads", dir: true}, {path: "refs/heads/main"}, {path: "HEAD"}},
	start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
		return func(ctx context.Context) (string, bool) {
			store, err := gitobject.Open(p.inside)
			if err != nil {
				return err.Error(), true
			}
			defer store.Close() // only read
			_, err = store.Root(ctx)
			return fmt.Sprint(err), !fault.Is(err, fault.NotFound)
		}
	},
}

// A program that a person is asked to confirm may lie behind any link: only that nothing hangs is looked at here.
var trustSubject = subject{
	name: "program of a summarizer",
	inside: map[string]string{
		config.File: "summarizer: {kind: command, command: [tools/write, tools/rules]}\n", "tools/write": "program",
		"tools/rules": "rules",
	},
	outside: map[string]string{"tools/write": canary, "tools/rules": canary},
	targets: []target{{path: "tools/write", named: true}, {path: "tools/rules", named: true}},
	start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
		ws := workspace.Workspace{Root: p.inside, State: p.base + "/state", UserState: p.base + "/user"}
		return func(context.Context) (string, bool) {
			_, err := trust.Check(p.env(p.inside), ws)
			if err == nil {
				t.Error("a summarizer without confirmation is approved")
			}
			return fmt.Sprint(err), !fault.Is(err, fault.Denied)
		}
	},
}
