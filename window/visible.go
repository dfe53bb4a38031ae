package window

import (
	"time"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// isShown reports whether an entry is part of the conversation that a model sees: a message that
// could be read, that is not hidden, and whose original is still there.
func isShown(e *sessions.Entry) bool {
	return e.Kind == sessions.KindMessage && e.Role != "" && !e.Hidden && e.Forgotten == nil
}

// visible returns the shown entries, from the cutoff on.
func visible(path []*sessions.Entry, cut *Cutoff) []*sessions.Entry {
	out := make([]*sessions.Entry, 0, len(path))
	for _, e := range path {
		if isShown(e) && (cut == nil || e.Seq >= cut.FirstKept) {
			out = append(out, e)
		}
	}
	return out
}

// forgottenResults returns when results were forgotten, by call id.
func forgottenResults(path []*sessions.Entry) map[string]time.Time {
	lost := map[string]time.Time{}
	for _, e := range path {
		if e.Forgotten == nil {
			continue
		}
		for _, r := range e.Results {
			lost[r.CallID] = *e.Forgotten
		}
	}
	return lost
}

// carriesResults reports whether an entry answers calls: a tool's message, or a user's message that
// holds results beside words. What a provider's own tools returned stands in the assistant's message.
func carriesResults(e *sessions.Entry) bool {
	return e.Role == transcript.RoleTool || e.Role == transcript.RoleUser && len(e.Results) > 0
}
