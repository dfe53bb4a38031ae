package registry

import (
	"cmp"
	"path/filepath"
	"runtime"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/carried"
	"ctxledger.dev/internal/env"
)

// claudeDesktop is Claude Desktop, which has no session files.
func claudeDesktop() Agent {
	const why = "it has no hooks"
	noHooks := cannot(why)
	return Agent{Name: "claude-desktop", Title: "Claude Desktop", Install: Install{
		Dir: desktopDir, Restart: "quit it and open it again",
		Files: func(p Places) []File {
			return plainFile(p, desktopDir(p.Env), "claude_desktop_config.json")
		},
		Support: support(works("MCP"), cannot("it keeps no session files"), noHooks, noHooks,
			cannot(why+"; ask for the prompt \"memory\""), noHooks, noHooks),
	}}
}

// desktopDir is where Claude Desktop keeps its configuration.
func desktopDir(e env.Env) string {
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(e.Home, "Library", "Application Support", "Claude")
	case "windows":
		return filepath.Join(cmp.Or(e.Lookup("APPDATA"), filepath.Join(e.Home, "AppData", "Roaming")), "Claude")
	}
	return filepath.Join(configHome(e), "Claude")
}

// cline is Cline.
func cline() Agent {
	return Agent{
		Name: "cline", Title: "Cline",
		Sessions: recognised(sessionfile.Kind{Label: "a Cline task file", Document: func(f sessionfile.Fields) bool {
			return f.Has("messages") && (f.Has("system_prompt") || f.Has("version") && f.Has("sessionId"))
		}}),
		Write:  sessionfile.Writer{Cannot: "Cline's session file format is not understood well enough"},
		Client: Client{Name: "@cline/core", Most: 7_900, Size: quoted},
		Install: Install{
			Program: "cline", Package: "cline", Dir: dotDir(".cline"), Files: clineFiles, Restart: newSession,
			Support: support(works("MCP"), later(notFollowed),
				later("a plugin's afterTool: hooks cannot replace a result"), later("the PreToolUse hook"),
				later("a plugin's beforeRun: the output of the TaskStart hook does not reach the model"),
				cannot("it runs no hook before a compaction"), cannot("it has no event after a compaction")),
		},
	}
}

func clineFiles(p Places) []File {
	type transport struct {
		Type    string `json:"type"`
		Command string `json:"command"`
	}
	return []File{{Path: p.Below(".cline", "data", "settings", "cline_mcp_settings.json"),
		Entries: serverEntry(map[string]transport{"transport": {"stdio", p.Programs.MCP}}, "mcpServers")}}
}

// copilot is Copilot in VS Code.
func copilot() Agent { return Agent{Name: "copilot", Title: "Copilot", Carried: carried.Copilot()} }

// cursor is Cursor.
func cursor() Agent { return Agent{Name: "cursor", Title: "Cursor", Carried: carried.Cursor()} }
