package sessionfile

// Agent is the name of a coding agent. Sessions store it as their host.
type Agent string

// Kind is a kind of files, and how one is recognised: the session files of an agent, or something else.
type Kind struct {
	Agent Agent  // "": no agent's
	Label string // what a file of it is, in words, for messages: "a Codex rollout"
	// A file is of the kind if one of these says so. Each may be nil.

	// Line knows a line that no other agent writes, in a file of this name.
	Line func(name string, f Fields) bool
	// Common knows a line that others write, too. It counts where no line is found that one agent alone writes.
	Common func(f Fields) bool
	// Document knows the beginning of the one JSON value that a file is.
	Document func(f Fields) bool
	// Database is how the name of an SQLite database begins.
	Database string
}

// Process is a process of an agent with the session that it works on.
type Process struct {
	Session string // the host's id
	Below   int    // the process, of those asked about, that it descends from or is
}
