package sessions

import (
	"time"

	"ctxledger.dev/transcript"
)

// TombstoneText is the text in place of content that was removed at a time: on request, or by the retention policy.
func TombstoneText(at time.Time, expired bool) string {
	if expired {
		return "[expired on " + at.Format(time.DateOnly) + " by the retention policy]"
	}
	return "[forgotten on " + at.Format(time.DateOnly) + " on request]"
}

// Heading returns the title of the session, or of a forgotten one without a new title, what happened to it.
func (s Session) Heading() string {
	if s.Title == "" && s.Forgotten != nil {
		return TombstoneText(*s.Forgotten, s.Expired)
	}
	return s.Title
}

// Titled returns the heading of a session, behind a mark of a subagent's and of one that ctxledger wrote.
func (s Session) Titled() string {
	switch {
	case s.Parent != "":
		return "(subagent of " + s.Parent + ") " + s.Heading()
	case s.Unused():
		return "(unused copy of " + s.Continues + ") " + s.Heading()
	case s.Continues != "":
		return "(continues " + s.Continues + ") " + s.Heading()
	}
	return s.Heading()
}

// Tombstone returns the message in place of a forgotten or lost one, in its provider's format.
func (e Entry) Tombstone() []byte {
	text := TombstoneText(*e.Forgotten, e.Expired)
	if e.Lost {
		text = "[lost: found damaged on " + e.Forgotten.Format(time.DateOnly) + "]"
	}
	return transcript.NewMessage(e.Format, e.Role, text)
}
