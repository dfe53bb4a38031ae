// Package carried finds what every request of a coding agent carries besides the conversation, as far as files say it:
// memory and instruction files with what they import, rules, the lists of skills, subagents and commands, plugins, and MCP
// servers. It says what each part costs, and what of it is loaded only on demand.
//
// Start at Find. It reads files of the workspace and of the agents' own directories in the user's home, ctxledger's own
// configuration and what that has hooks list, and nothing else: what lies elsewhere is named and never opened. It starts no program and connects to nothing, so what an MCP
// server adds is unknown here.
//
// Report.Count adds how often recorded sessions used a server or a skill, and Report.Charged what a session has paid for
// what its requests carry.
//
// What Claude Code, Codex, Gemini CLI and opencode load, and in which words, was taken from requests of the real programs:
// lab/agentmatrix records them in testdata/cases, and TestRequests compares. What the other agents load follows their
// documentation.
package carried
