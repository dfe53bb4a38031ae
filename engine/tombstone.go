package engine

import (
	"time"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// tombstoneWord says how something went: on request, or by the retention policy.
func tombstoneWord(expired bool) string {
	if expired {
		return "expired"
	}
	return "forgotten"
}

// tombstoneText is the text that stands for what went on a day.
func tombstoneText(at time.Time, expired bool) string {
	if expired {
		return "[expired on " + at.Format(time.DateOnly) + " by the retention policy]"
	}
	return "[forgotten on " + at.Format(time.DateOnly) + " on request]"
}

// tombstoneText is what stands for a thing that e forgets.
func (e *eraser) tombstoneText() string { return tombstoneText(e.at, e.expired) }

// tombstone is the message that stands for a forgotten one.
func tombstone(e sessions.Entry) []byte {
	text := tombstoneText(*e.Forgotten, e.Expired)
	if e.Lost {
		text = "[lost: found damaged on " + e.Forgotten.Format(time.DateOnly) + "]"
	}
	return transcript.NewMessage(e.Format, e.Role, text)
}
