package records

import (
	"context"
	"iter"
	"strings"
	"time"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// Turn is a turn of a session as a person reads it.
type Turn struct {
	Turn     int       `json:"turn"` // 0: before the first request
	Time     time.Time `json:"time"` // of its first entry
	Dollars  float64   `json:"cost_usd,omitempty"`
	Messages []Message `json:"messages"`
}

// AllTurns asks Turns for all of them.
const AllTurns = -1

// Turns yields the turns of the session of a status in the order of its log, or one of them. The first error ends it.
func (r Reader) Turns(ctx context.Context, st ledger.Status, only int) iter.Seq2[Turn, error] {
	return func(yield func(Turn, error) bool) {
		stats, err := r.API.TurnStats(ctx, ledger.TurnStatsRequest{Session: st.Session.ID})
		if err != nil {
			yield(Turn{}, err)
			return
		}
		costs := map[int]float64{}
		for _, t := range stats.Turns {
			costs[t.Turn] = t.Dollars
		}
		c := r.conversation(st)
		for entries, err := range c.log.turns(ctx) {
			if err == nil && only != AllTurns && entries[0].Turn != only {
				continue
			}
			t := Turn{}
			if err == nil {
				t, err = c.turn(ctx, entries)
			}
			if t.Dollars = costs[t.Turn]; (err != nil || len(t.Messages) > 0) && !yield(t, err) || err != nil {
				return
			}
		}
	}
}

// turns yields the entries of each turn.
func (l log) turns(ctx context.Context) iter.Seq2[[]sessions.Entry, error] {
	return func(yield func([]sessions.Entry, error) bool) {
		var turn []sessions.Entry
		for e, err := range ledger.LogEntries(ctx, l.api, ledger.LogRequest{Session: l.session}) {
			if err != nil {
				yield(nil, err)
				return
			}
			if len(turn) > 0 && e.Turn != turn[0].Turn {
				if !yield(turn, nil) {
					return
				}
				turn = nil
			}
			turn = append(turn, e.Entry)
		}
		if len(turn) > 0 {
			yield(turn, nil)
		}
	}
}

// turn returns what a person reads of the entries of a turn.
func (c *conversation) turn(ctx context.Context, entries []sessions.Entry) (Turn, error) {
	for i := range entries {
		c.take(&entries[i])
	}
	t := Turn{Turn: entries[0].Turn, Time: entries[0].Time, Messages: []Message{}}
	for _, e := range entries {
		m, err := c.message(ctx, e)
		if err != nil {
			return t, err
		}
		if m != nil {
			t.Messages = append(t.Messages, *m)
		}
	}
	return t, nil
}

// Name says which turn it is, when it was and what it cost, for the reader's zone.
func (r Reader) Name(t Turn) string {
	cost := ""
	if t.Dollars > 0 {
		cost = chars.Money(t.Dollars, true)
	}
	return fields(" · ", turnName(t.Turn), r.stamp(t.Time), cost)
}

// Markdown returns a turn with all that was said in it, as Markdown. Its secrets are not masked.
func (r Reader) Markdown(ctx context.Context, t Turn) (string, error) {
	var b strings.Builder
	b.WriteString("\n## " + r.Name(t) + "\n")
	called := false
	for _, m := range t.Messages {
		text, err := r.messageText(ctx, m, true)
		if err != nil {
			return "", err
		}
		if text != "" && (!called || !strings.HasPrefix(text, listed)) {
			b.WriteString("\n")
		}
		if text != "" {
			called = endsWithCall(text)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// endsWithCall reports whether the last line of a message is that of a call.
func endsWithCall(text string) bool {
	return strings.HasPrefix(text[strings.LastIndexByte(text[:len(text)-1], '\n')+1:], listed)
}
