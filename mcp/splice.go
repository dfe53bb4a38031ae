package mcp

import (
	"context"
	"encoding/json"
	"slices"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// splice tells a caller how to shorten its own list: Message replaces the messages with indices in [From,To). They
// index the messages handed in with this call or, if no whole conversation was handed in, the session's view before
// the call.
type splice struct {
	From    int             `json:"from"`
	To      int             `json:"to"`
	Message json.RawMessage `json:"message"` // in the conversation's format
}

// kept returns the messages of the earlier view that stay unchanged.
func (o outcome) kept() []ledger.ViewMessage {
	for i, m := range o.before.Messages {
		if m.Seq > 0 && m.Seq >= o.plan.Summary.FirstKept {
			return o.before.Messages[i:]
		}
	}
	return nil
}

// splice returns the splice of a compaction, nil if it was in effect before the call.
func (o outcome) splice(ctx context.Context, api ledger.SessionReader) (*splice, error) {
	if o.before.Summary == o.plan.Summary.ID && !o.args.DryRun && o.handed == 0 {
		return nil, nil
	}
	log, err := recorded(ctx, api, o.session.ID)
	if err != nil {
		return nil, err
	}
	var list []int64 // entries of the messages that indices refer to
	total := o.handed
	if total > 0 {
		for _, e := range log {
			list = append(list, e.Seq)
		}
	} else {
		total = len(o.before.Messages)
		for _, m := range o.before.Messages {
			list = append(list, m.Seq)
		}
	}
	// position returns the index of the first message at or after an entry. A list that was handed in may begin with
	// a summary of ours, which has no entry.
	position := func(seq int64) int {
		at := slices.IndexFunc(list, func(s int64) bool { return s >= seq })
		if at < 0 {
			at = len(list)
		}
		return at + total - len(list)
	}
	from := o.system()
	if head := newestCompacted(log, o.plan.Summary.FirstKept); head > 0 {
		from = max(from, position(head+1))
	}
	return &splice{From: from, To: max(from, position(o.plan.Summary.FirstKept)), Message: o.head()}, nil
}

// recorded returns the headers of the messages of a session's conversation. The view may show fewer, or join some.
func recorded(ctx context.Context, api ledger.SessionReader, session string) ([]ledger.LogEntry, error) {
	var out []ledger.LogEntry
	for r := (ledger.LogRequest{Session: session}); ; {
		page, err := api.Log(ctx, r)
		if err != nil {
			return nil, err
		}
		for _, e := range page.Entries {
			switch e.Kind {
			case sessions.KindMessage:
				out = append(out, e)
			case sessions.KindRewind:
				var back struct {
					To int64 `json:"to"`
				}
				if json.Unmarshal(e.Data, &back) == nil {
					out = slices.DeleteFunc(out, func(e ledger.LogEntry) bool { return e.Seq > back.To })
				}
			}
		}
		if r.From = page.Next; r.From == 0 {
			return out, nil
		}
	}
}

// newestCompacted returns the newest entry before a boundary that is the provider's own compaction, 0 for none. It
// stays before the summary.
func newestCompacted(log []ledger.LogEntry, before int64) int64 {
	for _, e := range slices.Backward(log) {
		if e.Compacted && e.Forgotten == nil && e.Seq < before {
			return e.Seq
		}
	}
	return 0
}

// system returns the number of system messages at the start of the earlier view.
func (o outcome) system() int {
	first := slices.IndexFunc(o.before.Messages,
		func(m ledger.ViewMessage) bool { return m.Role != transcript.RoleSystem })
	if first < 0 {
		return len(o.before.Messages)
	}
	return first
}

// head returns the message that replaces the compacted range.
func (o outcome) head() json.RawMessage {
	format := transcript.Anthropic
	if n := len(o.before.Messages); n > 0 {
		format = o.before.Messages[n-1].Format
	}
	return transcript.NewMessage(format, transcript.RoleUser, o.plan.Summary.Text)
}
