package sessionfile

// Agent names a coding agent, or another origin of a file. Sessions store it as their host:
// append only.
type Agent string

// The origins that Detect distinguishes.
const (
	ClaudeCode Agent = "claude-code"
	Codex      Agent = "codex"
	Gemini     Agent = "gemini"
	Qwen       Agent = "qwen"
	OpenCode   Agent = "opencode"
	Cline      Agent = "cline"
	Pi         Agent = "pi"
	SQLite     Agent = "sqlite" // a database that is not known as an agent's
	Text       Agent = "text"   // readable text that is no agent's session file
	Unknown    Agent = ""       // empty or binary
)

// Label says in words what a file of this origin is, for messages: "a rollout of Codex".
func (a Agent) Label() string {
	switch a {
	case ClaudeCode:
		return "a session file of Claude Code"
	case Codex:
		return "a rollout of Codex"
	case Gemini:
		return "a chat file of Gemini CLI"
	case Qwen:
		return "a chat file of Qwen Code"
	case OpenCode:
		return "the database of opencode"
	case Cline:
		return "a task file of Cline"
	case Pi:
		return "a session file of pi"
	case SQLite:
		return "an SQLite database"
	case Text:
		return "text, but no session file of an agent known here"
	default:
		return "not a session file of an agent known here"
	}
}
