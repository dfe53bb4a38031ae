package install

// Ability is something that ctxledger can do for an agent's sessions.
type Ability string

// The abilities, in the order in which they are shown.
const (
	Tools     Ability = "tools"     // the model can call our MCP tools
	Recording Ability = "recording" // the agent's session files are followed
	Shrinking Ability = "shrinking" // large results become small before the model reads them
	Guarding  Ability = "guarding"  // a write of a marker into a file is refused
	Context   Ability = "context"   // the memory block and stale files are told when a session starts
	Summary   Ability = "summary"   // the host's own summary is told what to keep
	Restoring Ability = "restoring" // what a compaction lost is told behind it
)

// Describe says what an ability is, for people.
func (a Ability) Describe() string {
	return map[Ability]string{
		Tools:     "tools for memory, artifacts and compaction",
		Recording: "records sessions",
		Shrinking: "makes large results small",
		Guarding:  "refuses to write markers into files",
		Context:   "tells memory and stale files at the start",
		Summary:   "tells the agent's summary what to keep",
		Restoring: "restores what a compaction lost",
	}[a]
}

// Level says how far an ability goes with an agent.
type Level string

// The levels.
const (
	Works  Level = "works"  // once the agent is connected
	Later  Level = "later"  // the agent has a way, which ctxledger does not use yet
	Cannot Level = "cannot" // the agent has no way
)

// Support says how an agent supports an ability.
type Support struct {
	Ability Ability `json:"ability"`
	Level   Level   `json:"level"`
	Why     string  `json:"why"` // what it goes by, or what is missing
}

// works, later and cannot make rows of the table.
func works(a Ability, by string) Support   { return Support{a, Works, by} }
func later(a Ability, by string) Support   { return Support{a, Later, by} }
func cannot(a Ability, why string) Support { return Support{a, Cannot, why} }

// notFollowed is why sessions of an agent are not recorded.
const notFollowed = "its session files are not read yet"
