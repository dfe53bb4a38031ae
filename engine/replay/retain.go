package replay

import (
	"bytes"
	"context"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/retention"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// Kept is what one compaction kept, by texts of the same length.
type Kept struct {
	Entry  int `json:"entry"`  // index of the host's summary in the session
	Calls  int `json:"calls"`  // tool calls after it that the measures look at
	Tokens int `json:"tokens"` // of the host's summary, o200k_base: the length of all but Half

	Ours  Text `json:"ours"`
	Half  Text `json:"half"`  // ours at half the length
	Host  Text `json:"host"`  // what the session's own model wrote
	Words Text `json:"words"` // a bare ranked word list
	Tail  Text `json:"tail"`  // the end of what was said, verbatim

	// Restorable says that our compaction's range read back byte for byte.
	Restorable bool `json:"restorable"`
	// Outcome is Compacted, or why there is no summary of ours.
	Outcome compaction.Outcome `json:"outcome"`
}

// Text is a text and its figures.
type Text struct {
	Text    string            `json:"-"`
	Tokens  int               `json:"tokens"` // o200k_base
	Figures retention.Figures `json:"figures"`
}

// Retention builds our summary at each compaction of a session and measures what it keeps. Compactions
// with fewer than least tool calls behind them are left out. Errors: those of the ledger.
func Retention(ctx context.Context, e env.Env, s *Session, least int) ([]Kept, error) {
	if len(s.Summaries) == 0 {
		return nil, nil
	}
	l, err := openLedger(ctx, e, s, engine.Settings{})
	if err != nil {
		return nil, err
	}
	defer l.Close()
	var out []Kept
	for _, at := range s.Summaries {
		if err := l.append(ctx, s, at); err != nil {
			return nil, err
		}
		k, err := l.kept(ctx, s, at)
		if err != nil {
			return nil, err
		}
		if k.Calls >= least {
			out = append(out, k)
		}
	}
	return out, nil
}

// kept compacts the session as far as it was appended, and measures the summary.
func (l *scratch) kept(ctx context.Context, s *Session, at int) (Kept, error) {
	p := retention.NewPoint(s.About.Dir, s.messages(0, at), s.messages(at+1, len(s.Entries)))
	text := func(t string) Text {
		return Text{t, tokens.O200kBase.CountString(t), p.Measure(t)}
	}
	m, _ := messageOf(s.Entries[at])
	k := Kept{Entry: at, Calls: p.Calls(), Host: text(transcript.PlainText(m))}
	k.Tokens = k.Host.Tokens
	k.Words, k.Tail = text(p.WordList(k.Tokens)), text(p.Tail(k.Tokens))

	r := ledger.PlanCompactionRequest{Session: l.session, Options: compaction.Options{Budget: k.Tokens / 2}}
	half, err := ledger.Compact(ctx, l, r, "", true)
	if err != nil {
		return k, err
	}
	r.Options.Budget = k.Tokens
	whole, err := ledger.Compact(ctx, l, r, "", false)
	if err != nil {
		return k, err
	}
	k.Ours, k.Half, k.Outcome = text(whole.Summary.Text), text(half.Summary.Text), whole.Outcome
	if whole.Outcome == compaction.Compacted {
		k.Restorable, err = l.restorable(ctx, s, whole.Summary.ID)
	}
	return k, err
}

// restorable reports whether the range of a summary reads back as the entries were handed in.
func (l *scratch) restorable(ctx context.Context, s *Session, id string) (bool, error) {
	sum, err := l.Summary(ctx, ledger.SummaryRequest{ID: id})
	if err != nil {
		return false, err
	}
	var got, want bytes.Buffer
	if _, err := ledger.WriteOriginals(ctx, l, &got, l.session, sum.From, sum.To); err != nil {
		return false, err
	}
	// Each summary of ours takes a number in the log as well.
	n := bytes.Count(got.Bytes(), []byte("\n"))
	for _, e := range s.Entries[:n] {
		want.Write(e.Original)
		want.WriteByte('\n')
	}
	return bytes.Equal(got.Bytes(), want.Bytes()), nil
}
