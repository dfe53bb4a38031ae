package install

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/confedit"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/safefs"
)

// Machine is one user's agents on one machine. All fields but Root are required.
type Machine struct {
	env.Env
	Root     string            // of the tree, for the scope Project; "": there is none
	State    string            // directory in which is noted what was edited
	Programs registry.Programs // that agents are to start
	// Hooks are what hooks do by the user's own settings: an event for which nothing is to do is left out.
	Hooks config.Hooks
	// TreeHooks are what they do by the settings of the tree too. They are for the scope Project alone: a repository
	// decides nothing about the user's own files.
	TreeHooks config.Hooks

	// kept is called when a receipt was stored: the moment in which tests have another program write. nil: nothing.
	kept func()
}

// Found is what there is of an agent.
type Found struct {
	Program string `json:"program,omitempty"` // its absolute path, "" if it is not in PATH
	Version string `json:"version,omitempty"` // as its package says, "" if that is not known
	Dir     string `json:"dir,omitempty"`     // a directory with configurations of it, "" if there is none
	// Sessions says that there are sessions for it, which ctxledger writes too: alone no sign that somebody uses it.
	Sessions bool `json:"sessions,omitempty"`
}

// Installed reports whether there is anything of the agent.
func (f Found) Installed() bool { return f.Program != "" || f.Dir != "" }

// Find looks for an agent. It starts nothing.
func (m Machine) Find(h registry.Agent) (f Found) {
	if dir := h.Dir(m.Env); isDir(dir) {
		if f.Sessions = holdsOnly(dir, h.Written); !f.Sessions {
			f.Dir = dir
		}
	}
	for _, file := range m.files(h, registry.User) { // some agents keep one next to that directory
		if info, err := os.Lstat(file.Path); f.Dir == "" && err == nil && !info.IsDir() {
			f.Dir = filepath.Dir(file.Path)
		}
	}
	ours := func(s Status) bool { return s.State == Connected || s.State == Differs }
	if f.Dir == "" && slices.ContainsFunc(m.Check(h, registry.Project), ours) {
		f.Dir = m.Root // it is connected here alone
	}
	if h.Program == "" {
		return f
	}
	if f.Program = m.LookPath(h.Program); f.Program != "" {
		f.Version = versionOf(f.Program, h.Package)
	}
	return f
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// holdsOnly reports whether there is one thing of some name in a directory, and nothing else.
func holdsOnly(dir, name string) bool {
	all, err := os.ReadDir(dir)
	return err == nil && len(all) == 1 && all[0].Name() == name
}

// LookPath returns the absolute path of a program in PATH, "" if it is not there.
func (m Machine) LookPath(program string) string {
	names := []string{program}
	if runtime.GOOS == "windows" {
		names = []string{program + ".exe", program + ".cmd"}
	}
	for _, dir := range filepath.SplitList(m.Lookup("PATH")) {
		for _, name := range names {
			path := filepath.Join(dir, name)
			info, err := os.Stat(path)
			runs := err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
			if runs && filepath.IsAbs(dir) {
				return path
			}
		}
	}
	return ""
}

const (
	maxPackage = 1 << 20 // bytes of a package.json
	maxAbove   = 5       // directories between a program and that of its package
)

// releaseName matches a version as the name of a file: Claude Code's own installer names programs so.
var releaseName = pattern.Lazy(`^\d+\.\d+\.\d+[\w.-]*$`)

// versionOf returns the version of a program by the package that it is from, "" if that is not known.
func versionOf(program, of string) string {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return ""
	}
	if base := filepath.Base(real); releaseName().MatchString(base) {
		return base
	}
	dir := filepath.Dir(real)
	for range maxAbove {
		for _, path := range []string{filepath.Join(dir, "package.json"),
			filepath.Join(dir, "node_modules", filepath.FromSlash(of), "package.json")} {
			var p struct{ Name, Version string }
			raw, err := safefs.ReadFile(path, maxPackage)
			if err == nil && json.Unmarshal(raw, &p) == nil && p.Name == of && releaseName().MatchString(p.Version) {
				return p.Version
			}
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

// places returns what the files of agents are made with.
func (m Machine) places(s registry.Scope) registry.Places {
	hooks := m.Hooks
	if s == registry.Project {
		hooks = m.TreeHooks
	}
	return registry.Places{Env: m.Env, Scope: s, Root: m.Root, Programs: m.Programs, Hooks: hooks}
}

// files returns the configurations of an agent, each at the path at which the agent has it.
func (m Machine) files(h registry.Agent, s registry.Scope) (all []File) {
	if h.Files == nil || s == registry.Project && (!h.Projects || m.Root == "") {
		return nil
	}
	for _, f := range h.Files(m.places(s)) {
		for _, other := range f.Others {
			if _, err := os.Lstat(f.Path); err == nil {
				break
			}
			if _, err := os.Lstat(other); err == nil {
				f.Path = other
				break
			}
		}
		all = append(all, File{f})
	}
	return all
}

// present is a configuration as it is now.
type present struct {
	real   string // its path without symbolic links
	base   string // the directory below which it is opened and written
	text   []byte
	exists bool
	mode   fs.FileMode
}

// Hosts returns the agents that ctxledger can be connected to.
func Hosts() []registry.Agent {
	return slices.DeleteFunc(registry.All(), func(a registry.Agent) bool { return a.Files == nil })
}

// File is a configuration of an agent on a machine.
type File struct{ registry.File }

// bridgeProgram returns the program that a bridge of ours starts.
func bridgeProgram(text string) string {
	const before = "const program = "
	_, rest, _ := strings.Cut(text, before)
	line, _, _ := strings.Cut(rest, "\n")
	path, err := strconv.Unquote(strings.TrimSuffix(strings.TrimSpace(line), ";"))
	if err != nil {
		return ""
	}
	return path
}

// ignored says why an agent reads nothing of the file with a text, and what to do; "": it reads it.
func (f File) ignored(h registry.Agent, text []byte) string {
	if !f.Strict {
		return ""
	}
	beyond := confedit.Beyond(text)
	if beyond == "" {
		return ""
	}
	return f.Path + " has " + beyond + ", and " + h.Title +
		" ignores such a file: remove all comments and trailing commas"
}
