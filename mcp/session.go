package mcp

import (
	"context"

	"ctxledger.dev/engine"
	"ctxledger.dev/sessions"
)

// hostSessions are the variables by which agent hosts tell their children the session that they
// belong to, the host's own first where it sets those of others too.
var hostSessions = []string{"QWEN_CODE_SESSION_ID", "GEMINI_SESSION_ID", "CLAUDE_CODE_SESSION_ID"}

// hostSession returns the host's id of the session that this process was started for, or "".
func (s *Server) hostSession() string {
	for _, name := range hostSessions {
		if id := s.o.Env.Lookup(name); id != "" {
			return id
		}
	}
	return ""
}

// session finds the session that a call is about: the one it names, the host's own, or the one that
// was active in the last ten minutes. Errors: not_found; conflict, listing them, for several.
func (c *call) session(ctx context.Context, name string) (sessions.Session, error) {
	return c.api.Session(ctx, engine.SessionRequest{Name: name, HostID: c.hostSession()})
}
