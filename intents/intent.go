package intents

import (
	"time"
	"unicode/utf8"
)

// Status is how far an intent has come. The words are those of intents.json.
type Status string

// The statuses. Retryable is set by reconciliation only: the target was not touched.
const (
	Pending   Status = "Pending"
	Applied   Status = "Applied"
	Failed    Status = "Failed"
	Retryable Status = "Retryable"
)

// Announced is the source of an intent that a hook announced. When the log has the call, that is its source.
const Announced = "hook"

// Intent is one tool call that means to change or to run something.
type Intent struct {
	ID      string `json:"id"` // 16 lower-case hex digits, from session and call
	Session string `json:"session"`
	Seq     int64  `json:"seq"`             // the log entry that holds the call
	Turn    int    `json:"turn"`            // 1-based
	Agent   string `json:"agent,omitempty"` // a subagent's name; "" for the main conversation
	CallID  string `json:"call_id"`
	Name    string `json:"name"` // the host's name of the tool
	// Op is the canonical operation: write_file, patch_file, delete_file, move_file, copy_file,
	// shell_run, git_commit.
	Op      string `json:"op"`
	Target  string `json:"target,omitempty"`  // path, relative to the workspace when inside it
	From    string `json:"from,omitempty"`    // source of a move or copy
	Command string `json:"command,omitempty"` // of a shell run, or a commit's message; cut at 1,000 characters
	// Args are the first 32 arguments in short: names and values cut at 200 characters.
	Args     map[string]string `json:"args,omitempty"`
	Status   Status            `json:"status"`
	Error    string            `json:"error,omitempty"` // of a failure, at most 300 characters
	ExitCode *int              `json:"exit_code,omitempty"`
	Outcome  string            `json:"outcome,omitempty"` // the most informative line of a command's output
	Begun    time.Time         `json:"begun"`
	Finished *time.Time        `json:"finished,omitempty"`
	Source   string            `json:"source"` // "transcript", "observed" or Announced
	// Task is the host's id of what the call became if it went on in the background; "": it did not. Its end is told later.
	Task string `json:"task,omitempty"`
	// PreHash is the SHA-256 of the file that the call acts on as it was before, or Absent; "" when the
	// ledger did not see the file in time.
	PreHash string `json:"pre_hash,omitempty"`
	// Reconciled says that Status was concluded from the file after a crash; a later result overrides it.
	Reconciled bool `json:"reconciled,omitempty"`
	// Copied says that the call was made in another session, from which the host copied it: only the session's own list
	// has it, as what it did is counted there.
	Copied bool `json:"copied,omitempty"`
}

// Absent is the PreHash of a file that was not there.
const Absent = "absent"

// Subject returns the path of the file that shows whether the call was carried out: the source of a move, else the
// target.
func (in Intent) Subject() string {
	if in.Op == OpMove {
		return in.From
	}
	return in.Target
}

// Open reports whether the call may change files that it does not name.
func (in Intent) Open() bool { return !in.Copied && (in.Op == OpShell || in.Op == OpCommit) }

// waits reports whether an outcome may still come.
func (in Intent) waits() bool { return !in.Copied && in.Status == Pending }

// CommandCut reports whether Command is only the beginning of what was run.
func (in Intent) CommandCut() bool { return utf8.RuneCountInString(in.Command) > maxCommand }
