package main

import (
	"bytes"
	"context"
	"slices"

	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// append records the entries up to one of them, exclusive, as following the session file would have done.
func (p *player) append(ctx context.Context, to int) error {
	for p.taken < to {
		n, size := 0, 0
		for n < min(to-p.taken, limits.AppendCount) {
			if size += len(p.Entries[p.taken+n].Original); n > 0 && size > limits.AppendBatch {
				break
			}
			n++
		}
		batch, err := p.inlined(ctx, p.Entries[p.taken:p.taken+n])
		if err != nil {
			return err
		}
		_, err = p.local.AppendEntries(ctx, ledger.AppendEntriesRequest{Import: "replay", Session: p.About,
			Offset: int64(p.taken), Next: int64(p.taken + n), Line: int64(p.taken + n), Entries: batch,
			Done: p.taken+n == to})
		if err != nil {
			return err
		}
		p.taken += n
	}
	return nil
}

// inlined returns entries with originals that are too long for a request stored as blobs.
func (p *player) inlined(ctx context.Context, all []sessions.NewEntry) ([]sessions.NewEntry, error) {
	out := slices.Clone(all)
	for i := range out {
		if len(out[i].Original) <= limits.EntryInline {
			continue
		}
		ref, err := p.local.PutBlob(ctx, bytes.NewReader(out[i].Original))
		if err != nil {
			return nil, err
		}
		out[i].Original, out[i].Blob = nil, ref.Hash
	}
	return out, nil
}
