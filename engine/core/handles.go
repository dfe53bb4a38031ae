package core

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// content is what a handle names, open for reading.
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

func (l *Ledger) openBlob(ctx context.Context, hash string) (content, error) {
	b, err := l.Store.OpenBlob(ctx, hash)
	if err != nil {
		return nil, err
	}
	return opened{artifacts.Blob(b), b}, nil
}

// patient is content whose reads fail once the context has ended, so that a long search ends with its caller.
type patient struct {
	ctx context.Context
	content
}

// ReadAt implements io.ReaderAt. Errors: unavailable once the context has ended.
func (p patient) ReadAt(b []byte, at int64) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, fault.Wrap(fault.Unavailable, "engine.read", err)
	}
	return p.content.ReadAt(b, at)
}

// target is what a handle names: exactly one of blob, summary and message is set.
type target struct {
	id      string             // the handle, also where a name was given
	blob    string             // an artifact's content
	summary *compaction.Record // a compaction: its range; or a whole session
	message []sessions.Stored  // the records of one message
	result  int                // number of the result in the message, from 1; 0: all of it
}

// resolve returns what a handle names, or its unique beginning, or what was saved under a name: see find.
func resolve(tx kv.Tx, handle string) (target, error) {
	named, found, err := artifacts.Lookup(tx, handle)
	if err != nil {
		return target{}, err
	}
	id := handle
	if found {
		id = named.ID
	}
	t, err := find(tx, id)
	if fault.Is(err, fault.NotFound) && !found {
		whole, ambiguous := Whole(tx, handle)
		if ambiguous != nil {
			return t, ambiguous
		}
		if whole != handle {
			id = whole
			t, err = find(tx, id)
		}
	}
	name, _, _ := strings.Cut(handle, "@")
	if t.id = id; fault.Is(err, fault.NotFound) && !found && artifacts.CheckName(name) == nil {
		err = withNames(tx, err)
	}
	return t, err
}

// toldNames is how many existing names the error for an unknown name lists.
const toldNames = 20

// withNames adds to an error under which names something is saved.
func withNames(tx kv.Tx, err error) error {
	all, failed := artifacts.Names(tx, toldNames)
	wrong, ok := errors.AsType[*fault.Error](err)
	if failed != nil || !ok || len(all) == 0 {
		return err
	}
	names := make([]string, len(all))
	for i, n := range all {
		names[i] = n.Name
	}
	slices.Sort(names)
	return wrong.WithHint("saved names: %s", strings.Join(names, ", "))
}

// find returns what a handle names: an artifact, a summary (the originals of its range, one per line), a whole session (by its id or
// its host's) or a range of its log (see sessions.SplitRange), or a message by a prefix of its id, also one of its results (see
// sessions.SplitHandle). For forgotten content the error says when it was forgotten. Handles of another workspace's ledger
// are unknown here.
func find(tx kv.Tx, handle string) (target, error) {
	a, err := artifacts.Get(tx, handle)
	if err == nil {
		return target{blob: a.Hash}, a.Available()
	}
	if !fault.Is(err, fault.NotFound) {
		return target{}, err
	}
	rec, err := SummaryRecord(tx, handle)
	if err != nil || rec != nil {
		return target{summary: rec}, err
	}
	session, from, to := sessions.SplitRange(handle)
	s, err := sessions.Get(tx, session)
	if err == nil {
		return logOf(s, from, to), nil
	}
	if !fault.Is(err, fault.NotFound) {
		return target{}, err
	}
	id, result := sessions.SplitHandle(handle)
	places, err := sessions.Places(tx, id, 1)
	if err != nil {
		return target{}, err
	}
	if len(places) == 0 {
		if s, err := sessions.OfHostID(tx, session); err == nil {
			return logOf(s, from, to), nil
		}
		hint := "handles are valid only in the workspace whose session showed them"
		if len(handle) < sessions.MinPrefix {
			hint = "give at least four digits of the handle"
		}
		return target{}, fault.New(fault.NotFound, "engine.handle",
			"no artifact, summary or message %.1000q in this workspace", handle).WithHint("%s", hint)
	}
	records, err := messageOf(tx, places[0])
	if err != nil {
		return target{}, err
	}
	if e := records[0]; e.Forgotten != nil {
		return target{}, fault.New(fault.NotFound, "engine.handle", "message %s: %s", handle,
			sessions.TombstoneText(*e.Forgotten, e.Expired))
	}
	return target{message: records, result: result}, nil
}

