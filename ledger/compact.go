package ledger

import (
	"bytes"
	"context"
	"io"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// Compact makes a compaction without a model, in one request. Outcomes other than compacted come back in the plan: no
// summary is recorded, only that it was tried. With dryRun nothing is recorded at all.
func Compact(ctx context.Context, api Compactions, r PlanCompactionRequest, key string, dryRun bool) (CompactionPlan, error) {
	if dryRun {
		return api.PlanCompaction(ctx, r)
	}
	made, err := api.AcceptCompaction(ctx, AcceptCompactionRequest{Mutation: Mutation{key}, PlanCompactionRequest: r})
	if err != nil {
		return CompactionPlan{}, err
	}
	return finished(CompactionPlan{PlanCompactionRequest: r}, made), nil
}

// Messages reads a whole view over an API, page by page; a view that moved on is read again.
func Messages(ctx context.Context, api ViewReader, r ViewRequest) (ViewResponse, error) {
	for range limits.Plans {
		v, err := messages(ctx, api, r)
		if !fault.Is(err, fault.Stale) {
			return v, err
		}
	}
	return ViewResponse{}, fault.New(fault.Stale, "engine.view", "session %s went on %d times while its view was read", r.Session, limits.Plans)
}

func messages(ctx context.Context, api ViewReader, r ViewRequest) (ViewResponse, error) {
	v, err := api.View(ctx, r)
	for page := v; err == nil && page.Next > 0; {
		r.From, r.Position = page.Next, page.Position
		if page, err = api.View(ctx, r); err == nil {
			v.Messages = append(v.Messages, page.Messages...)
		}
	}
	v.Next = 0
	for i := range v.Messages {
		m := &v.Messages[i]
		if err == nil && m.Blob != "" {
			m.JSON, err = readAll(ctx, api, m.Blob)
		}
	}
	return v, err
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

func readAll(ctx context.Context, api Blobs, hash string) ([]byte, error) {
	rc, err := api.ReadBlob(ctx, ReadBlobRequest{Hash: hash})
	if err != nil {
		return nil, err
	}
	defer rc.Close() // opened for reading
	return io.ReadAll(rc)
}
