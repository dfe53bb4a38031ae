package registry

import (
	"path/filepath"
	"strings"

	"ctxledger.dev/agents/codex"
	"ctxledger.dev/carried"
	"ctxledger.dev/given"
	"ctxledger.dev/internal/confedit"
)

// codexAgent is Codex.
func codexAgent() Agent {
	return Agent{
		Name: codex.Name, Title: "Codex",
		Sessions: codex.Adapter(), Write: codex.Writer(), Reads: codexReads, Carried: carried.Codex(codex.ConfigDir),
		// It lists tools for resources whatever a server offers.
		Client: Client{Name: "codex-mcp-client", Tokens: 1178, Most: 11_800, Size: inBytes,
			Chat:  []string{"threadId", "sessionId"},               // the latter of older versions
			Tells: []string{given.FactDirectory, given.FactShell}}, // and the date with its zone
		Install: Install{
			Program: "codex", Package: "@openai/codex", Dir: codex.ConfigDir, Written: "sessions",
			Files: codexFiles, Projects: true, Restart: newSession,
			Support: support(works("MCP"), works("its session files"), later("the PostToolUse hook"),
				later("the PreToolUse hook"), later("the SessionStart hook"),
				cannot("its PreCompact hook can only veto"),
				later("the SessionStart hook after a compaction")),
		},
	}
}

// codexPassed are the variables that name the directories of ledgers. Codex passes only listed variables on to its servers.
const codexPassed = `["CTXLEDGER_STATE", "XDG_STATE_HOME"]`

// codexReads is Agent.Reads of Codex.
func codexReads(program, workspace string, connected bool) (args, variables []string) {
	set := func(key, value string) { args = append(args, "-c", "mcp_servers."+ServerName+"."+key+"="+value) }
	set("tools.read_artifact.approval_mode", `"approve"`)
	if !connected {
		set("command", tomlString(program))
		set("args", string(JSON(readBack(workspace))))
		set("env_vars", codexPassed)
	}
	return args, nil
}

func codexFiles(p Places) []File {
	path := filepath.Join(codex.ConfigDir(p.Env), "config.toml")
	if p.Scope == Project {
		path = p.Below(".codex", "config.toml")
	}
	return []File{{Path: path, Table: &confedit.Table{Path: []string{"mcp_servers", ServerName},
		Body: "command = " + tomlString(p.Programs.MCP) + "\nargs = []\nenv_vars = " + codexPassed + "\n"}}}
}

// tomlString returns a text as a basic string of TOML, whose escapes are those of JSON.
func tomlString(s string) string { return string(JSON(strings.ToValidUTF8(s, "\ufffd"))) }
