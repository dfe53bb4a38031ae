package mcp

import (
	"context"
	"encoding/json"
	"slices"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// splice says how the caller shortens its own list: Message takes the place of the messages with
// the indices From up to, not including, To. They count in the messages handed in with this call,
// or, where none were handed in whole, in the view of the session before it.
type splice struct {
	From    int             `json:"from"`
	To      int             `json:"to"`
	Message json.RawMessage `json:"message"` // in the conversation's format
}

// kept are the messages of the view before that stay as they are.
func (o outcome) kept() []ledger.ViewMessage {
	for i, m := range o.before.Messages {
		if m.Seq > 0 && m.Seq >= o.plan.Summary.FirstKept {
			return o.before.Messages[i:]
		}
	}
	return nil
}

// splice returns what the caller puts where, nil when the compaction was in force before the call.
func (o outcome) splice(ctx context.Context, api ledger.SessionReader) (*splice, error) {
	if o.before.Summary == o.plan.Summary.ID && !o.args.DryRun && o.handed == 0 {
		return nil, nil
	}
	log, err := recorded(ctx, api, o.session.ID)
	if err != nil {
		return nil, err
	}
	var list []int64 // the entries of what the caller counts in
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
	// position is where the messages from an entry on begin. A list that was handed in may begin with a
	// summary of ours, which no entry is.
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

// recorded returns the headers of the messages that make up a session's conversation. The view may show
// fewer, or join some.
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

// newestCompacted returns the newest entry before a boundary that is the provider's own compaction, 0 for
// none: it stays in front of the summary.
func newestCompacted(log []ledger.LogEntry, before int64) int64 {
	for _, e := range slices.Backward(log) {
		if e.Compacted && e.Forgotten == nil && e.Seq < before {
			return e.Seq
		}
	}
	return 0
}

// system returns how many messages of the view before are the system's and stand in front of everything.
func (o outcome) system() int {
	for i, m := range o.before.Messages {
		if m.Role != transcript.RoleSystem {
			return i
		}
	}
	return len(o.before.Messages)
}

// head is the message that stands for the compacted range.
func (o outcome) head() json.RawMessage {
	format := transcript.Anthropic
	if n := len(o.before.Messages); n > 0 {
		format = o.before.Messages[n-1].Format
	}
	return transcript.NewMessage(format, transcript.RoleUser, o.plan.Summary.Text)
}
