package carried

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// For returns a Meter that counts for one model, whatever the agent is.
func For(m ledger.Meter) func(string) (ledger.Meter, bool) {
	return func(string) (ledger.Meter, bool) { return m, true }
}

// Each returns a Meter that counts what each agent loads for a model of its own.
func Each(models *tokens.Registry, hosts map[string]ledger.HostModel) func(string) (ledger.Meter, bool) {
	return func(agent string) (ledger.Meter, bool) {
		h, known := hosts[agent]
		return h.Meter(models), known
	}
}

// Options say where to look and how to count. Agents, Root and Env have to be set.
type Options struct {
	Agents []Loading
	Root   string // of the workspace, absolute: agents are taken to run there; "": nothing is found
	// Ran has the directories that sessions of agents ran in, by the agents' names: a directory below Root. Those of others, and
	// where it is somewhere else, are taken to run in Root.
	Ran map[string]string
	Env env.Env // the user's home, and where agents keep their files
	// Meter says how what an agent loads is counted, by its name; false: no model of it is known. Then, and where it is nil, that is
	// estimated as for models of the family that the agent uses, of which nothing was measured.
	Meter func(agent string) (ledger.Meter, bool)
	// Text returns the text of an open document; nil: no document is open. What requests carry is what is on disk: where
	// that differs, see Report.Edited.
	Text func(path string) (string, bool)
}

// Loading is how an agent loads what its requests carry. Functions of this package make it; who calls Find adds the
// exported fields.
type Loading struct {
	Name, Title string
	// Own is what a request carries of our server, in o200k_base tokens, where its tools are listed.
	Own int

	find   func(*finder) []Part
	family tokens.Family // of its models; zero: it has models of many
	// dir returns the directory of an agent that lets the user choose one, and dirs are others below the user's home. No
	// other files of that are read.
	dir  func(e env.Env) string
	dirs []string
	// tools is how the names begin that it gives to the tools of a server, which replaces %s. "": mcp__%s__.
	tools string
	// searches reports whether it loads the definition of a tool when the model looks for it, and else names it alone, unless
	// the configuration of a server says otherwise; nil: it does not.
	searches func(e env.Env, root string) bool
	// listens: it has what our hook lists when a session begins.
	listens bool
	// reference matches a reference to a variable in its configurations of servers, whose name is in a group. "": as most
	// agents write it.
	reference string
	// disable returns a configuration so that a server is no longer used; nil: its entry has to be removed.
	disable func(text []byte, entry []string) ([]byte, error)
	// rejects: the user's own settings can list servers of the project that are not used.
	rejects bool
}

// Known reports whether it is known what requests of the agent carry.
func (l Loading) Known() bool { return l.find != nil }

// Reference matches a reference to a variable in the configuration of a server, whose name is in a group: most agents write
// ${NAME} or ${NAME:-default}.
func (p Part) Reference() *regexp.Regexp {
	return regexp.MustCompile(cmp.Or(p.agent.reference, `\$\{([^{}]*)\}`))
}

// Find returns what the requests of each agent carry that has files in the workspace or in the user's home. It never
// fails: what cannot be read is a problem of its part. It ends early, with less, when ctx does.
func Find(ctx context.Context, o Options) Report {
	r := find(ctx, o, false)
	if len(r.unsaved) > 0 {
		edited := find(ctx, o, true)
		r.Edited = &edited
	}
	return r
}

