package cli

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/registry"
	"ctxledger.dev/config"
	"ctxledger.dev/engine"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/chars"
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
		return engine.Settings{Models: c.Models, Policy: c.Policy, Agents: c.Agents, Given: c.Given,
			Corrections: c.Corrections, Limits: c.LimitsSet(), CompactsAt: registry.AutoCompact(a.Env, tree),
			Window: registry.Window(a.Env, tree)}
	}
	begins := ws.Root != "" && !a.inProcess && !a.json && !workspace.HoldsLedger(ws.State)
	a.ledger, err = daemon.OpenWorkspace(ctx, ws, o)
	if c, _ := files.Load(ws.Root, ws.State); err == nil && begins && c.Follow {
		a.say("a daemon now records this directory's sessions into %s; %s", ws.State, a.self.in(followOff))
	}
	return err
}

// followOff says how recording is switched off.
const followOff = "`follow: false` in ctxledger.yaml switches that off (`ctxledger help daemon`)"

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
	switch {
	case !fault.Is(err, fault.NotFound):
	case r.ByHost() && (info.Sessions > 0 || info.NotFollowed("") == ""):
		err = fault.New(fault.NotFound, "cli.session", "this chat is not recorded (yet): no session has the host's id %.1000q",
			r.HostID).WithHint("name a session: `ctxledger sessions` lists them")
	case name == "":
		none := append(a.page(nil).NoSession(info, newestHere(a)), "`ctxledger workspaces` lists where sessions are")
		err = fault.New(fault.NotFound, "cli.session", "%s", none[0]).WithHint("%s", strings.Join(none[1:], "\n"))
	}
	return s, err
}

// newestHere returns the newest session file that an agent left for this directory; "": none.
func newestHere(a *action) string {
	if a.place.Root == "" {
		return ""
	}
	return newest(agents.Find(agents.FollowOptions{Workspace: a.place.Root, Env: a.Env})).File
}

// newest returns the agent that was here last, with its newest session.
func newest(found []agents.Found) (last agents.Found) {
	for _, f := range found {
		if f.Newest.After(last.Newest) {
			last = f
		}
	}
	return last
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

// Waiting for the owner to read the session files of a place.
const (
	discoveryMost  = time.Minute
	discoveryEvery = 20 * time.Millisecond
	measuringMost  = 2 * time.Second // how long it may then take to learn how their models count
)

// discovered waits until the owner has read the session files that it found, at most a minute: an owner that has just
// started reads those of the last day. It also waits for the first measurements, without which all figures are rough and
// change a moment later. On a terminal it shows how many sessions there are so far. It returns what the owner said last.
func discovered(ctx context.Context, a *action) (ledger.Info, error) {
	began, tick := a.Env.Now(), time.NewTicker(discoveryEvery)
	defer tick.Stop()
	shown, read := false, time.Duration(0) // when all was read, after the beginning
	defer func() {
		if shown {
			fmt.Fprint(a.Err, "\r\x1b[K")
		}
	}()
	for {
		info, err := a.ledger.Info(ctx, ledger.InfoRequest{})
		took := a.Env.Now().Sub(began)
		if err != nil || took > discoveryMost {
			return info, err
		}
		if info.Reading() {
			read = took
		} else if took-read > measuringMost || !info.Unmeasured(ctx, a.ledger) {
			return info, nil
		}
		if took > barDelay && terminal(a.Err) && !a.json {
			shown = true
			fmt.Fprintf(a.Err, "\rreading this directory's session files: %s so far\x1b[K",
				chars.Plural(info.Sessions, "session"))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return info, fault.Wrap(fault.Unavailable, "cli.discover", ctx.Err())
		}
	}
}
