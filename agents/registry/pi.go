package registry

import (
	_ "embed" // the extension
	"strings"

	"ctxledger.dev/agents/sessionfile"
)

// pi is pi.
func pi() Agent {
	return Agent{
		Name: "pi", Title: "pi",
		Sessions: recognised(sessionfile.Kind{Label: "a pi session file",
			Line: func(_ string, f sessionfile.Fields) bool {
				return f["type"] == "session" && f.Has("version") && f.Has("cwd")
			}}),
		Write: sessionfile.Writer{Cannot: "pi needs usage figures with each answer, and this version does not " +
			"write them"},
		Install: Install{
			Program: "pi", Package: "@mariozechner/pi-coding-agent", Dir: dotDir(".pi"), Files: piFiles, Projects: true,
			Restart: newSession,
			Support: support(works("our extension: pi has no MCP client"), later(notFollowed),
				later("an extension's tool_result event"), later("an extension's tool_call event"),
				later("an extension's before_agent_start event"),
				later("an extension's session_before_compact event, which accepts our summary"),
				later("an extension's session_compact event")),
		},
	}
}

// piBridge is the extension of pi, with the path of our server to be put in.
//
//go:embed pi.ts
var piBridge string

func piFiles(p Places) []File {
	path := p.Below(".pi", "agent", "extensions", "ctxledger.ts")
	if p.Scope == Project {
		path = p.Below(".pi", "extensions", "ctxledger.ts")
	}
	return []File{{Path: path, Whole: strings.Replace(piBridge, `"CTXMCP"`, string(JSON(p.Programs.MCP)), 1)}}
}
