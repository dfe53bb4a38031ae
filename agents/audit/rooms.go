package audit

import (
	"ctxledger.dev/agents"
	"ctxledger.dev/agents/claudecode"
)

// rooms are the agents whose session files can be read.
func rooms() []agents.Room {
	return []agents.Room{claudecode.Room()}
}
