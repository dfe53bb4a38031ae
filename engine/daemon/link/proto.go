package link

import (
	"encoding/json"
	"net"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// Protocol is the version of the wire protocol, requests and responses of engine.API included: the first
// change after a release increments it. An owner serves every protocol from OldestProtocol on; a client
// that is newer than the owner, by this or by its program's version, asks it to leave.
const (
	Protocol       = 2 // 2: attachments, and the methods of maintenance
	OldestProtocol = 1
)

// The purposes of a connection.
const (
	WantCalls = "calls"     // requests and responses, until one side closes the connection
	WantPut   = "put_blob"  // one blob in, one response out
	WantRead  = "read_blob" // one request in, one response, a blob and another response out
	WantHook  = "hook"      // a HookEvent and its input as a blob in, one response and the answer as a blob out, and
	// an empty frame in when an answer that is not empty was printed
	WantLeave = "leave" // asks the owner to leave; the connection ends when it has
)

// Hello is the first frame of a client.
type Hello struct {
	Protocol int    `json:"protocol"`
	Token    string `json:"token"`
	Version  string `json:"version,omitempty"` // of the program, for the log
	Want     string `json:"want"`
}

// Welcome is the first frame of an owner. Its form, and that of hello, never change.
type Welcome struct {
	Protocol int          `json:"protocol"`
	PID      int          `json:"pid"`
	Version  string       `json:"version,omitempty"`
	Started  time.Time    `json:"started"`
	Error    *fault.Error `json:"error,omitempty"` // why the connection is closed now
}

// Request is one call. With Cancel it cancels the call of the same id, and has no answer.
type Request struct {
	ID       uint64          `json:"id"`
	Method   string          `json:"method,omitempty"`
	Deadline int64           `json:"deadline_ms,omitempty"` // time left; 0: limits.Call
	Body     json.RawMessage `json:"body,omitempty"`
	Cancel   bool            `json:"cancel,omitempty"`
	Raw      bool            `json:"raw,omitempty"` // the answer may have an attachment
	Attachment
}

// Response answers the request of the same id. Bye is the last frame of an owner that shuts down cleanly:
// requests without an answer were not begun or will not finish.
type Response struct {
	ID    uint64          `json:"id"`
	Body  json.RawMessage `json:"body,omitempty"`
	Error *fault.Error    `json:"error,omitempty"`
	Bye   bool            `json:"bye,omitempty"`
	Attachment
}

// WaitEvents is the long poll: an owner that leaves does not wait for it.
const WaitEvents = "WaitEvents"

// Greeting bounds how long each side waits for the other's first frame.
const Greeting = 5 * time.Second

// Introduce sends hello and returns the owner's welcome.
func Introduce(conn net.Conn, h Hello) (Welcome, error) {
	const op = "daemon.dial"
	if err := WriteJSON(conn, h); err != nil {
		return Welcome{}, fault.Wrap(fault.Unavailable, op, err)
	}
	var w Welcome
	if err := ReadJSON(conn, limits.Frame, &w); err != nil {
		return Welcome{}, fault.Wrap(fault.Unavailable, op, err)
	}
	if w.Error != nil {
		return Welcome{}, w.Error
	}
	return w, nil
}
