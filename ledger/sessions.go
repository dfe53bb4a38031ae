package ledger

import (
	"bytes"
	"context"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/sessions"
)

// SessionReader finds sessions and reads their logs.
type SessionReader interface {
	// Sessions lists the sessions, newest first.
	Sessions(ctx context.Context, r SessionsRequest) (SessionsResponse, error)
	// Session finds one session. not_found; conflict when a name or a call fits several, which it lists. FindSession
	// also waits for one that is just being recorded.
	Session(ctx context.Context, r SessionRequest) (sessions.Session, error)
	// Log returns a page of a session's log.
	Log(ctx context.Context, r LogRequest) (LogResponse, error)
	// Search finds messages, artifacts and memories by their words, best first. invalid for a query without a word.
	Search(ctx context.Context, r SearchRequest) (SearchResponse, error)
	// ToolUse says which tools the newest sessions of each host called.
	ToolUse(ctx context.Context, r ToolUseRequest) (ToolUse, error)
}

// SessionsRequest lists sessions.
type SessionsRequest struct {
	Limit int `json:"limit,omitempty"` // 0: 100
	Skip  int `json:"skip,omitempty"`  // how many of the newest were on the pages before
}

// SessionsResponse lists sessions, newest first.
type SessionsResponse struct {
	Sessions []sessions.Session `json:"sessions"`
	Total    int                `json:"total"`
	// Subagents is what those subagents of a listed session took that are sessions of their own, and theirs, by its id.
	Subagents map[string]sessions.Bill `json:"subagents,omitempty"`
}

// SessionRequest finds a session by the first of these fields that is set. Nothing is guessed: an unknown name, call
// or host's id is not_found, whatever other sessions there are.
type SessionRequest struct {
	// Name is our id or the host's, or a unique beginning of one of them.
	Name string `json:"name,omitempty"`
	// Call is the host's id of a tool call: the session that made it.
	Call string `json:"call,omitempty"`
	// HostID is the host's id of the session, whole. Host is which agent that is, if known.
	HostID string `json:"host_id,omitempty"`
	Host   string `json:"host,omitempty"`
	// Latest is the newest session, of Tree alone unless that is "": for people, who see which one it is.
	Latest bool   `json:"latest,omitempty"`
	Tree   string `json:"tree,omitempty"`
}

// ByHost reports whether the request names its session by what a host said of itself.
func (r SessionRequest) ByHost() bool { return r.Name == "" && (r.Call != "" || r.HostID != "") }

// sessionLag is how long FindSession waits for a session: hosts write their session files later than they call.
const sessionLag = time.Second

// FindSession is Session for requests that a host makes about its own session. It waits up to a second for a call or an
// id that is not recorded yet, provided that the owner follows the session files of that host.
func FindSession(ctx context.Context, api SessionFinder, r SessionRequest) (sessions.Session, error) {
	s, err := api.Session(ctx, r)
	if !fault.Is(err, fault.NotFound) || !r.ByHost() {
		return s, err
	}
	info, failed := api.Info(ctx, InfoRequest{})
	if failed != nil || !info.Following || r.Host != "" && !slices.Contains(info.Hosts, r.Host) {
		return s, err
	}
	patient, cancel := context.WithTimeout(ctx, sessionLag)
	defer cancel()
	wait := WaitEventsRequest{After: -1, WaitMS: sessionLag.Milliseconds()}
	for fault.Is(err, fault.NotFound) {
		page, over := api.WaitEvents(patient, wait)
		if over != nil || wait.After == page.Next {
			break
		}
		wait.After = page.Next
		s, err = api.Session(ctx, r)
	}
	return s, err
}

// SessionFinder is what FindSession needs.
type SessionFinder interface {
	SessionReader
	Events
}

