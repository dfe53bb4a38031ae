package window

import (
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Measure returns an edit with the exact size of what it shows of its message, whose header is of, and whether it
// shows less than before. Notes and manifests are exact from the start.
func Measure(e Edit, of *sessions.Entry, m transcript.Message) (Edit, bool) {
	if !e.Part.OfMessage() {
		return e, true
	}
	before, after := 0, 0
	for _, p := range m.Parts {
		if !e.about(p) {
			continue
		}
		whole := partTokens(p)
		before += whole
		if text, changed := e.Apply(p); !changed {
			after += whole
		} else if after += textTokens(text); p.Kind == transcript.KindCall {
			after += textTokens(p.Name)
		}
	}
	e.Tokens = e.Whole(of) - (before - after)
	return e, after < before && e.freed() > 0
}

// about reports whether an edit is about a part of the message of its entry.
func (e Edit) about(p transcript.Part) bool {
	switch e.Part {
	case PartResult:
		return p.Kind == transcript.KindResult && p.ID == e.Call
	case PartArguments:
		return p.Kind == transcript.KindCall && p.ID == e.Call
	}
	return p.Kind == transcript.KindText
}

// partTokens counts the tokens of a part that an edit may shorten.
func partTokens(p transcript.Part) int {
	if p.Kind == transcript.KindCall {
		return textTokens(p.Name) + textTokens(string(p.Args))
	}
	return textTokens(p.Text)
}
