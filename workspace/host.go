package workspace

import "ctxledger.dev/internal/env"

// hostSessions are the variables in which agent hosts pass the id of their session to child processes.
// Some hosts also set those of others, for compatibility: their own comes first here.
var hostSessions = []string{
	"QWEN_CODE_SESSION_ID",
	"GEMINI_SESSION_ID",
	"CLAUDE_CODE_SESSION_ID",
}

// HostSession returns the host's id of the session that started this process, or "". The ledger may not
// have that session.
func HostSession(e env.Env) string {
	for _, name := range hostSessions {
		if id := e.Lookup(name); id != "" {
			return id
		}
	}
	return ""
}
