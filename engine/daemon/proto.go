package daemon

import (
	"encoding/json"
	"time"

	"ctxledger.dev/internal/fault"
)

// protocol is the version of the wire protocol, requests and responses of engine.API included: the first
// change after a release increments it. An owner serves every protocol from oldestProtocol on; a client
// that is newer than the owner asks it to leave.
const (
	protocol       = 2 // 2: attachments, and the methods of maintenance
	oldestProtocol = 1
)

// The purposes of a connection.
const (
	wantCalls = "calls"     // requests and responses, until one side closes the connection
	wantPut   = "put_blob"  // one blob in, one response out
	wantRead  = "read_blob" // one request in, one response, a blob and another response out
	wantHook  = "hook"      // a HookEvent and its input as a blob in, one response and the answer as a blob out
	wantLeave = "leave"     // asks the owner to leave; the connection ends when it has
)

// hello is the first frame of a client.
type hello struct {
	Protocol int    `json:"protocol"`
	Token    string `json:"token"`
	Version  string `json:"version,omitempty"` // of the program, for the log
	Want     string `json:"want"`
}

// welcome is the first frame of an owner. Its form, and that of hello, never change.
type welcome struct {
	Protocol int          `json:"protocol"`
	PID      int          `json:"pid"`
	Version  string       `json:"version,omitempty"`
	Started  time.Time    `json:"started"`
	Error    *fault.Error `json:"error,omitempty"` // why the connection is closed now
}

// request is one call. With Cancel it cancels the call of the same id, and has no answer.
type request struct {
	ID       uint64          `json:"id"`
	Method   string          `json:"method,omitempty"`
	Deadline int64           `json:"deadline_ms,omitempty"` // time left; 0: limits.Call
	Body     json.RawMessage `json:"body,omitempty"`
	Cancel   bool            `json:"cancel,omitempty"`
	Raw      bool            `json:"raw,omitempty"` // the answer may have an attachment
	attachment
}

// response answers the request of the same id. Bye is the last frame of an owner that shuts down cleanly:
// requests without an answer were not begun or will not finish.
type response struct {
	ID    uint64          `json:"id"`
	Body  json.RawMessage `json:"body,omitempty"`
	Error *fault.Error    `json:"error,omitempty"`
	Bye   bool            `json:"bye,omitempty"`
	attachment
}
