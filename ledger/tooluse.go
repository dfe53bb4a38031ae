package ledger

import "time"

// ToolUseRequest asks which tools recent sessions called.
type ToolUseRequest struct {
	Sessions int `json:"sessions,omitempty"` // of each host, the newest; 0: 30, at most 100
}

// ToolUse says which tools recent sessions of each host called. Names are masked.
type ToolUse struct {
	Hosts []HostToolUse `json:"hosts"` // by name
	// Servers are those that were asked for their tools, newest first; at most MaxAskedServers.
	Servers []AskedServer `json:"servers,omitempty"`
}

// HostToolUse is what the newest sessions of one host called, their subagents included.
type HostToolUse struct {
	Host     string    `json:"host"`
	Sessions int       `json:"sessions"` // that were counted
	Since    time.Time `json:"since"`    // when the oldest of them began
	Newest   time.Time `json:"newest"`   // when the newest of them began
	Tools    []Called  `json:"tools"`    // most calls first, at most 500
	// Skills are the skills that were used, by the name that the call of the tool Skill gives, or by the path of the
	// SKILL.md that was read; most uses first, at most 500.
	Skills []Called `json:"skills"`
}

// Called is how often something was called.
type Called struct {
	Name     string    `json:"name"`
	Calls    int       `json:"calls"`
	Sessions int       `json:"sessions"` // in how many of the counted sessions
	Last     time.Time `json:"last"`
}