// logOf is a range of a session's log; to is 0 for all of it.
func logOf(s sessions.Session, from, to int64) target {
	if to == 0 {
		from, to = 1, s.Seq
	}
	return target{summary: &compaction.Record{Session: s.ID, From: from, To: min(to, s.Seq)}}
}

// open opens what a handle or name stands for, with the handle: of a message, and of those in a range, the text that a model reads or, if raw is set, the
// original. It runs its own transactions: do not call it inside one.
func (l *Ledger) open(ctx context.Context, handle string, raw bool) (content, string, error) {
	t, err := View(ctx, l, func(tx kv.Tx) (target, error) { return resolve(tx, handle) })
	if err != nil {
		return nil, "", err
	}
	switch {
	case t.message != nil && !raw:
		text, err := l.messageText(ctx, t.message, t.result)
		return inMemory([]byte(text)), t.id, err
	case t.summary != nil && !raw:
		w := &capped{limit: maxRange}
		err := l.writeTexts(ctx, w, *t.summary)
		return inMemory(w.Bytes()), t.id, err
	}
	c, err := l.openTarget(ctx, t)
	return c, t.id, err
}

// openTarget opens the original of what a handle names.
func (l *Ledger) openTarget(ctx context.Context, t target) (content, error) {
	switch {
	case t.blob != "":
		return l.openBlob(ctx, t.blob)
	case t.message != nil:
		raw, err := l.Message(ctx, t.message[0])
		return inMemory(raw), err
	}
	w := &capped{limit: maxRange}
	if _, err := ledger.WriteOriginals(ctx, l, w, t.summary.Session, t.summary.From, t.summary.To); err != nil {
		return nil, err
	}
	return inMemory(w.Bytes()), nil
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
			WithHint("`ctxledger artifact read HANDLE` streams it")
	}
	return c.Buffer.Write(p)
}

// ReadBlob implements ledger.Blobs. The range of a summary and a whole session are streamed from the log, whatever
// their size.
func (l *Ledger) ReadBlob(ctx context.Context, r ledger.ReadBlobRequest) (io.ReadCloser, error) {
	if (r.Hash == "") == (r.Handle == "") {
		return nil, fault.New(fault.Invalid, "engine.read",
			"name a blob by its hash or by a handle, not both")
	}
	t := target{blob: r.Hash}
	var err error
	if r.Handle != "" {
		t, err = View(ctx, l, func(tx kv.Tx) (target, error) { return resolve(tx, r.Handle) })
	}
	switch {
	case err != nil:
		return nil, err
	case t.summary != nil:
		return l.stream(ctx, *t.summary, r.Offset)
	}
	c, err := l.openTarget(ctx, t)
	if err != nil {
		return nil, err
	}
	if r.Offset < 0 || r.Offset > c.Size() {
		err := fault.New(fault.Invalid, "engine.read", "offset %d is outside the %d bytes", r.Offset, c.Size())
		_ = c.Close() // opened for reading
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(c, r.Offset, c.Size()-r.Offset), c}, nil
}

// stream reads the originals of a range of a log page by page. Close ends the goroutine that reads them.
type stream struct {
	*io.PipeReader
	stop  context.CancelFunc
	ended chan struct{} // closed when the reading goroutine has ended
}

// stream opens the originals of a range at an offset. Errors: invalid for an offset beyond them.
func (l *Ledger) stream(ctx context.Context, of compaction.Record, offset int64) (io.ReadCloser, error) {
	ctx, stop := context.WithCancel(ctx)
	r, w := io.Pipe()
	s := &stream{PipeReader: r, stop: stop, ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		_, err := ledger.WriteOriginals(ctx, l, w, of.Session, of.From, of.To)
		_ = w.CloseWithError(err) // the reader's end of the pipe says it
	}()
	n, err := int64(0), error(nil)
	if offset > 0 {
		n, err = io.CopyN(io.Discard, s, offset)
	}
	if offset < 0 || errors.Is(err, io.EOF) {
		err = fault.New(fault.Invalid, "engine.read", "offset %d is outside the %d bytes", offset, n)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close implements io.Closer.
func (s *stream) Close() error {
	s.stop()
	err := s.PipeReader.Close()
	<-s.ended
	return err
}
