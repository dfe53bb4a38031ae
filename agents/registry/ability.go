package registry

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
		Shrinking: "shrinks large results",
		Guarding:  "refuses to write markers into files",
		Context:   "reports memory and stale files at start",
		Summary:   "tells the agent what its summary must keep",
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
	Hook    string  `json:"-"`   // the event of the hook that it goes by; "": none
}

func works(by string) Support { return Support{Level: Works, Why: by} }
func byHook(event, more string) Support {
	return Support{Level: Works, Why: "the " + event + " hook" + more, Hook: event}
}
func later(by string) Support   { return Support{Level: Later, Why: by} }
func cannot(why string) Support { return Support{Level: Cannot, Why: why} }

// support returns how an agent supports each ability.
func support(tools, recording, shrinking, guarding, context, summary, restoring Support) []Support {
	all := []Support{tools, recording, shrinking, guarding, context, summary, restoring}
	for i, a := range []Ability{Tools, Recording, Shrinking, Guarding, Context, Summary, Restoring} {
		all[i].Ability = a
	}
	return all
}
