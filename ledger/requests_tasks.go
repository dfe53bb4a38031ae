package ledger

import "fmt"

// TaskState is how one background task of an owner fares.
type TaskState struct {
	Name  string `json:"name"`  // what it does: "following session files"
	State string `json:"state"` // one of the constants below
	// Seconds is for how long there has been no progress, or for how long it has ended.
	Seconds float64 `json:"seconds"`
	Error   string  `json:"error,omitempty"` // what it ended with
}

// The states of background tasks.
const (
	TaskWaiting = "waiting" // for something to do
	TaskWorking = "working"
	TaskStuck   = "stuck"  // a step takes far too long: mostly a system call that does not return
	TaskFailed  = "failed" // ended with an error
	TaskEnded   = "ended"
)

// TaskFollow is the task that follows session files.
const TaskFollow = "following session files"

// Trouble says what is wrong with a task, "" while it does its work.
func (t TaskState) Trouble() string {
	switch t.State {
	case TaskStuck:
		return fmt.Sprintf("%s: no progress for %.0f s", t.Name, t.Seconds)
	case TaskFailed:
		return fmt.Sprintf("%s: failed %.0f s ago: %s", t.Name, t.Seconds, t.Error)
	}
	return ""
}
