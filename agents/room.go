package agents

import (
	"io"
	"os"
	"time"

	"ctxledger.dev/engine/replay"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/report"
	"ctxledger.dev/transcript"
)

// Room is what one agent's room offers to whoever reads session files without a ledger.
type Room struct {
	Agent Agent
	// Places returns the directories below which the agent keeps the user's session files. They need not exist.
	Places func(e env.Env) []string
	// IsSession reports whether a file of this name below such a directory is a session file.
	IsSession func(name string) bool
	// Describe says what the beginning of a session file tells of its session. Errors are those of reading.
	Describe func(path string, file io.ReaderAt) (report.Session, error)
	// Survey reads a session file quickly. Errors are those of reading.
	Survey func(file io.Reader, path string) (Survey, error)
	// Read hands every record of a session file to take, in order. What a Record holds is valid until take
	// returns. Errors are those of reading.
	Read func(file io.Reader, path string, take func(Record)) (Damage, error)
	// Whole reads a session file whole, for a replay. Errors: those of reading; invalid and too_large for what it
	// holds.
	Whole func(file *os.File, path string) (*replay.Session, error)
}

// Survey is what has to be known of a session file before it can be measured.
type Survey struct {
	// Requests are the ids of the requests that the file reports. Reflected are those that it only repeats
	// from what should be a file of its own, such as a subagent's.
	Requests, Reflected []string
	Compacted           bool // whether the conversation was compacted
}

// Damage counts the lines of a session file that could not be read. They are left out.
type Damage struct {
	Broken int   `json:"broken"` // no record
	Long   int   `json:"long"`   // longer than a record may be
	First  int64 `json:"first"`  // number of the first such line, from 1; 0: there is none
}

// Note counts a line.
func (d *Damage) Note(line int64, long bool) {
	if long {
		d.Long++
	} else {
		d.Broken++
	}
	if d.First == 0 {
		d.First = line
	}
}

// Record is one step of a conversation as a session file tells it.
type Record struct {
	ID, Parent string // the host's ids; see report.Entry
	Time       time.Time
	Thread     string // a subagent's conversation; "": the file's own
	// Message is empty for a record that only says that the conversation was compacted.
	Message transcript.Message
	Aside   bool // the host wrote it, not the user
	Summary bool // it stands for what was compacted
	Request *report.Request
	// Compaction is set when the records before this one left the conversation.
	Compaction *report.Compaction
}
