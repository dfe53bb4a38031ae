package upkeep

import "ctxledger.dev/sessions"

// tombstoneWord says how something was removed: on request, or by the retention policy.
func tombstoneWord(expired bool) string {
	if expired {
		return "expired"
	}
	return "forgotten"
}

// tombstoneText is the text in place of a thing that e forgets.
func (e *eraser) tombstoneText() string { return sessions.TombstoneText(e.at, e.expired) }
