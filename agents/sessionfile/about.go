package sessionfile

import (
	"cmp"
	"io"
	"strings"
	"time"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// headLen is how much of a file's beginning is searched for what describes the session. The
// first request of a recorded session came within its first 200 KB.
const headLen = 1 << 20

// titleLen is the longest title, in characters (sessions.Session).
const titleLen = 120

// About is what the beginning of a file says about its session.
type About struct {
	Session  sessions.Session // Host, HostID, Title, Dir, Continues
	Identity Identity
	Start    time.Time // of the first record with a time
	From     string    // the session that it was forked from, by the agent's id; "": it does not say
	Complete bool      // nothing is missing, so that looking again is pointless
}

// About reads the beginning of a session file. Its result stays the same when the file grows, except
// that a missing title or directory may be found later. Errors are those of reading.
func (a Adapter) About(path string, file io.ReaderAt) (About, error) {
	out := About{Session: sessions.Session{Host: string(a.Agent)}}
	session, startedBy := "", ""
	for r, err := range Records(io.NewSectionReader(file, 0, headLen), Position{}, a.Decoder(path)) {
		if err != nil {
			return About{}, err
		}
		session, startedBy = cmp.Or(session, r.Session), cmp.Or(startedBy, r.StartedBy)
		out.Session.Dir = cmp.Or(out.Session.Dir, r.Dir)
		out.Session.Continues = cmp.Or(out.Session.Continues, r.Continues)
		out.Start = cmp.Or(out.Start, r.Time)
		out.From = cmp.Or(out.From, r.Origin.Session)
		if out.Session.Title == "" {
			out.Session.Title = a.title(r)
		}
		if out.Complete = session != "" && out.Session.Dir != "" && out.Session.Title != ""; out.Complete {
			break
		}
	}
	out.Identity = a.Identify(path, session)
	if startedBy != "" {
		out.Identity.Parent, out.Identity.Subagent = startedBy, true
	}
	out.Session.HostID = out.Identity.ID
	return out, nil
}

// title returns the title that a record gives, or the first line of one that is a request by the user, or "".
func (a Adapter) title(r *Record) string {
	if r.Title != "" {
		return short(r.Title)
	}
	if r.Role != transcript.RoleUser || r.Aside || r.Summary || r.Thread != "" {
		return ""
	}
	said := r.Spoken()
	if transcript.Earlier(said) {
		return "" // a summary of an earlier conversation, or our preamble to one
	}
	for _, p := range said.Parts {
		if p.Kind != transcript.KindText || Begins(p.Text, a.Noise) {
			continue
		}
		return short(p.Text)
	}
	return ""
}

// short returns the first line of a text, cut to the length of a title.
func short(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	text = strings.TrimSpace(text)
	if runes := []rune(text); len(runes) > titleLen {
		text = string(runes[:titleLen-1]) + "…"
	}
	return text
}
