package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"unicode/utf8"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// What a model reads beside text, in tokens.
const (
	imageTokens   = 1200 // of one image (context-layers facts, section 1)
	framingTokens = 4    // of one message: role and separators
)

// prepared is an entry about to be appended: all that can be known of it before the transaction.
type prepared struct {
	entry    sessions.Entry
	original []byte // nil when it lies in entry.Blob
	digest   string // SHA-256 of the original
	calls    []call
	results  []result
	effects  []sessions.Effect
}

// call is a tool call together with its arguments, which the log's entry keeps only in short.
type call struct {
	sessions.Call
	meaning intents.Meaning
	args    json.RawMessage
}

// result is a tool result with its text. blob is set when the text is large enough to become an
// artifact.
type result struct {
	sessions.Result
	text string
	blob *kv.BlobRef
}

// prepare decodes, counts and extracts an entry, and stores the blobs that it needs.
func (l *Local) prepare(ctx context.Context, n sessions.NewEntry) (*prepared, error) {
	original, err := l.original(ctx, n)
	if err != nil {
		return nil, err
	}
	p := &prepared{entry: header(n), original: original, effects: n.Effects}
	if n.Blob != "" {
		p.digest = n.Blob
	} else {
		p.digest = sessions.Digest(original)
		p.entry.Size = int64(len(original))
	}
	if n.Kind == sessions.KindMessage {
		p.extract(original, n.Message)
	}
	return p, l.placeBlobs(ctx, p)
}

// header copies what a face says about an entry.
func header(n sessions.NewEntry) sessions.Entry {
	return sessions.Entry{
		Kind: n.Kind, Time: n.Time.UTC(), HostID: n.HostID, HostParent: n.HostParent, Group: n.Group,
		Author: n.Author, Model: n.Model, Format: n.Format, Message: n.Message, Blob: n.Blob,
		Hidden: n.Hidden, Note: n.Note, Usage: n.Usage,
	}
}

// original returns the bytes of an entry: its own, or for a message those of its blob. A note that
// lies in a blob is never read.
func (l *Local) original(ctx context.Context, n sessions.NewEntry) ([]byte, error) {
	switch {
	case n.Blob == "":
		return n.Original, nil
	case len(n.Original) > 0:
		return nil, fault.New(fault.Invalid, "engine.append", "an entry has an original and a blob: exactly one is allowed")
	case n.Kind != sessions.KindMessage:
		return nil, nil
	}
	return l.readBlob(ctx, n.Blob, limits.Line)
}

// readBlob returns a whole blob, if it is not longer than limit.
func (l *Local) readBlob(ctx context.Context, hash string, limit int64) ([]byte, error) {
	b, err := l.store.OpenBlob(ctx, hash)
	if err != nil {
		return nil, err
	}
	defer b.Close() //nolint:errcheck // opened for reading
	if size := b.Ref().Size; size > limit {
		return nil, fault.New(fault.TooLarge, "engine.blob", "blob %s has %d bytes, more than %d", hash[:12], size, limit)
	}
	return io.ReadAll(io.NewSectionReader(b, 0, b.Ref().Size))
}

// extract fills in what the log keeps of a message. A message that cannot be decoded stays in the
// log as a note: its original is what counts.
func (p *prepared) extract(original []byte, span transcript.Span) {
	raw := original
	if !span.Empty() && span.To <= len(original) && span.From >= 0 {
		raw = original[span.From:span.To]
	}
	m, err := transcript.Decode(p.entry.Format, raw)
	if err != nil {
		p.entry.Kind, p.entry.Note = sessions.KindNote, "not a message: "+err.Error()
		return
	}
	e := &p.entry
	e.Role = m.Role
	facts := transcript.Extract(m)
	e.Paths, e.Names = facts.Paths, facts.Names
	e.Tokens = framingTokens
	hasText := false
	for _, part := range m.Parts {
		e.Tokens += p.part(part)
		hasText = hasText || part.Kind == transcript.KindText || part.Kind == transcript.KindImage
	}
	e.Prompt = m.Role == transcript.RoleUser && hasText && len(p.results) == 0 && !e.Hidden && e.Author == ""
}

// part counts one part and keeps what the log says about it.
func (p *prepared) part(part transcript.Part) int {
	n := tokens.O200kBase.CountString(part.Text)
	switch part.Kind {
	case transcript.KindImage:
		n += imageTokens
	case transcript.KindCall:
		if part.Sealed {
			return n + tokens.O200kBase.Count(part.Args) // the provider's own call: nobody else answers it
		}
		n += tokens.O200kBase.CountString(part.Name) + tokens.O200kBase.Count(part.Args)
		m := intents.Classify(part.Name, part.Args)
		c := sessions.Call{ID: part.ID, Name: part.Name, Op: m.Op, Target: m.What(), Tokens: n}
		p.calls = append(p.calls, call{c, m, part.Args})
	case transcript.KindResult:
		n += part.Media * imageTokens
		if part.Sealed {
			return n
		}
		r := sessions.Result{CallID: part.ID, Failed: part.IsError, Chars: utf8.RuneCountInString(part.Text), Tokens: n}
		p.results = append(p.results, result{Result: r, text: part.Text})
	}
	return n
}

// placeBlobs stores an original that is too long for a record, and the texts of results that may
// become artifacts: blobs are durable before the records that name them.
func (l *Local) placeBlobs(ctx context.Context, p *prepared) error {
	if p.entry.Blob == "" && len(p.original) > kv.MaxInline {
		ref, err := l.store.PutBlob(ctx, bytes.NewReader(p.original), limits.Blob)
		if err != nil {
			return err
		}
		p.entry.Blob = ref.Hash
	}
	for i := range p.results {
		r := &p.results[i]
		if r.Chars <= limits.OffloadChars || artifacts.IsStub(r.text) {
			continue
		}
		ref, err := l.store.PutBlob(ctx, bytes.NewReader([]byte(r.text)), limits.Blob)
		if err != nil {
			return err
		}
		r.blob = &ref
	}
	return nil
}
