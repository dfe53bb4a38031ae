package main

import (
	"bytes"
	"context"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/engine/replay"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/lab/carryover"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// kept is what one compaction kept, by texts of the same length.
type kept struct {
	Entry  int `json:"entry"`  // index of the host's summary in the session
	Calls  int `json:"calls"`  // tool calls after it that the measures look at
	Tokens int `json:"tokens"` // of the host's summary, o200k_base: the length of all but Half

	Ours  text `json:"ours"`
	Half  text `json:"half"`  // ours at half the length
	Host  text `json:"host"`  // what the session's own model wrote
	Words text `json:"words"` // a bare ranked word list
	Tail  text `json:"tail"`  // the end of what was said, verbatim

	// Restorable says that our compaction's range read back byte for byte.
	Restorable bool `json:"restorable"`
	// Outcome is Compacted, or why there is no summary of ours.
	Outcome compaction.Outcome `json:"outcome"`
}

// text is a text and its figures.
type text struct {
	Text    string            `json:"-"`
	Tokens  int               `json:"tokens"` // o200k_base
	Figures carryover.Figures `json:"figures"`
}

// measure builds our summary at each compaction of a session and measures what it keeps. Compactions
// with fewer than least tool calls behind them are left out. Errors: those of the ledger.
func measure(ctx context.Context, e env.Env, s *replay.Session, least int) ([]kept, error) {
	if len(s.Summaries) == 0 {
		return nil, nil
	}
	l, err := replay.Open(ctx, e, s, engine.Settings{})
	if err != nil {
		return nil, err
	}
	defer l.Close()
	var out []kept
	for _, at := range s.Summaries {
		if err := l.Append(ctx, s, at); err != nil {
			return nil, err
		}
		k, err := keptAt(ctx, l, s, at)
		if err != nil {
			return nil, err
		}
		if k.Calls >= least {
			out = append(out, k)
		}
	}
	return out, nil
}

// keptAt compacts the session as far as it was appended, and measures the summary.
func keptAt(ctx context.Context, l *replay.Scratch, s *replay.Session, at int) (kept, error) {
	p := carryover.NewPoint(s.About.Dir, messages(s.Entries[:at]), messages(s.Entries[at+1:]))
	of := func(t string) text { return text{t, tokens.O200kBase.CountString(t), p.Measure(t)} }
	m, _ := replay.MessageOf(s.Entries[at])
	k := kept{Entry: at, Calls: p.Calls(), Host: of(transcript.PlainText(m))}
	k.Tokens = k.Host.Tokens
	k.Words, k.Tail = of(p.WordList(k.Tokens)), of(p.Tail(k.Tokens))

	r := ledger.PlanCompactionRequest{Session: l.SessionID, Options: compaction.Options{Budget: k.Tokens / 2}}
	half, err := ledger.Compact(ctx, l, r, "", true)
	if err != nil {
		return k, err
	}
	r.Options.Budget = k.Tokens
	whole, err := ledger.Compact(ctx, l, r, "", false)
	if err != nil {
		return k, err
	}
	k.Ours, k.Half, k.Outcome = of(whole.Summary.Text), of(half.Summary.Text), whole.Outcome
	if whole.Outcome == compaction.Compacted {
		k.Restorable, err = restorable(ctx, l, s, whole.Summary.ID)
	}
	return k, err
}

// restorable reports whether the range of a summary reads back as the entries were handed in.
func restorable(ctx context.Context, l *replay.Scratch, s *replay.Session, id string) (bool, error) {
	sum, err := l.Summary(ctx, ledger.SummaryRequest{ID: id})
	if err != nil {
		return false, err
	}
	var got, want bytes.Buffer
	if _, err := ledger.WriteOriginals(ctx, l, &got, l.SessionID, sum.From, sum.To); err != nil {
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

// messages returns the messages of the main conversation.
func messages(entries []sessions.NewEntry) []carryover.Message {
	var out []carryover.Message
	for _, e := range entries {
		if e.Hidden || e.Author != "" {
			continue
		}
		m, ok := replay.MessageOf(e)
		if !ok {
			continue
		}
		out = append(out, carryover.Message{Message: m, Request: isRequest(m) && !e.Loaded})
	}
	return out
}

// isRequest reports whether a message is one of the user, and not the results of tools.
func isRequest(m transcript.Message) bool {
	if m.Role != transcript.RoleUser {
		return false
	}
	said := false
	for _, p := range m.Parts {
		if p.Kind == transcript.KindResult {
			return false
		}
		said = said || p.Kind == transcript.KindText
	}
	return said
}