// find is Find for the files, or with edited for the documents where they are open.
func find(ctx context.Context, o Options, edited bool) Report {
	f := &finder{Options: o, places: map[string]time.Time{}, reader: open(append([]string{o.Root}, agentDirs(o)...)...)}
	f.reader.opened, f.reader.edited = o.Text, edited
	defer f.reader.close()
	r := Report{Hosts: []Host{}, root: o.Root, ran: o.Ran, stamps: f.reader.stamps, unsaved: f.reader.unsaved}
	for _, a := range o.Agents {
		if ctx.Err() != nil || o.Root == "" {
			break
		}
		f.agent, f.loaded, f.meter = a, map[string]bool{}, o.meterOf(a)
		parts := a.find(f)
		if a.listens {
			if listed, any := Listed(ctx, o); any {
				parts = append(parts, listed)
			}
		}
		if len(parts) == 0 {
			continue
		}
		host := Host{Name: a.Name, Title: a.Title, Parts: parts, Carried: tokens.Count{Exact: true}, Meter: f.meter,
			Model: chars.Line(f.meter.Counter.Model()), Window: f.meter.Window}
		f.duplicates(&host)
		f.date(host.Parts, time.Time{})
		searches := a.searches != nil && a.searches(o.Env, o.Root)
		host.Each(func(p *Part) {
			p.agent, p.searched = a, searches
			p.know(f.meter.Counter)
			host.Carried = Plus(host.Carried, p.Carried)
			if p.Unknown {
				host.Unknown++
			}
		})
		r.Hosts = append(r.Hosts, host)
	}
	slices.SortFunc(r.Hosts, func(a, b Host) int {
		return cmp.Or(cmp.Compare(b.Carried.N, a.Carried.N), strings.Compare(a.Name, b.Name))
	})
	return r
}

// meterOf returns how what an agent loads is counted.
func (o Options) meterOf(a Loading) ledger.Meter {
	if o.Meter != nil {
		if m, known := o.Meter(a.Name); known {
			return m
		}
	}
	return ledger.Meter{Counter: a.family.Counter()}
}

// date notes since when parts are as they are, for sure: what is imported, also since it is; and what a path leads to, since
// its directories and links are in their places. Where the system does not say when a file was changed, nothing is known.
func (f *finder) date(parts []Part, by time.Time) {
	for i := range parts {
		p := &parts[i]
		path := filepath.Clean(p.Path)
		if p.Since = f.reader.stamps[path].changed; !p.Since.IsZero() {
			p.Since = latest(p.Since, by, f.placed(path))
		}
		f.date(p.Imports, p.Since)
	}
}

// placed returns since when a path surely leads to what it leads to now. A directory or link that is put in the place of
// another one keeps its files as they are, but its own entry changes, and that of the directory around it. Either also
// changes when files come and go, so one that has not changed is enough; where both have, nobody can tell. The workspace
// and the home are the last that are looked at: paths are of what lies there.
func (f *finder) placed(path string) (at time.Time) {
	if at, known := f.places[path]; known {
		return at
	}
	f.places[path] = at // ends circles of links
	dir := filepath.Dir(path)
	info, err := os.Lstat(path)
	around, err2 := os.Stat(dir)
	if err != nil || err2 != nil || dir == path {
		return at
	}
	if at = changedAt(info); changedAt(around).Before(at) {
		at = changedAt(around)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		to, _ := os.Readlink(path) // else the directory is asked once more
		if !filepath.IsAbs(to) {
			real, _ := filepath.EvalSymlinks(dir)
			to = filepath.Join(real, to)
		}
		at = latest(at, f.placed(to))
	}
	if path != f.Root && path != f.Env.Home {
		at = latest(at, f.placed(dir))
	}
	f.places[path] = at
	return at
}

// latest returns the latest of some times.
func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }

// agentDirs are the directories below the user's home that agents keep their files in, and the only ones there that are
// read.
func agentDirs(o Options) (out []string) {
	if o.Env.Home == "" {
		return nil
	}
	for _, a := range o.Agents {
		if a.dir != nil {
			out = append(out, a.dir(o.Env))
		}
		for _, dir := range a.dirs {
			out = append(out, filepath.Join(o.Env.Home, filepath.FromSlash(dir)))
		}
	}
	return append(out, filepath.Join(o.Env.Home, ".agents")) // of all
}

// finder finds the parts of one agent after the other.
type finder struct {
	Options
	reader *reader
	agent  Loading              // the present one
	meter  ledger.Meter         // its
	loaded map[string]bool      // files that it has loaded: it loads each once
	places map[string]time.Time // see placed
}

