package window

import (
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// isShown reports whether an entry is part of the conversation that a model sees: a readable message that is
// neither empty nor hidden. A forgotten one is shown as a note about that.
func isShown(e *sessions.Entry) bool {
	return e.Kind == sessions.KindMessage && e.Role != "" && !e.Hidden && !e.Empty
}

// callsOf returns the calls that an entry shows: none when its original was forgotten.
func callsOf(e *sessions.Entry) []sessions.Call {
	if e.Forgotten != nil {
		return nil
	}
	return e.Calls
}

// resultsOf returns the results that an entry shows: none when its original was forgotten.
func resultsOf(e *sessions.Entry) []sessions.Result {
	if e.Forgotten != nil {
		return nil
	}
	return e.Results
}

// visible returns the shown entries, from the cutoff on. Leading system messages are instructions, not history: no
// summary replaces them. Nor does one replace the provider's own newest compaction before the cutoff, which only
// the provider can read.
func visible(path []*sessions.Entry, cut *Cutoff) []*sessions.Entry {
	out := make([]*sessions.Entry, 0, len(path))
	begun := false // by a message that is not of the system
	carried := -1  // index of the provider's compaction
	for _, e := range path {
		if !isShown(e) {
			continue
		}
		begun = begun || e.Role != transcript.RoleSystem
		switch {
		case !begun || cut == nil || e.Seq >= cut.FirstKept:
			out = append(out, e)
		case isCompacted(e) && carried < 0:
			carried = len(out)
			out = append(out, e)
		case isCompacted(e):
			out[carried] = e
		}
	}
	return out
}

// isCompacted reports whether an entry is the provider's own compaction of what came before.
func isCompacted(e *sessions.Entry) bool { return e.Compacted && e.Forgotten == nil }

// isThoughts reports whether an entry shows reasoning and nothing else.
func isThoughts(e *sessions.Entry) bool { return e.Thoughts && e.Forgotten == nil }

// carriesResults reports whether an entry answers calls: a tool's message, or a user's message with results.
// Results of a provider's own tools are in the assistant's message.
func carriesResults(e *sessions.Entry) bool {
	return e.Role == transcript.RoleTool || e.Role == transcript.RoleUser && len(e.Results) > 0
}
