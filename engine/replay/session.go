package replay

import (
	"slices"

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

// MessageOf decodes the message of an entry, if it holds one.
func MessageOf(e sessions.NewEntry) (transcript.Message, bool) {
	if e.Kind != sessions.KindMessage || e.Message.To > len(e.Original) {
		return transcript.Message{}, false
	}
	m, err := transcript.Decode(e.Format, transcript.MessageIn(e.Format, e.Original, e.Message))
	return m, err == nil
}
