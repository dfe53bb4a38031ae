package views

import (
	"cmp"
	"context"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// counted returns the figures of a compaction that is made, and of the view after it, for its model.
func counted(f *core.Folded, p compaction.Proposal, after window.View, model string) *compaction.Counted {
	m := measureOf(f, model)
	return &compaction.Counted{
		Before: m.View(p.Record.Before, nil),
		After:  m.ofView(contentOf(m.shows, after.Slots)).View(p.Record.After, nil),
		Text:   m.Of(tokens.O200kBase.CountString(p.Text)), Basis: m.Quality(),
	}
}

// summary returns a recorded compaction as faces show it: with its recorded figures, wherever and whenever.
func summary(f *core.Folded, r compaction.Record) ledger.Summary {
	of := *r.Figures
	r.Figures = nil // they are those of the summary
	s := ledger.Summary{
		Record: r, TextTokens: of.Text, TokensBefore: of.Before, TokensAfter: of.After, Basis: of.Basis,
		Current: f.Now == r.ID,
	}
	if at, gone := f.Undone[r.ID]; gone {
		s.Restored = &at
	}
	return s
}

// Summaries implements ledger.Compactions.
func (l *Views) Summaries(ctx context.Context, r ledger.SummariesRequest) (ledger.SummariesResponse, error) {
	return core.View(ctx, l.core, func(tx kv.Tx) (ledger.SummariesResponse, error) {
		resp := ledger.SummariesResponse{Summaries: []ledger.Summary{}}
		f, err := l.core.Fold(tx, r.Session)
		if err != nil {
			return resp, err
		}
		for i := range f.Entries {
			if f.Entries[i].HostSummary() {
				resp.HostCompacted++
			}
		}
		for _, rec := range f.Records {
			if rec.Figures, err = l.figuresOf(ctx, f, rec); err != nil {
				return resp, err
			}
			rec.Text, rec.TextBlob, rec.Shown, rec.Cut = "", "", "", nil
			resp.Summaries = append(resp.Summaries, summary(f, rec))
		}
		return resp, nil
	})
}

// Summary implements ledger.Compactions.
func (l *Views) Summary(ctx context.Context, r ledger.SummaryRequest) (ledger.Summary, error) {
	return core.View(ctx, l.core, func(tx kv.Tx) (ledger.Summary, error) {
		rec, err := knownSummary(tx, r.ID)
		if err != nil {
			return ledger.Summary{}, err
		}
		f, err := l.core.Fold(tx, rec.Session)
		if err != nil {
			return ledger.Summary{}, err
		}
		if rec.Figures, err = l.figuresOf(ctx, f, *rec); err != nil {
			return ledger.Summary{}, err
		}
		if rec.Text, err = l.core.ShownText(ctx, *rec); err != nil {
			return ledger.Summary{}, err
		}
		rec.TextBlob, rec.Shown = "", ""
		return summary(f, *rec), nil
	})
}

// figuresOf returns the recorded figures of a compaction, or what stands for them if it is older than these.
func (l *Views) figuresOf(ctx context.Context, f *core.Folded, r compaction.Record) (*compaction.Counted, error) {
	if r.Figures != nil {
		return r.Figures, nil
	}
	text, err := l.core.SummaryText(ctx, r)
	if err != nil {
		return nil, err
	}
	of := figuresOf(f, &r)
	of.Text = f.Models.For(cmp.Or(r.Model, f.Session.Model)).Of(tokens.O200kBase.CountString(text))
	of.Text.Exact = false
	return &of, nil
}

// knownSummary returns the record of a summary with an id, or a unique beginning of one.
func knownSummary(tx kv.Tx, id string) (*compaction.Record, error) {
	rec, err := core.SummaryRecord(tx, id)
	if err == nil && rec == nil {
		var whole string
		if whole, err = core.WholeSummary(tx, id); err == nil {
			rec, err = core.SummaryRecord(tx, whole)
		}
	}
	if err == nil && rec == nil {
		err = fault.New(fault.NotFound, "engine.summary", "no summary %.1000q in this workspace", id).
			WithHint("`ctxledger sessions SESSION` lists the summaries of a session")
	}
	return rec, err
}
