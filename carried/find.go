package carried

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/tokens"
)

// Options say where to look and how to count. The first three have to be set.
type Options struct {
	Root    string         // of the workspace, absolute: agents are taken to run there
	Env     env.Env        // the user's home, and where agents keep their files
	Counter tokens.Counter // of the model that is asked
	// Text returns the text of an open document; nil: no document is open. What requests carry is what is on disk: where
	// that differs, see Report.Edited.
	Text func(path string) (string, bool)
}

// hosts are the agents that are known, in the order of their names in a tie.
var hosts = []struct {
	name, title string
	find        func(*finder) []Part
}{
	{claudeCode, "Claude Code", (*finder).claude},
	{"codex", "Codex", (*finder).codex},
	{"copilot", "Copilot", (*finder).copilot},
	{"cursor", "Cursor", (*finder).cursor},
	{"gemini", "Gemini CLI", (*finder).gemini},
	{"opencode", "opencode", (*finder).opencode},
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
	f := &finder{Options: o, reader: open(append([]string{o.Root}, agentDirs(o.Env)...)...)}
	f.reader.opened, f.reader.edited = o.Text, edited
	defer f.reader.close()
	r := Report{Hosts: []Host{}, counter: o.Counter, stamps: f.reader.stamps, unsaved: f.reader.unsaved}
	for _, h := range hosts {
		if ctx.Err() != nil {
			break
		}
		f.loaded = map[string]bool{}
		parts := h.find(f)
		if h.name == claudeCode {
			if listed, any := Listed(ctx, o); any {
				parts = append(parts, listed)
			}
		}
		if len(parts) == 0 {
			continue
		}
		host := Host{Name: h.name, Title: h.title, Parts: parts, Carried: tokens.Count{Exact: true}}
		f.duplicates(&host)
		host.Each(func(p *Part) {
			p.know(host.Name, o.Counter)
			host.Carried = Plus(host.Carried, p.Carried)
			if p.Unknown {
				host.Unknown++
			}
		})
		r.Hosts = append(r.Hosts, host)
	}
	slices.SortStableFunc(r.Hosts, func(a, b Host) int { return cmp.Compare(b.Carried.N, a.Carried.N) })
	return r
}

// agentDirs are the directories below the user's home that agents keep their files in, and the only ones there that are
// read.
func agentDirs(e env.Env) []string {
	if e.Home == "" {
		return nil
	}
	return []string{
		claudecode.ConfigDir(e), codexDir(e),
		filepath.Join(e.Home, ".gemini"), filepath.Join(e.Home, ".config", "opencode"),
		filepath.Join(e.Home, ".opencode"),
		filepath.Join(e.Home, ".agents"), filepath.Join(e.Home, ".copilot"), filepath.Join(e.Home, ".cursor"),
	}
}

func codexDir(e env.Env) string {
	return cmp.Or(e.Lookup("CODEX_HOME"), filepath.Join(e.Home, ".codex"))
}

// finder finds the parts of one agent after the other.
type finder struct {
	Options
	reader *reader
	loaded map[string]bool // files that the present agent has loaded: it loads each once
}

func (f *finder) count(text string) tokens.Count {
	if text == "" {
		return tokens.Count{Exact: true}
	}
	return f.Counter.Count(text)
}

// below returns a path in the workspace.
func (f *finder) below(names ...string) string {
	return filepath.Join(append([]string{f.Root}, names...)...)
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

// scopeOf is "user" for files in the user's home, "project" for those of the workspace.
func (f *finder) scopeOf(path string) string {
	if rel, err := filepath.Rel(f.Root, path); err == nil && filepath.IsLocal(rel) {
		return "project"
	}
	return "user"
}

// above names the files of a name in the directories above the workspace, which an agent loads and which are not read
// here.
func (f *finder) above(name, agent string) (parts []Part) {
	for dir := filepath.Dir(f.Root); ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, name)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			p := f.listed(Memory, f.nameOf(path), path, "", "", "")
			p.Scope, p.Unknown = "user", true
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
