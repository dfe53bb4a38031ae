package engine

import (
	"context"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/kv"
	"ctxledger.dev/memory"
	"ctxledger.dev/transcript"
)

// bucketMasks holds the key of the ledger's masks: maskKey → random bytes. It never leaves the ledger, so
// nobody outside can test a guess against a mask.
const bucketMasks kv.Bucket = "masks"

const (
	maskKey     = "key"
	maskKeySize = 32 // bytes, as many as the hash has
)

// Mask implements API.
func (l *Local) Mask(ctx context.Context, r MaskRequest) (MaskResponse, error) {
	if err := checkTexts("engine.mask", text{"text", r.Text, limits.MaskText}); err != nil {
		return MaskResponse{}, err
	}
	masks, err := l.redactor(ctx)
	if err != nil {
		return MaskResponse{}, err
	}
	text, n := masked(masks, r.Text)
	return MaskResponse{Text: text, Masked: n}, nil
}

// masked returns a text with its secrets masked, and how many they were.
func masked(masks *redact.Redactor, text string) (string, int) {
	n := len(masks.Find([]byte(text)))
	if n == 0 {
		return text, 0
	}
	return masks.String(text), n
}

// redactor returns what masks secrets on their way out of this ledger. Its key is made at the first use and
// kept, so that a secret has the same mask ever after.
func (l *Local) redactor(ctx context.Context) (*redact.Redactor, error) {
	var key []byte
	read := func(tx kv.Tx) (err error) {
		key, err = tx.Get(bucketMasks, []byte(maskKey))
		return err
	}
	if err := l.store.View(ctx, read); err != nil {
		return nil, err
	}
	if key == nil {
		fresh := make([]byte, maskKeySize)
		l.env.Random(fresh)
		err := l.store.Update(ctx, func(tx kv.Tx) error {
			if err := read(tx); err != nil || key != nil { // somebody else was first
				return err
			}
			key = fresh
			return tx.Put(bucketMasks, []byte(maskKey), fresh)
		})
		if err != nil {
			return nil, err
		}
	}
	return redact.New(key), nil
}

// maskMemory masks the texts of a memory and says in it how many values were masked.
func maskMemory(masks *redact.Redactor, e *memory.Entry) {
	e.Masked = 0
	for _, s := range []*string{&e.Name, &e.Description, &e.Source, &e.Body} {
		text, n := masked(masks, *s)
		*s = text
		e.Masked += n
	}
}

// maskEvents masks what events say about commits: titles quote commands.
func (l *Local) maskEvents(ctx context.Context, resp WaitEventsResponse, err error) (WaitEventsResponse, error) {
	if err != nil || len(resp.Events) == 0 {
		return resp, err
	}
	masks, err := l.redactor(ctx)
	if err != nil {
		return WaitEventsResponse{}, err
	}
	for i := range resp.Events {
		e := &resp.Events[i]
		e.Detail = masks.String(e.Detail)
		if e.Data == nil {
			continue
		}
		e.Data, err = transcript.MapStrings(e.Data, func(s string) (string, bool) { out, n := masked(masks, s); return out, n > 0 })
		if err != nil {
			return WaitEventsResponse{}, fault.Wrap(fault.Corrupt, "engine.events", err)
		}
	}
	return resp, nil
}
