package core

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/engine/attribution"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/internal/termtext"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// maxFacts bounds the ids and names of an entry's calls and results, and separately the targets of its calls, in
// bytes. Even if JSON escapes each byte as six, the record stays within kv.MaxValue.
const maxFacts = 16 << 10

// prepared is an entry to append, with everything that is known before the transaction.
type prepared struct {
	entry    sessions.Entry
	original []byte // nil when it is in entry.Blob
	digest   string // SHA-256 of the original
	calls    []attribution.Call
	results  []result
	attached sessions.Attached // what the host put into it; without a path: nothing
	effects  []sessions.Effect
	notices  []intents.Notice // of calls that went on in the background
	opaque   bool             // it has images or sealed parts, which features do not cover
	version  string           // of the host
}

// result is a tool result with its text.
type result struct {
	sessions.Result
	text string
	// features are those of the text.
	features tokens.Features
	shown    string      // the text without secrets
	screen   *screen     // what a terminal shows of the text, if that is something else
	blob     *kv.BlobRef // where the text is, when it is large enough to become an artifact
	stub     string      // its replacement in views, once it is an artifact
	filed    bool        // the host put the text into a file, and shows the model its beginning
}

// screen is a rendered text and its length in characters.
type screen struct {
	text  string
	chars int
}

// offloads reports whether a result becomes an artifact; command says whether it is one of a command.
func (r *result) offloads(command bool) bool {
	if command && r.screen != nil && r.Chars-r.screen.chars >= limits.TerminalChars {
		return true
	}
	return r.Chars > limits.OffloadChars
}

// prepare decodes, counts and extracts an entry.
func (l *Ledger) prepare(ctx context.Context, s Settings, n sessions.NewEntry) (*prepared, error) {
	const op = "engine.append"
	if n.Kind != sessions.KindMessage && n.Kind != sessions.KindNote {
		return nil, fault.New(fault.Invalid, op, "an entry of kind %.1000q cannot be recorded this way, only %s and %s",
			n.Kind, sessions.KindMessage, sessions.KindNote)
	}
	p := &prepared{entry: l.header(n), effects: n.Effects, version: l.maskedLabel(n.Version)}
	if err := l.load(ctx, n, p); err != nil {
		return nil, err
	}
	outside := func(span transcript.Span) bool {
		return span.From < 0 || span.To < span.From || int64(span.To) > p.entry.Size
	}
	if a := n.Attached; a != nil && n.Loaded && !outside(a.Text) {
		p.attached = *a
	}
	if span := n.Message; outside(span) {
		return nil, fault.New(fault.Invalid, op,
			"the message at bytes %d to %d is outside its original of %d bytes", span.From, span.To, p.entry.Size)
	}
	if n.Kind == sessions.KindMessage {
		p.extract(s.Corrections, l.Masks)
	} else {
		p.reports(l.Masks)
	}
	return p, nil
}

// prepareAll prepares the entries of a batch in parallel: decoding and counting are most of the work of an import.
func (l *Ledger) prepareAll(ctx context.Context, s Settings, entries []sessions.NewEntry) ([]*prepared, error) {
	ready := make([]*prepared, len(entries))
	err := each(len(entries), func(i int) (err error) {
		ready[i], err = l.prepare(ctx, s, entries[i])
		return err
	})
	return ready, err
}

// storeBlobs stores the blobs of prepared entries in parallel. The caller holds l.references until the entries are
// committed.
func (l *Ledger) storeBlobs(ctx context.Context, ready []*prepared) error {
	defer failpoint.Hit("engine.prepare.placed")
	return each(len(ready), func(i int) error { return l.storeBlobsOf(ctx, ready[i]) })
}

// header copies a client's description of an entry, within limits.
func (l *Ledger) header(n sessions.NewEntry) sessions.Entry {
	at := n.Time.UTC()
	if y := at.Year(); y < 0 || y > 9999 {
		at = l.Now() // JSON has no such year
	}
	return sessions.Entry{
		Kind: n.Kind, Time: at, Format: n.Format, Message: n.Message, Blob: n.Blob,
		HostID: sessions.ClipID(n.HostID), HostParent: sessions.ClipID(n.HostParent), Group: sessions.ClipID(n.Group),
		Origin: sessions.Origin{Session: sessions.ClipID(n.Origin.Session), Record: sessions.ClipID(n.Origin.Record)},
		Author: l.maskedLabel(n.Author), Model: l.maskedLabel(n.Model),
		Hidden: n.Hidden, Loaded: n.Loaded, Note: l.maskedLabel(n.Note), Usage: n.Usage, Bill: l.bill(n.Bill),
		Unfinished: n.Unfinished,
		Cut:        n.Cut.Clipped(), Cleared: sessions.ClippedCleared(n.Cleared), Window: max(n.Window, 0),
		Queue: n.Queue, Copied: n.Copied,
	}
}

