package mcp

import (
	"context"
	"encoding/json"
	"slices"

	"ctxledger.dev/engine"
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
func (o outcome) kept() []engine.ViewMessage {
	for i, m := range o.before.Messages {
		if m.Seq > 0 && m.Seq >= o.plan.Summary.FirstKept {
			return o.before.Messages[i:]
		}
	}
	return nil
}

// splice returns what the caller puts where, nil when the compaction was in force before the call.
func (o outcome) splice(ctx context.Context, api engine.API) (*splice, error) {
	if o.before.Summary == o.plan.Summary.ID && !o.args.DryRun && o.handed == 0 {
		return nil, nil
	}
	total, kept := len(o.before.Messages), len(o.kept())
	if o.handed > 0 {
		var err error
		total = o.handed
		if kept, err = recordedFrom(ctx, api, o.session.ID, o.plan.Summary.FirstKept); err != nil {
			return nil, err
		}
	}
	from := o.system()
	return &splice{From: from, To: max(from, total-kept), Message: o.head()}, nil
}

// recordedFrom returns how many messages of the conversation are recorded from an entry on. The view may
// show fewer, or join some.
func recordedFrom(ctx context.Context, api engine.API, session string, from int64) (int, error) {
	var seqs []int64
	for r := (engine.LogRequest{Session: session, From: from}); ; {
		page, err := api.Log(ctx, r)
		if err != nil {
			return 0, err
		}
		for _, e := range page.Entries {
			switch e.Kind {
			case sessions.KindMessage:
				seqs = append(seqs, e.Seq)
			case sessions.KindRewind:
				var back struct {
					To int64 `json:"to"`
				}
				if json.Unmarshal(e.Data, &back) == nil {
					seqs = slices.DeleteFunc(seqs, func(seq int64) bool { return seq > back.To })
				}
			}
		}
		if r.From = page.Next; r.From == 0 {
			return len(seqs), nil
		}
	}
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
