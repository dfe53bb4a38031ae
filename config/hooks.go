package config

// What the hooks of a coding agent do, by the words of the key hooks.
const (
	HookEnvironment = "environment" // a session's start: the system, the directory, the time
	HookMemory      = "memory"      // a session's start: memories
	HookStale       = "stale"       // files that others changed
	HookRecord      = "record"      // after a compaction: our document
	HookSummary     = "summary"     // before a compaction: what the summary has to keep
	HookMarkers     = "markers"     // a write that contains a marker is refused
	HookLarge       = "large"       // a large result is replaced
	HookRepeats     = "repeats"     // a result that the context has already is replaced
	HookTerminal    = "terminal"    // the output of a command is replaced by what a terminal shows
)

// AllHooks returns everything that hooks can do.
func AllHooks() []string {
	return []string{HookEnvironment, HookMemory, HookStale, HookRecord, HookSummary, HookMarkers, HookLarge, HookRepeats,
		HookTerminal}
}
