package sessionfile

import (
	"encoding/json"
	"time"

	"ctxledger.dev/internal/env"
)

// Writer writes sessions as new session files of one agent, which the agent then resumes. All fields but Keeps are
// required, unless Cannot is set.
type Writer struct {
	Agent Agent
	// Cannot says why no session is written for the agent; "": it is.
	Cannot string
	// Base returns the directory below which all session files of the user lie.
	Base func(e env.Env) string
	// Path returns where the file of a session is put: directories and a name with slashes, below Base.
	Path func(c *Continuation) string
	// Encode returns the content of the file.
	Encode func(c *Continuation) ([]byte, error)
	// Resume returns the program and the arguments that go on with a session. They are run in its directory.
	Resume func(id string) []string
	// Keeps returns what the agent itself keeps of a result besides the message, from the line of its session file; nil
	// for nothing. The field is nil for an agent that keeps nothing.
	Keeps func(line []byte) json.RawMessage
}

// Origin says which session another one continues.
type Origin struct {
	Session string // our id
	Host    string // whose session it is
	HostID  string // the agent's own id of it
}

// Continuation is a session that is to be written: a document of what came before, and the newest messages.
type Continuation struct {
	Origin   Origin
	ID       string // a new UUID
	Dir      string // in which the session runs, absolute, without links
	Title    string
	Document string
	Before   int       // tokens of what the document and the messages replace
	At       time.Time // when it is written
	Steps    []Step
	NewID    func() string // returns a new UUID with each call
}