func (f *finder) count(text string) tokens.Count {
	if text == "" {
		return tokens.Count{Exact: true}
	}
	return f.meter.Counter.Count(text)
}

// below returns a path in the workspace.
func (f *finder) below(names ...string) string {
	return filepath.Join(append([]string{f.Root}, names...)...)
}

// dirs returns the directories from the workspace down to the one in which the agent runs: it loads files of all of them.
func (f *finder) dirs() []string {
	out := []string{f.Root}
	rel, err := filepath.Rel(f.Root, within(f.Root, f.Ran[f.agent.Name]))
	if err != nil || rel == "." {
		return out
	}
	for name := range strings.SplitSeq(rel, string(filepath.Separator)) {
		out = append(out, filepath.Join(out[len(out)-1], name))
	}
	return out[:min(len(out), maxDepth)]
}

// within returns a directory if it is below a root, with the links of the root as they are written, and else the root.
func within(root, dir string) string {
	real, err := filepath.EvalSymlinks(root)
	for _, base := range []string{root, real} {
		if rel, err2 := filepath.Rel(base, dir); dir != "" && err == nil && err2 == nil && filepath.IsLocal(rel) {
			return filepath.Join(root, rel)
		}
	}
	return root
}

// home returns a path in the user's home; "" without one.
func (f *finder) home(names ...string) string {
	if f.Env.Home == "" {
		return ""
	}
	return filepath.Join(append([]string{f.Env.Home}, names...)...)
}

// nameOf is how a path is shown: from the workspace, or from the user's home.
func (f *finder) nameOf(path string) string {
	if rel, err := filepath.Rel(f.Root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	if rel, err := filepath.Rel(f.Env.Home, path); f.Env.Home != "" && err == nil && filepath.IsLocal(rel) {
		return "~/" + filepath.ToSlash(rel)
	}
	return path
}

// The scopes of files of the workspace and of those in the user's home.
const (
	inProject = "project"
	inHome    = "user"
)

// scopeOf returns one of these.
func (f *finder) scopeOf(path string) string {
	if rel, err := filepath.Rel(f.Root, path); err == nil && filepath.IsLocal(rel) {
		return inProject
	}
	return inHome
}

// above names the files of a name in the directories above the workspace, which an agent loads and which are not read
// here.
func (f *finder) above(name, agent string) (parts []Part) {
	for dir := filepath.Dir(f.Root); ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, name)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			p := f.listed(Memory, f.nameOf(path), path, "", "", "")
			p.Scope, p.Unknown = inHome, true
			p.add(OutsideImport, agent+" loads it, because it is above the workspace: it is not read here", Span{})
			parts = append(parts, p)
		}
		if dir == filepath.Dir(dir) {
			return parts
		}
	}
}

// skipped are directories in which nobody keeps instructions of their own.
var skipped = []string{"node_modules", "vendor", "target", "dist", "build", "__pycache__"}

// In how many directories of a workspace nested files are looked for, those nearest to the root first, and among how
// many entries of them.
const (
	maxDirs    = 2_000
	maxEntries = 20_000
)

// nested returns the files of some names in the directories below the workspace.
func (f *finder) nested(names ...string) (out []string) {
	t, _, ok := f.reader.in(f.Root)
	if !ok || t.Tree == nil {
		return nil
	}
	queue, seen := []string{"."}, 0
	for n := 0; n < len(queue) && n < maxDirs && seen < maxEntries; n++ {
		entries, err := t.ReadDir(queue[n])
		if err != nil && len(entries) == 0 {
			continue
		}
		seen += len(entries)
		for _, e := range entries {
			below := strings.TrimPrefix(queue[n]+"/"+e.Name(), "./")
			switch {
			case e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(skipped, e.Name()):
				queue = append(queue, below)
			case n > 0 && slices.Contains(names, e.Name()):
				out = append(out, f.below(filepath.FromSlash(below)))
			}
		}
	}
	return out
}