// bill copies a client's bill, within limits.
func (l *Ledger) bill(from sessions.Bill) (out sessions.Bill) {
	for _, c := range from {
		c.Model, c.Terms = l.maskedLabel(c.Model), tokens.TermsOf(c.Terms.Over+1, strings.Fields(c.Terms.Named)...)
		if out = append(out, c); len(out) == sessions.MaxBill {
			break
		}
	}
	return out
}

// load sets the digest and the size of an entry, from its original or its blob. It reads the blob of no note but of what a
// host queued.
func (l *Ledger) load(ctx context.Context, n sessions.NewEntry, p *prepared) error {
	const op = "engine.append"
	switch {
	case n.Blob == "":
		p.original, p.digest, p.entry.Size = n.Original, sessions.Digest(n.Original), int64(len(n.Original))
		return nil
	case len(n.Original) > 0:
		return fault.New(fault.Invalid, op, "an entry has both an original and a blob: exactly one is allowed")
	}
	b, err := l.Store.OpenBlob(ctx, n.Blob)
	if err != nil {
		return err
	}
	defer b.Close() // opened for reading
	p.digest, p.entry.Size = n.Blob, b.Ref().Size
	if n.Kind == sessions.KindMessage || n.Queue != "" {
		p.original, err = readWhole(b, limits.Line)
	}
	return err
}

// reports takes in what a host queued about calls in the background. Where the agent gets it, another record is the message.
func (p *prepared) reports(masks *redact.Redactor) {
	if p.entry.Queue == "" || p.entry.Message.Empty() {
		return
	}
	raw, _ := p.entry.MessageIn(p.original) // the span was checked
	if m, err := transcript.Decode(p.entry.Format, raw); err == nil {
		for _, part := range MaskMessage(masks, m).Parts {
			p.notes(part)
		}
	}
}

// notes takes in what a host says in a part of a user's message about a call in the background, and reports whether it does.
func (p *prepared) notes(shown transcript.Part) bool {
	n, ok := intents.NoticeIn(shown.Text)
	if ok = ok && shown.Kind == transcript.KindText; ok {
		p.notices, p.entry.Reports = append(p.notices, n), true
	}
	return ok
}

// extract fills in what the log keeps of a message. A message that cannot be decoded stays in the log as a note with
// its original. corrections are the beginnings of messages that correct an agent. Words of the message are taken from
// its masked form.
func (p *prepared) extract(corrections []string, masks *redact.Redactor) {
	raw, _ := p.entry.MessageIn(p.original) // the span was checked
	m, err := transcript.Decode(p.entry.Format, raw)
	if err != nil {
		p.unread("not a message: " + err.Error())
		return
	}
	e := &p.entry
	e.Role, e.Empty = m.Role, transcript.Blank(m)
	e.Thoughts, e.Compacted = transcript.OnlyReasoning(m), transcript.Compacted(m)
	e.Earlier = transcript.Earlier(m) && !e.Loaded
	shown := MaskMessage(masks, m)
	facts := transcript.Extract(shown)
	e.Paths, e.Names = facts.Paths, facts.Names
	e.Tokens = tokens.Framing
	hasText := false
	words := m.Role == transcript.RoleUser && !e.Loaded
	e.Correction = words && transcript.Corrects(m, corrections)
	for i, part := range m.Parts {
		if part.Kind == transcript.KindText {
			e.Chars += utf8.RuneCountInString(part.Text)
		}
		e.Tokens += p.part(part, shown.Parts[i])
		notice := m.Role == transcript.RoleUser && p.notes(shown.Parts[i]) // a turn of the user does not begin with it
		hasText = hasText || part.Kind == transcript.KindText && !notice || part.Kind == transcript.KindImage
	}
	if p.opaque {
		e.Features = tokens.Features{}
	}
	e.Prompt = words && hasText && len(p.results) == 0 && !e.Hidden && !e.Earlier
	if p.facts() > maxFacts {
		p.unread(fmt.Sprintf("a message of %d calls and %d results, too many for one log entry", len(p.calls),
			len(p.results)))
	}
}

