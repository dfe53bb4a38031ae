package agents

import (
	"slices"
	"strings"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/agents/codex"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/fault"
)

// Writers returns the table of the agents for which sessions are written, and why others get none.
func Writers() []sessionfile.Writer {
	return []sessionfile.Writer{
		claudecode.Writer(),
		codex.Writer(),
		{Agent: sessionfile.Gemini, Cannot: "Gemini CLI deletes the transcript of a session that is resumed"},
		{Agent: sessionfile.Qwen, Cannot: "a record of Qwen Code with a wrong parent drops the document silently, " +
			"and this version does not write it"},
		{Agent: sessionfile.OpenCode, Cannot: "opencode keeps sessions in a database, and its own import is not atomic"},
		{Agent: sessionfile.Cline, Cannot: "the session files of Cline are not known well enough"},
		{Agent: sessionfile.Pi, Cannot: "pi needs usage figures with each answer, and this version does not write them"},
	}
}

// WriterFor returns what writes sessions of an agent, by any of its names. Errors: invalid for an agent that has none, with the reason.
func WriterFor(agent string) (sessionfile.Writer, error) {
	all := Writers()
	i := slices.IndexFunc(all, func(w sessionfile.Writer) bool { return string(w.Agent) == agentname.Key(agent) })
	switch {
	case i < 0:
		return sessionfile.Writer{}, fault.New(fault.Invalid, "agents.write", "there is no agent %q to continue in",
			agent).WithHint("sessions are written for %s", Written())
	case all[i].Cannot != "":
		return sessionfile.Writer{}, fault.New(fault.Invalid, "agents.write", "no session is written for %s: %s",
			all[i].Agent, all[i].Cannot).WithHint("sessions are written for %s", Written())
	}
	return all[i], nil
}

// Written names the agents for which sessions are written, for people.
func Written() string {
	var names []string
	for _, w := range Writers() {
		if w.Cannot == "" {
			names = append(names, string(w.Agent))
		}
	}
	return strings.Join(names, " or ")
}
