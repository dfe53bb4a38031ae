package registry

import (
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/carried"
	"ctxledger.dev/given"
)

// gemini is Gemini CLI.
func gemini() Agent {
	return Agent{
		Name: "gemini", Title: "Gemini CLI", Carried: carried.Gemini(), Reads: geminiReads,
		Sessions: recognised(sessionfile.Kind{Label: "a Gemini CLI chat file",
			Line: func(_ string, f sessionfile.Fields) bool {
				return f.Has("projectHash") && f.Has("sessionId") || f["type"] == "gemini" && f.Has("id")
			}}),
		Write: sessionfile.Writer{Cannot: "Gemini CLI deletes the transcript of a session that is resumed"},
		Client: Client{Name: "gemini-cli-mcp-client", Tokens: 1423, Resources: 221, Most: 39_500, Size: codeUnits,
			Tells: []string{given.FactOS, given.FactDirectory}}, // and the date
		Install: Install{
			Program: "gemini", Package: "@google/gemini-cli", Dir: dotDir(".gemini"), Files: settingsIn(".gemini"),
			Projects: true, Restart: newSession,
			Support: support(works("MCP"), later(notFollowed), later("the AfterTool hook"),
				later("the BeforeTool hook"),
				later("the SessionStart hook"), cannot("its PreCompress hook is only informational"),
				later("the BeforeAgent hook after a compression that shows up in the session file")),
		},
	}
}

// geminiReads is Agent.Reads of Gemini CLI. It reads settings besides its own only from files that root owns, where they replace
// those of a company, and its flags for tools replace what the person has allowed.
func geminiReads(string, string, bool) (args, variables []string) { return nil, nil }

// settingsIn returns the configurations of agents that are made from Gemini CLI.
func settingsIn(dir string) func(p Places) []File {
	return func(p Places) []File { return plainFile(p, p.Below(dir, "settings.json")) }
}

// qwen is Qwen Code.
func qwen() Agent {
	return Agent{
		Name: "qwen", Title: "Qwen Code",
		Sessions: recognised(sessionfile.Kind{Label: "a Qwen Code chat file",
			Line: func(_ string, f sessionfile.Fields) bool {
				return f.Has("message.parts") || f.Has("usageMetadata") && f.Has("uuid")
			}}),
		Write: sessionfile.Writer{Cannot: "Qwen Code silently drops the document if a record has a wrong " +
			"parent, and this version does not write it"},
		Client: Client{Name: "qwen-cli-mcp-client", Most: 24_500, Size: codeUnits, Lines: 990},
		Install: Install{
			Program: "qwen", Package: "@qwen-code/qwen-code", Dir: dotDir(".qwen"), Files: settingsIn(".qwen"),
			Projects: true, Restart: newSession,
			Support: support(works("MCP"), later(notFollowed), later("the PostToolUse hook"),
				later("the PreToolUse hook"),
				later("the SessionStart hook"), later("the PreCompact hook"),
				later("the SessionStart hook after a compaction")),
		},
	}
}
