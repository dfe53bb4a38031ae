package cli

import (
	"context"
	"path"
	"path/filepath"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/config"
	"ctxledger.dev/engine"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/paths"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/workspace"
)

// open finds the workspace and opens its ledger.
func (a *action) open(ctx context.Context) error {
	ws, err := a.find()
	if err != nil {
		return err
	}
	if ws.Strange != nil {
		if err := decideLedger(ctx, a, ws); err != nil {
			return err
		}
		ws.Strange = nil
	}
	a.place = ws
	suffer(a, ws)
	o := daemon.Options{Env: a.Env, Version: a.Version, InProcess: a.inProcess}
	files := config.NewLoader(a.Env, nil)
	o.Settings = func(tree string) engine.Settings { // a daemon reads them itself
		c, _ := files.Load(tree, ws.State)
		return engine.Settings{Models: c.Models, Policy: c.Policy, Agents: c.Agents, Corrections: c.Corrections,
			Limits: c.LimitsSet(), CompactsAt: registry.AutoCompact(a.Env, tree)}
	}
	a.ledger, err = daemon.OpenWorkspace(ctx, ws, o)
	return err
}

// find says which workspace this run is about.
func (a *action) find() (workspace.Workspace, error) {
	return workspace.Find(a.Env, workspace.Options{Flag: a.workspace})
}

// session finds the session that a command is about: the named one, that of the agent whose command this is, or the
// newest of this place. The answer of the command says which it was.
func (a *action) session(ctx context.Context, name string) (sessions.Session, error) {
	r := ledger.SessionRequest{Name: name, HostID: workspace.HostSession(a.Env), Latest: true}
	info, err := discovered(ctx, a)
	if err != nil {
		return sessions.Session{}, err
	}
	s, err := ledger.FindSession(ctx, a.ledger, r)
	why := info.NotFollowed("")
	switch {
	case !fault.Is(err, fault.NotFound):
	case name == "" && info.Sessions == 0 && why != "":
		err = fault.New(fault.NotFound, "cli.session", "no session is recorded here, and %s", why).
			WithHint("`ctxledger import FILE` reads one")
	case r.ByHost():
		err = fault.New(fault.NotFound, "cli.session", "this chat is not recorded (yet): no session has the host's id %.1000q",
			r.HostID).WithHint("name a session: `ctxledger sessions` lists them")
	}
	return s, err
}

// absolute returns the place of a file that was named where the user is.
func (a *action) absolute(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(a.Env.Dir, name)
}

// ledgerPaths returns what a path on the command line may mean, as the ledger names files, the
// likelier first: seen from where the user is, or from the root of the workspace.
func ledgerPaths(a *action, name string) []string {
	if paths.Windows(name) {
		return []string{name} // the ledger knows its spellings
	}
	abs := filepath.Clean(name)
	if !filepath.IsAbs(name) {
		dir, err := filepath.EvalSymlinks(a.Env.Dir) // as the root is
		if err != nil {
			dir = a.Env.Dir
		}
		abs = filepath.Join(dir, name)
	}
	here, err := filepath.Rel(a.place.Root, abs)
	switch {
	case a.place.Root == "" || err != nil || !filepath.IsLocal(here):
		here = filepath.ToSlash(abs)
	default:
		here = filepath.ToSlash(here)
	}
	if there := path.Clean(filepath.ToSlash(name)); !filepath.IsAbs(name) && there != here {
		return []string{here, there}
	}
	return []string{here}
}
