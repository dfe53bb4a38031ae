package ledger

import (
	"bytes"
	"context"
	"io"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/sessions"
)

// SessionReader finds sessions and reads their logs.
type SessionReader interface {
	// Sessions lists the sessions, newest first.
	Sessions(ctx context.Context, r SessionsRequest) (SessionsResponse, error)
	// Session finds one session. not_found; conflict when the name fits several, which it lists.
	Session(ctx context.Context, r SessionRequest) (sessions.Session, error)
	// Log returns a page of a session's log.
	Log(ctx context.Context, r LogRequest) (LogResponse, error)
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
}

// SessionRequest finds a session: by our id (or a unique beginning of it), by the host's id, or,
// when Name is empty, the host's current one, or the one that was active in the last ten minutes.
type SessionRequest struct {
	Name   string `json:"name,omitempty"`
	HostID string `json:"host_id,omitempty"` // what the host's variable says
	Latest bool   `json:"latest,omitempty"`  // fall back to the newest session of all
	// Tree limits a request without a name to the sessions that ran in one tree of the workspace; "": any.
	Tree string `json:"tree,omitempty"`
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

// WriteOriginals writes the originals of a range of a session's log, one a line, exactly as they
// were received, and returns how many it wrote. In the place of a forgotten one stands a message that
// says so. An error of w that has no code is unavailable.
func WriteOriginals(ctx context.Context, api LogReader, w io.Writer, session string, from, to int64) (int, error) {
	n := 0
	for r := (LogRequest{Session: session, From: from, To: to, Originals: true}); ; {
		page, err := api.Log(ctx, r)
		if err != nil {
			return n, err
		}
		for _, e := range page.Entries {
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
		if page.Next == 0 {
			return n, nil
		}
		r.From = page.Next
	}
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
