package compacting

import (
	"context"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// summary adds to a record the counts for a model.
func summary(f *core.Folded, r compaction.Record, text, model string) ledger.Summary {
	c := f.Counter(model)
	s := ledger.Summary{
		Record: r, TextTokens: c.Of(tokens.O200kBase.CountString(text)), TokensBefore: c.Of(r.Before),
		TokensAfter: c.Of(r.After),
		Current:     f.Now == r.ID,
	}
	if at, gone := f.Undone[r.ID]; gone {
		s.Restored = &at
	}
	return s
}

// Summaries implements ledger.Compactions.
func (l *Compactions) Summaries(ctx context.Context, r ledger.SummariesRequest) (ledger.SummariesResponse, error) {
	return core.View(ctx, l.Ledger, func(tx kv.Tx) (ledger.SummariesResponse, error) {
		resp := ledger.SummariesResponse{Summaries: []ledger.Summary{}}
		f, err := l.Fold(tx, r.Session)
		if err != nil {
			return resp, err
		}
		for _, rec := range f.Records {
			text, err := l.SummaryText(ctx, rec)
			if err != nil {
				return resp, err
			}
			rec.Text, rec.TextBlob, rec.Shown, rec.Cut = "", "", "", nil
			resp.Summaries = append(resp.Summaries, summary(f, rec, text, ""))
		}
		return resp, nil
	})
}

// Summary implements ledger.Compactions.
func (l *Compactions) Summary(ctx context.Context, r ledger.SummaryRequest) (ledger.Summary, error) {
	return core.View(ctx, l.Ledger, func(tx kv.Tx) (ledger.Summary, error) {
		rec, err := knownSummary(tx, r.ID)
		if err != nil {
			return ledger.Summary{}, err
		}
		f, err := l.Fold(tx, rec.Session)
		if err != nil {
			return ledger.Summary{}, err
		}
		if rec.Text, err = l.ShownText(ctx, *rec); err != nil {
			return ledger.Summary{}, err
		}
		rec.TextBlob, rec.Shown = "", ""
		return summary(f, *rec, rec.Text, ""), nil
	})
}

func knownSummary(tx kv.Tx, id string) (*compaction.Record, error) {
	rec, err := core.SummaryRecord(tx, id)
	if err == nil && rec == nil {
		err = fault.New(fault.NotFound, "engine.summary", "no summary %.1000q in this workspace", id).
			WithHint("`ctxledger sessions SESSION` lists the summaries of a session")
	}
	return rec, err
}
