package replay

import (
	"slices"

	"ctxledger.dev/retention"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Session is one recorded session.
type Session struct {
	Name    string           // for reports
	State   string           // the state directory for temporary ledgers, see engine/temporary
	About   sessions.Session // Host, HostID, Dir
	Entries []sessions.NewEntry
	// Summaries are the indexes of the entries that hold the summaries of the host's own compactions,
	// ascending.
	Summaries []int
}

// uncompacted returns the session as if its host had never compacted: its summaries are records outside the
// conversation.
func (s *Session) uncompacted() *Session {
	c := *s
	c.Entries = slices.Clone(s.Entries)
	for _, i := range s.Summaries {
		c.Entries[i].Kind, c.Entries[i].Message, c.Entries[i].Hidden = sessions.KindNote, transcript.Span{}, false
	}
	return &c
}

// messages returns the messages of the main conversation in [from, to).
func (s *Session) messages(from, to int) []retention.Message {
	var out []retention.Message
	for _, e := range s.Entries[from:to] {
		if e.Hidden || e.Author != "" {
			continue
		}
		m, ok := messageOf(e)
		if !ok {
			continue
		}
		out = append(out, retention.Message{Message: m, Request: isRequest(m) && !e.Loaded})
	}
	return out
}

// messageOf decodes the message of an entry, if it holds one.
func messageOf(e sessions.NewEntry) (transcript.Message, bool) {
	if e.Kind != sessions.KindMessage || e.Message.To > len(e.Original) {
		return transcript.Message{}, false
	}
	m, err := transcript.Decode(e.Format, transcript.MessageIn(e.Format, e.Original, e.Message))
	return m, err == nil
}

// isRequest reports whether a message is one of the user, and not the results of tools.
func isRequest(m transcript.Message) bool {
	if m.Role != transcript.RoleUser {
		return false
	}
	said := false
	for _, p := range m.Parts {
		if p.Kind == transcript.KindResult {
			return false
		}
		said = said || p.Kind == transcript.KindText
	}
	return said
}
