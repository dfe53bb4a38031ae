package claudecode

import (
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/agents"
	"ctxledger.dev/sessions"
)

// headLen is how much of a file's beginning is searched for what describes the session. The
// first request of a recorded session came within its first 200 KB.
const headLen = 1 << 20

// titleLen is the longest title, in characters (sessions.Session).
const titleLen = 120

// description is what the beginning of a file says about its session.
type description struct {
	session  sessions.Session // Host, HostID, Title, Dir
	subagent bool
	parent   string    // the host id of the session that started this one
	start    time.Time // of the first record with a time
	complete bool      // whether everything was found, so that looking again is pointless
}

// describe reads the beginning of a session file. Its result is the same whenever the file has
// grown, except that a missing title or directory may be found later.
func describe(path string, file io.ReaderAt) (description, error) {
	stem := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	d := description{
		session:  sessions.Session{Host: string(agents.ClaudeCode)},
		subagent: strings.HasPrefix(stem, "agent-"),
	}
	sessionID := ""
	r := NewReader(io.NewSectionReader(file, 0, headLen), 0, 0)
	for !d.complete {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return description{}, err
		}
		line, ok := parse(rec.Text)
		if !ok {
			continue
		}
		sessionID = first(sessionID, line.session)
		d.session.Dir = first(d.session.Dir, line.cwd)
		if d.start.IsZero() {
			d.start = line.time
		}
		if d.session.Title == "" {
			d.session.Title = title(rec.Text, line, d.subagent)
		}
		d.complete = sessionID != "" && d.session.Dir != "" && d.session.Title != ""
	}
	switch {
	case d.subagent && sessionID != "":
		d.parent = sessionID
		d.session.HostID = sessionID + "/" + stem
	case isUUID(stem):
		d.session.HostID = stem
	default:
		d.session.HostID = first(sessionID, stem)
	}
	return d, nil
}

// title returns the first line of a record that is a request by the user, or "".
func title(line []byte, r record, subagent bool) string {
	if r.kind != "user" || r.meta || r.compactSummary || r.sidechain && !subagent {
		return ""
	}
	m, ok := parseMessage(line, r)
	if !ok {
		return ""
	}
	text, _, _ := strings.Cut(strings.TrimSpace(firstText(line[m.content.From:m.content.To])), "\n")
	if text = strings.TrimSpace(text); isNoise(text) {
		return ""
	}
	if runes := []rune(text); len(runes) > titleLen {
		text = string(runes[:titleLen-1]) + "…"
	}
	return text
}

// firstText returns the first text of a message's content, which is a string or a list of blocks.
func firstText(content []byte) string {
	if text := ""; json.Unmarshal(content, &text) == nil {
		return text
	}
	var blocks []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &blocks) != nil {
		return ""
	}
	for _, b := range blocks {
		if b.Type == "text" && !isNoise(b.Text) {
			return b.Text
		}
	}
	return ""
}

// isNoise reports whether Claude Code wrote a user's text itself: the echo of a command or of
// its output, a reminder, the notice of an interrupt.
func isNoise(text string) bool {
	text = strings.TrimSpace(text)
	for _, start := range noise {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

var noise = []string{
	"<command-", "<local-command-", "<bash-", "<system-reminder>", "<ide_", "Caveat: ", "[Request interrupted",
}

// isUUID reports whether s has the form of the ids that Claude Code gives to sessions.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		switch dash := i == 8 || i == 13 || i == 18 || i == 23; {
		case dash != (c == '-'):
			return false
		case !dash && !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'):
			return false
		}
	}
	return true
}

// first returns the first of two texts that is not empty.
func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
