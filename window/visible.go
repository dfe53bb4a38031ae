package window

import (
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// isShown reports whether an entry is part of the conversation that a model sees: a message that
// could be read, that says something and that is not hidden. A forgotten one is shown as the words that
// say so.
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

// visible returns the shown entries, from the cutoff on. System messages at the very beginning are
// instructions, not history: no summary stands for them. Nor does one for the newest compaction of the
// provider's own before the cutoff, which stands for what the provider alone can read.
func visible(path []*sessions.Entry, cut *Cutoff) []*sessions.Entry {
	out := make([]*sessions.Entry, 0, len(path))
	begun := false // by somebody else than the system
	carried := -1  // where the provider's compaction stands
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

// carriesResults reports whether an entry answers calls: a tool's message, or a user's message that
// holds results beside words. What a provider's own tools returned stands in the assistant's message.
func carriesResults(e *sessions.Entry) bool {
	return e.Role == transcript.RoleTool || e.Role == transcript.RoleUser && len(e.Results) > 0
}
