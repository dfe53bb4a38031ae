package engine

import (
	"context"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// summary adds to a record the counts for a model.
func (f *folded) summary(r compaction.Record, text, model string) ledger.Summary {
	c := f.counter(model)
	s := ledger.Summary{
		Record: r, TextTokens: c.Of(tokens.O200kBase.CountString(text)), TokensBefore: c.Of(r.Before), TokensAfter: c.Of(r.After),
		Current: f.now == r.ID,
	}
	if at, gone := f.undone[r.ID]; gone {
		s.Restored = &at
	}
	return s
}

// Summaries implements API.
func (l *Local) Summaries(ctx context.Context, r ledger.SummariesRequest) (ledger.SummariesResponse, error) {
	return view(ctx, l, func(tx kv.Tx) (ledger.SummariesResponse, error) {
		resp := ledger.SummariesResponse{Summaries: []ledger.Summary{}}
		f, err := l.fold(tx, r.Session)
		if err != nil {
			return resp, err
		}
		for _, rec := range f.records {
			text, err := l.summaryText(ctx, rec)
			if err != nil {
				return resp, err
			}
			rec.Text, rec.TextBlob, rec.Shown, rec.Cut = "", "", "", nil
			resp.Summaries = append(resp.Summaries, f.summary(rec, text, ""))
		}
		return resp, nil
	})
}

// Summary implements API.
func (l *Local) Summary(ctx context.Context, r ledger.SummaryRequest) (ledger.Summary, error) {
	return view(ctx, l, func(tx kv.Tx) (ledger.Summary, error) {
		rec, err := knownSummary(tx, r.ID)
		if err != nil {
			return ledger.Summary{}, err
		}
		f, err := l.fold(tx, rec.Session)
		if err != nil {
			return ledger.Summary{}, err
		}
		if rec.Text, err = l.shownText(ctx, *rec); err != nil {
			return ledger.Summary{}, err
		}
		rec.TextBlob, rec.Shown = "", ""
		return f.summary(*rec, rec.Text, ""), nil
	})
}

func knownSummary(tx kv.Tx, id string) (*compaction.Record, error) {
	rec, err := summaryRecord(tx, id)
	if err == nil && rec == nil {
		err = fault.New(fault.NotFound, "engine.summary", "no summary %.1000q in this workspace", id).
			WithHint("`ctxledger sessions SESSION` lists the summaries of a session")
	}
	return rec, err
}
