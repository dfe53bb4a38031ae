package workspace

import "ctxledger.dev/internal/env"

// hostSessions are the variables by which agent hosts tell their children the session that they
// belong to. Some hosts set those of others too, for compatibility: their own comes first here.
var hostSessions = []string{
	"QWEN_CODE_SESSION_ID",
	"GEMINI_SESSION_ID",
	"CLAUDE_CODE_SESSION_ID",
}

// HostSession returns the host's id of the session that this process was started for, or "". The
// ledger need not know that session.
func HostSession(e env.Env) string {
	for _, name := range hostSessions {
		if id := e.Lookup(name); id != "" {
			return id
		}
	}
	return ""
}
