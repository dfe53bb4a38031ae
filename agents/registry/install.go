package registry

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"

	"ctxledger.dev/config"
	"ctxledger.dev/internal/confedit"
	"ctxledger.dev/internal/env"
)

// Scope says whose sessions a configuration is for.
type Scope string

// The scopes.
const (
	User    Scope = "user"    // all of the user's
	Project Scope = "project" // those in one tree
)

// Install is how ctxledger is connected to an agent. The zero value: it cannot be.
type Install struct {
	Program string // the agent's name in PATH, "" for none
	Package string // its name in npm, "" for none
	// Dir returns the directory of its own whose existence says that somebody uses it.
	Dir func(e env.Env) string
	// Written is the folder in Dir in which ctxledger writes sessions for the agent. It alone is no sign of the agent;
	// "": none are written.
	Written string
	// Files returns the configurations that connect it, and with what.
	Files    func(p Places) []File
	Projects bool // it has configurations for one tree
	// Plugins returns the settings that enable plugins of the agent, of which ours may be one: a later one overrides the
	// earlier ones. nil: there is no plugin of ours.
	Plugins func(p Places) []Plugins
	Support []Support
	Restart string // what makes it read its configuration
	// Agreed tells the person who connects the agent what that allows. "": nothing to tell.
	Agreed string
	// Costs tells that person what it costs, and what saves. "": nothing was measured.
	Costs string
}

// Plugins is a settings file in whose member enabledPlugins an agent has the names of its plugins.
type Plugins struct {
	Scope Scope
	Path  string
	Off   string // the command that disables a plugin there, whose name replaces %s
}

// Places are what the files of an agent are made with.
type Places struct {
	env.Env
	Scope    Scope
	Root     string // of the tree, "" for none
	Programs Programs
	Hooks    config.Hooks
}

// Programs are the absolute paths of ours that agents are to start.
type Programs struct {
	CLI string `json:"ctxledger"`
	MCP string `json:"ctxmcp"`
	// Hook answers hooks, as the command line does, and starts sooner. "": it is not there.
	Hook string `json:"ctxhook,omitempty"`
}

// Below returns a path in the user's home, or in the tree for the scope Project.
func (p Places) Below(steps ...string) string {
	base := p.Home
	if p.Scope == Project {
		base = p.Root
	}
	return filepath.Join(append([]string{base}, steps...)...)
}

// File is a configuration of an agent, and what connects the agent in it. It has one of the three forms.
type File struct {
	Path string
	// Others are paths at one of which the agent may have it instead. The first that exists counts.
	Others  []string
	Entries []confedit.Entry // of a JSON file
	// Strict: the agent takes plain JSON alone. In a file with comments or trailing commas it reads nothing.
	Strict bool
	Table  *confedit.Table // of a TOML file
	Whole  string          // the whole text of a file of our own
}

// Holds says what of ours is in the file of a connected agent.
func (f File) Holds() string {
	if f.Whole != "" {
		return "an extension that starts ctxmcp"
	}
	hooks := ""
	for _, e := range f.Entries {
		if e.List {
			hooks += ", " + e.Path[len(e.Path)-1]
		}
	}
	if hooks != "" {
		return "hooks " + hooks[len(", "):]
	}
	return "MCP server " + ServerName
}

// ServerName is the name of our server in every configuration.
const ServerName = "ctxledger"

const (
	newSession = "start a new session"
	// notFollowed is why sessions of an agent are not recorded.
	notFollowed = "reading its session files is not supported yet"
)

// server is how most agents name a server of MCP.
type server struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	// Always has Claude Code wait for the server when it starts, and offer its tools at once: what replaces a large
	// result names them.
	Always bool `json:"alwaysLoad,omitempty"`
}

// JSON returns a value as JSON.
func JSON(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil { // plain values
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}

func serverEntry(v any, path ...string) []confedit.Entry {
	return []confedit.Entry{{Path: append(path, ServerName), Value: JSON(v)}}
}

// plainFile is the configuration of many agents.
func plainFile(p Places, path ...string) []File {
	return []File{{Path: filepath.Join(path...),
		Entries: serverEntry(server{"", p.Programs.MCP, []string{}, false}, "mcpServers")}}
}

// dotDir returns the directory of an agent in the user's home.
func dotDir(name string) func(e env.Env) string {
	return func(e env.Env) string { return filepath.Join(e.Home, name) }
}

// configHome is the directory of configurations on Linux.
func configHome(e env.Env) string {
	return cmp.Or(e.Lookup("XDG_CONFIG_HOME"), filepath.Join(e.Home, ".config"))
}