// RefuseGone is the error for a session of which nothing is left: not_found; nil: something is.
func RefuseGone(s sessions.Session) error {
	if !s.Gone() {
		return nil
	}
	what := strings.Trim(sessions.TombstoneText(*s.Forgotten, s.Expired), "[]")
	return fault.New(fault.NotFound, "ledger.session", "session %s was %s", s.ID, what).
		WithHint("`ctxledger sessions` lists the others: name one")
}

// LogRequest asks for a page of a session's log.
type LogRequest struct {
	Session   string `json:"session"`
	From      int64  `json:"from,omitempty"` // first sequence number; 0: the first entry
	To        int64  `json:"to,omitempty"`   // last one; 0: the newest
	Originals bool   `json:"originals,omitempty"`
	Limit     int    `json:"limit,omitempty"` // entries; 0: as many as fit a frame
}

// LogResponse is a page of a log. Next is the From of the following page, 0 at the end.
type LogResponse struct {
	Entries []LogEntry `json:"entries"`
	Next    int64      `json:"next,omitempty"`
}

// LogEntry is an entry with its original, if asked for. An original that does not fit a page
// stays away; Entry.Blob names it.
type LogEntry struct {
	sessions.Entry
	Original []byte `json:"original,omitempty"`
}

// LogEntries yields the entries of a log that a request asks for, whatever its Limit, page after page. The first error ends
// it.
func LogEntries(ctx context.Context, api SessionReader, r LogRequest) iter.Seq2[LogEntry, error] {
	return func(yield func(LogEntry, error) bool) {
		for {
			page, err := api.Log(ctx, r)
			if err != nil {
				yield(LogEntry{}, err)
				return
			}
			for _, e := range page.Entries {
				if !yield(e, nil) {
					return
				}
			}
			if r.From = page.Next; r.From == 0 {
				return
			}
		}
	}
}

// OriginalOf returns the original of an entry that was read with its original, nil if that was forgotten. Of one that is longer
// than limits.Line it returns the beginning.
func OriginalOf(ctx context.Context, api Blobs, e LogEntry) ([]byte, error) {
	if e.Original != nil || e.Blob == "" {
		return e.Original, nil
	}
	rc, err := api.ReadBlob(ctx, ReadBlobRequest{Hash: e.Blob})
	if fault.Is(err, fault.NotFound) {
		return nil, nil // forgotten meanwhile
	}
	if err != nil {
		return nil, err
	}
	defer rc.Close() // opened for reading
	return io.ReadAll(io.LimitReader(rc, limits.Line))
}

// WriteOriginals writes the originals of a range of a session's log, one per line, exactly as they were received, and
// returns their number. A forgotten one is replaced by a message that says so. An error of w without a code becomes
// unavailable.
func WriteOriginals(ctx context.Context, api LogReader, w io.Writer, session string, from, to int64) (int, error) {
	n := 0
	for e, err := range LogEntries(ctx, api, LogRequest{Session: session, From: from, To: to, Originals: true}) {
		if err != nil {
			return n, err
		}
		if e.Size == 0 && e.Forgotten == nil {
			continue // written by the ledger itself
		}
		if err := writeOriginal(ctx, api, w, e); err != nil {
			if fault.CodeOf(err) == fault.Internal {
				err = fault.Wrap(fault.Unavailable, "engine.originals", err)
			}
			return n, err
		}
		n++
	}
	return n, nil
}

// writeOriginal writes one original and ends its line. A long one is never held in memory.
func writeOriginal(ctx context.Context, api Blobs, w io.Writer, e LogEntry) error {
	var content io.Reader = bytes.NewReader(e.Original)
	switch {
	case e.Forgotten != nil:
		content = bytes.NewReader(e.Entry.Tombstone())
	case e.Blob != "":
		rc, err := api.ReadBlob(ctx, ReadBlobRequest{Hash: e.Blob})
		if err != nil {
			return err
		}
		defer rc.Close() // opened for reading
		content = rc
	}
	_, err := io.Copy(w, io.MultiReader(content, strings.NewReader("\n")))
	return err
}
