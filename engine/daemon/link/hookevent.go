package link

// HookInput bounds the input of a hook, in bytes.
const HookInput = 8 << 20

// HookEvent is an event of a coding agent's hooks, as the process that the agent started hands it to the daemon. It has
// what only that process knows.
type HookEvent struct {
	Agent     string            `json:"agent"`
	Name      string            `json:"event"`
	Root      string            `json:"root"`                // of the workspace, one of the trees of the ledger
	Server    string            `json:"server,omitempty"`    // ours, whose reading tools the person agreed to; "": none
	Variables map[string]string `json:"variables,omitempty"` // of its environment, "" for those that are not set
	Offset    int               `json:"offset,omitempty"`    // of its time zone, in seconds east of UTC
	Deadline  int64             `json:"deadline_ms"`         // how long it waits for the answer
	Input     []byte            `json:"-"`                   // what the agent wrote to its standard input
}