// facts returns the size of the calls and results in the record of the entry, in bytes before escaping.
func (p *prepared) facts() int {
	const fields = 16 // names and numbers, which need no escaping
	n := 0
	for _, c := range p.calls {
		n += len(c.ID) + len(c.Name) + fields + intents.SameSize
	}
	for _, r := range p.results {
		n += len(r.CallID) + fields
	}
	return n
}

// unread turns a message into a note: its original stays, and nothing derived from it.
func (p *prepared) unread(why string) {
	e := &p.entry
	e.Kind, e.Note, e.Role, e.Loaded = sessions.KindNote, CutLabel(why), "", false
	e.Prompt, e.Correction, e.Empty, e.Thoughts, e.Compacted, e.Earlier = false, false, false, false, false, false
	e.Tokens, e.Chars, e.Reasoning, e.Features, e.Paths, e.Names = 0, 0, 0, tokens.Features{}, nil, nil
	p.calls, p.results = nil, nil
}

// part counts one part and records its facts. shown is its masked form.
func (p *prepared) part(part, shown transcript.Part) int {
	p.opaque = p.opaque || part.Sealed || part.Media > 0 || part.Kind == transcript.KindImage
	p.entry.Features[tokens.FeatureBlocks]++
	f := p.count(part.Text)
	n := f[tokens.FeatureTokens] + part.MediaTokens(p.entry.Format)
	switch part.Kind {
	case transcript.KindReasoning:
		p.entry.Reasoning += n
	case transcript.KindCall:
		if part.Sealed {
			// the provider's own call, which it answers itself
			return n + p.count(string(part.Args))[tokens.FeatureTokens]
		}
		n += p.count(part.Name)[tokens.FeatureTokens] + p.count(string(part.Args))[tokens.FeatureTokens]
		m := intents.Classify(part.Name, part.Args)
		c := sessions.Call{ // its target needs the session
			ID: part.ID, Name: CutLabel(shown.Name), Op: m.Op, Tokens: n, Chars: utf8.RuneCount(part.Args),
			Partial: m.Partial, Malformed: part.Malformed(),
		}
		p.calls = append(p.calls, attribution.Call{Call: c, Meaning: m,
			Shown: attribution.ShownCall{Meaning: m, Args: part.Args}})
		if !bytes.Equal(shown.Args, part.Args) {
			p.calls[len(p.calls)-1].Shown = attribution.ShownCall{Meaning: intents.Classify(part.Name, shown.Args),
				Args: shown.Args}
		}
	case transcript.KindResult:
		if part.Sealed {
			return n
		}
		code, said := intents.ExitCode(part.Text)
		failed := part.IsError || said && code != 0 && p.entry.Format != transcript.Anthropic // which says it itself
		r := sessions.Result{CallID: part.ID, Failed: failed, Chars: utf8.RuneCountInString(part.Text), Tokens: n}
		p.results = append(p.results, result{Result: r, text: part.Text, features: f,
			shown: shown.Text, screen: screenOf(part.Text)})
	}
	return n
}

// screenOf renders a text; nil if rendering changes nothing.
func screenOf(text string) *screen {
	shown, rendered := termtext.Shown(text)
	if !rendered {
		return nil
	}
	return &screen{shown, utf8.RuneCountInString(shown)}
}

// count returns the features of a text of the message, and adds them to those of the entry.
func (p *prepared) count(text string) tokens.Features {
	f := tokens.FeaturesOf(text)
	p.entry.Features = p.entry.Features.Plus(f)
	return f
}

// storeBlobsOf stores an original that is too long for a record, and the results that may become artifacts: blobs are
// durable before the records that reference them.
func (l *Ledger) storeBlobsOf(ctx context.Context, p *prepared) error {
	if p.entry.Blob == "" && len(p.original) > kv.MaxInline {
		ref, err := l.storeBlob(ctx, bytes.NewReader(p.original))
		if err != nil {
			return err
		}
		p.entry.Blob = ref.Hash
	}
	for i := range p.results {
		r := &p.results[i]
		if !r.offloads(true) || artifacts.IsStub(r.text) {
			continue // the transaction knows the call and decides
		}
		ref, err := l.storeBlob(ctx, strings.NewReader(r.text))
		if err != nil {
			return err
		}
		r.blob = &ref
	}
	return nil
}
