package escapetest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/cli"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/safefs"
)

// env returns the environment of a user who works in a directory.
func (p *place) env(dir string) env.Env {
	e := env.System()
	e.Home, e.Dir, e.Temp = p.home(), dir, p.base
	e.Lookup = func(string) string { return "" }
	return e
}

// run runs a command of ctxledger in this process.
func (p *place) run(ctx context.Context, dir string, args ...string) (said string, failed bool) {
	var out bytes.Buffer
	exit := cli.Main(ctx, cli.Config{Args: args, Env: p.env(dir), Version: "test", In: strings.NewReader(""),
		Out: &out, Err: &out})
	return out.String(), exit != 0
}

var safefsSubject = subject{
	name:    "safefs",
	inside:  map[string]string{"a.txt": "a", "d/b.txt": "b", "top.txt": "t"},
	outside: map[string]string{"a.txt": canary, "d/b.txt": canary, "d/" + canary + ".txt": canary},
	targets: []target{{path: "a.txt"}, {path: "d", dir: true}, {path: "d/b.txt"}},
	start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
		must(t, os.Symlink("../top.txt", p.inside+"/d/up"))
		tree, err := safefs.Open(p.inside)
		must(t, err)
		t.Cleanup(func() { _ = tree.Close() })
		return func(context.Context) (string, bool) {
			var out strings.Builder
			good := 0
			for _, name := range []string{"a.txt", "d/b.txt", "d/../a.txt", "d/up", "d/up/../a.txt"} {
				content := tree.Read(name, 1<<20)
				sum, info, err := tree.Hash(name, 1<<20)
				fmt.Fprintf(&out, "%s %s %+v %v\n", content, sum, info, err)
				if len(content) > 0 {
					good++
				}
			}
			entries, more, err := tree.List("d", 100)
			fmt.Fprintln(&out, entries, more, err)
			return out.String(), good < 4
		}
	},
}

// noVariables is an environment without a configuration of the user's.
var noVariables = env.Env{Lookup: func(string) string { return "" }}

// settings are a configuration that warns at so many megabytes.
func settings(mb int) string { return fmt.Sprintf("ledger_warn_mb: %d\n", mb) }

var configSubject = subject{
	name:    "configuration",
	inside:  map[string]string{config.File: settings(11)},
	outside: map[string]string{config.File: settings(many)},
	targets: []target{{path: config.File}},
	leaks:   func(out string) bool { return strings.Contains(out, fmt.Sprint(many)) },
	start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
		return func(context.Context) (string, bool) {
			c, problems := config.Load(noVariables, p.inside, "")
			return fmt.Sprint(c.LedgerWarnMB, problems), c.LedgerWarnMB != 11
		}
	},
}

// People link to their own configuration from elsewhere: only that nothing hangs is looked at here.
var userConfigSubject = subject{
	name:    "user configuration",
	inside:  map[string]string{".config/ctxledger/config.yaml": settings(11)},
	outside: map[string]string{".config/ctxledger/config.yaml": settings(11)},
	targets: []target{{path: ".config/ctxledger/config.yaml", named: true}},
	start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
		e := p.env(p.inside)
		e.Home = p.inside
		if file := filepath.Join(p.inside, ".config/ctxledger/config.yaml"); config.UserFile(e) != file {
			t.Fatalf("the user configuration is %s", config.UserFile(e))
		}
		return func(context.Context) (string, bool) {
			c, problems := config.Load(e, "", "")
			return fmt.Sprint(c.LedgerWarnMB, problems), c.LedgerWarnMB != 11
		}
	},
}

// named is a command with a file that a person names: links are followed then, and only that nothing is
// waited for is looked at.
func named(name string, args ...string) subject {
	return subject{
		name:    name,
		inside:  map[string]string{"a.txt": "[]"},
		outside: map[string]string{"a.txt": canary},
		targets: []target{{path: "a.txt", named: true}},
		start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
			return func(ctx context.Context) (string, bool) {
				return p.run(ctx, p.inside, args...)
			}
		},
	}
}
