package engine

import (
	"bytes"
	"context"
	"io"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
)

// content is what a handle stands for, open for reading.
type content interface {
	artifacts.Content
	io.Closer
}

// opened joins content with what must be closed after reading.
type opened struct {
	artifacts.Content
	io.Closer
}

// inMemory opens bytes that need no closing.
func inMemory(b []byte) content { return opened{artifacts.Text(b), io.NopCloser(nil)} }

func (l *Local) openBlob(ctx context.Context, hash string) (content, error) {
	b, err := l.store.OpenBlob(ctx, hash)
	if err != nil {
		return nil, err
	}
	return opened{artifacts.Blob(b), b}, nil
}

// open resolves a handle: an artifact, a summary (the originals of the range that it stands for,
// one a line), or a message by the beginning of its id. A forgotten thing says when it was
// forgotten. Handles of another workspace's ledger are unknown here.
func (l *Local) open(ctx context.Context, tx kv.Tx, handle string) (content, error) {
	a, err := artifacts.Get(tx, handle)
	switch {
	case err == nil:
		if err := a.Available(); err != nil {
			return nil, err
		}
		return l.openBlob(ctx, a.Hash)
	case !fault.Is(err, fault.NotFound):
		return nil, err
	}
	if c, err := l.openSummary(ctx, tx, handle); c != nil || err != nil {
		return c, err
	}
	return l.openMessage(ctx, tx, handle)
}

// openSummary opens the range of a summary, or returns nil when there is none of that id.
func (l *Local) openSummary(ctx context.Context, tx kv.Tx, id string) (content, error) {
	rec, _, err := summaryRecord(tx, id)
	if err != nil || rec == nil {
		return nil, err
	}
	w := &capped{limit: maxRange}
	if err := l.writeRange(ctx, tx, w, rec.Session, rec.From, rec.To); err != nil {
		return nil, err
	}
	return inMemory(w.Bytes()), nil
}

// openMessage opens one entry's original message.
func (l *Local) openMessage(ctx context.Context, tx kv.Tx, handle string) (content, error) {
	places, err := sessions.Places(tx, handle, 1)
	if err != nil {
		return nil, err
	}
	if len(places) == 0 {
		return nil, fault.New(fault.NotFound, "engine.handle", "no artifact, summary or message %q in this workspace", handle).
			WithHint("handles are valid only in the workspace whose session showed them")
	}
	e, err := sessions.GetEntry(tx, places[0].Session, places[0].Seq)
	if err != nil {
		return nil, err
	}
	if e.Forgotten != nil {
		return nil, fault.New(fault.NotFound, "engine.handle", "message %q was forgotten on %s", handle, e.Forgotten.Format("2006-01-02 15:04:05"))
	}
	raw, err := l.message(ctx, e)
	return inMemory(raw), err
}

// maxRange bounds the range of a summary that is read through its handle, in bytes.
const maxRange = 4 * limits.Line

// capped is a buffer that refuses to grow beyond its limit.
type capped struct {
	bytes.Buffer
	limit int
}

func (c *capped) Write(p []byte) (int, error) {
	if c.Len()+len(p) > c.limit {
		return 0, fault.New(fault.TooLarge, "engine.range", "the range holds more than %d bytes", c.limit).
			WithHint("`ctxledger restore SUMMARY` streams it")
	}
	return c.Buffer.Write(p)
}

// ReadBlob implements API.
func (l *Local) ReadBlob(ctx context.Context, r ReadBlobRequest) (io.ReadCloser, error) {
	if (r.Hash == "") == (r.Handle == "") {
		return nil, fault.New(fault.Invalid, "engine.read", "name a blob by its hash or by a handle, and only one of them")
	}
	if r.Hash != "" {
		c, err := l.openBlob(ctx, r.Hash)
		return section(c, r.Offset, err)
	}
	c, err := view(ctx, l, func(tx kv.Tx) (content, error) { return l.open(ctx, tx, r.Handle) })
	return section(c, r.Offset, err)
}

// section reads content from an offset to its end.
func section(c content, offset int64, err error) (io.ReadCloser, error) {
	if err != nil {
		return nil, err
	}
	if offset < 0 || offset > c.Size() {
		return nil, fault.New(fault.Invalid, "engine.read", "offset %d is outside of the %d bytes", offset, c.Size())
	}
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(c, offset, c.Size()-offset), c}, nil
}
