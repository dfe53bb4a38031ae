package core

import (
	"context"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/transcript"
)

// BucketMasks holds the key of the ledger's masks: MaskKey → random bytes. The key never leaves the ledger, so that a
// guess cannot be tested against a mask.
const BucketMasks kv.Bucket = "masks"

// The record of BucketMasks.
const (
	MaskKey     = "key"
	MaskKeySize = 32 // bytes, as many as the hash has
)

// Mask implements ledger.Erasure.
func (l *Ledger) Mask(_ context.Context, r ledger.MaskRequest) (ledger.MaskResponse, error) {
	if err := CheckTexts("engine.mask", Text("text", r.Text, limits.MaskText),
		Text("secret", string(r.Secret), limits.MaskText)); err != nil {
		return ledger.MaskResponse{}, err
	}
	text, n := masked(l.Masks, r.Text)
	resp := ledger.MaskResponse{Text: text, Masked: n}
	if len(r.Secret) > 0 {
		resp.Suffix = l.Masks.Suffix(r.Secret)
	}
	return resp, nil
}

// masked returns a text with its secrets masked, and their number.
func masked(masks *redact.Redactor, text string) (string, int) {
	n := len(masks.Find([]byte(text)))
	if n == 0 {
		return text, 0
	}
	return masks.String(text), n
}

// MaskMessage returns a message with masked texts, tool names and arguments. The ledger derives names, paths,
// commands, outcomes, titles and stubs from this form: masking first keeps the label by which a secret is recognised,
// and no cut leaves half of one. Reasoning stays as it is, since nothing is derived from it.
func MaskMessage(masks *redact.Redactor, m transcript.Message) transcript.Message {
	parts := make([]transcript.Part, len(m.Parts))
	for i, p := range m.Parts {
		switch p.Kind {
		case transcript.KindText, transcript.KindResult:
			p.Text = masks.String(p.Text)
		case transcript.KindCall:
			p.Name, p.Args = masks.String(p.Name), masks.Bytes(p.Args)
		}
		parts[i] = p
	}
	m.Parts = parts
	return m
}

// maskedLabel masks a text, then cuts it to a label.
func (l *Ledger) maskedLabel(s string) string { return CutLabel(l.Masks.String(s)) }

// MaskedTitle returns the first line of a text as the title of a session.
func (l *Ledger) MaskedTitle(s string) string { return FirstLine(l.Masks.String(s)) }

// maskMemory masks the texts of a memory and records the number of masks in it.
func maskMemory(masks *redact.Redactor, e *memory.Entry) {
	e.Masked = 0
	for _, s := range []*string{&e.Name, &e.Description, &e.Source, &e.Body} {
		text, n := masked(masks, *s)
		*s = text
		e.Masked += n
	}
}

// maskEvents masks the texts of events: titles quote commands.
func (l *Ledger) maskEvents(resp ledger.WaitEventsResponse, err error) (ledger.WaitEventsResponse, error) {
	if err != nil || len(resp.Events) == 0 {
		return resp, err
	}
	for i := range resp.Events {
		e := &resp.Events[i]
		e.Detail = l.Masks.String(e.Detail)
		e.ID = l.Masks.String(e.ID)
		if e.Data == nil {
			continue
		}
		e.Data, err = transcript.MapStrings(e.Data,
			func(s string) (string, bool) { out := l.Masks.String(s); return out, out != s })
		if err != nil {
			return ledger.WaitEventsResponse{}, fault.Wrap(fault.Corrupt, "engine.events", err)
		}
	}
	return resp, nil
}
