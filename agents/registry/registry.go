// Package registry has one value for each coding agent: how its session files are recognised, read and written, how it is
// connected, how its hooks are answered, what its requests carry, and how its client of MCP behaves.
//
// Start at All, which names every agent once, and at Agent. What reads the session files of one agent is a package of its
// own below agents. Whatever works for several agents gets them from here, and names none.
//
// The package deliberately does nothing: it says what agents are.
package registry

// All returns all agents. A new one is a line here and a file of its own; where it is called by other names, too, a line
// in package agentname. Where several claim something, such as a session file, the last one has it: the names and records
// of Claude Code are the least particular.
func All() []Agent {
	return []Agent{
		claudeCode(),
		claudeDesktop(),
		codexAgent(),
		gemini(),
		qwen(),
		openCode(),
		pi(),
		cline(),
		copilot(),
		cursor(),
	}
}
