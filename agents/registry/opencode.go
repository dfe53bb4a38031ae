package registry

import (
	"path/filepath"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/carried"
	"ctxledger.dev/given"
	"ctxledger.dev/internal/env"
)

// openCode is opencode.
func openCode() Agent {
	return Agent{
		Name: "opencode", Title: "opencode", Carried: carried.OpenCode(), Reads: openCodeReads,
		Sessions: recognised(sessionfile.Kind{Label: "opencode's database", Database: "opencode"}),
		Write:    sessionfile.Writer{Cannot: "opencode keeps sessions in a database, and its own import is not atomic"},
		Client: Client{Name: "opencode", Tokens: 1188, Resources: 279, Most: 51_000, Size: inBytes, Lines: 1_990,
			Tells: []string{given.FactOS, given.FactShell, given.FactDirectory}}, // and the date
		Install: Install{
			Program: "opencode", Package: "opencode-ai", Dir: openCodeDir, Files: openCodeFiles, Projects: true,
			Restart: newSession,
			Support: support(works("MCP"), later("reading its database is not supported yet"),
				later("a plugin's tool.execute.after, which does not run when a tool fails"),
				later("a plugin's tool.execute.before"), later("a plugin's experimental.chat.system.transform"),
				later("a plugin's experimental.session.compacting"), later("a plugin's session.compacted event")),
		},
	}
}

// openCodeServer is our server as opencode registers it.
type openCodeServer struct {
	Type    string   `json:"type"`
	Command []string `json:"command"`
	Enabled bool     `json:"enabled"`
}

// openCodeReads is Agent.Reads of opencode, which asks before no tool of a server. Its variable has settings besides those of
// its files.
func openCodeReads(program, workspace string, connected bool) (args, variables []string) {
	if connected {
		return nil, nil
	}
	own := openCodeServer{"local", append([]string{program}, readBack(workspace)...), true}
	settings := map[string]any{"mcp": map[string]any{ServerName: own}}
	return nil, []string{"OPENCODE_CONFIG_CONTENT=" + string(JSON(settings))}
}

func openCodeDir(e env.Env) string { return filepath.Join(configHome(e), "opencode") }

func openCodeFiles(p Places) []File {
	dir := openCodeDir(p.Env)
	if p.Scope == Project {
		dir = p.Root
	}
	return []File{{Path: filepath.Join(dir, "opencode.json"), Others: []string{filepath.Join(dir, "opencode.jsonc")},
		Entries: serverEntry(openCodeServer{"local", []string{p.Programs.MCP}, true}, "mcp")}}
}
