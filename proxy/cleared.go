package proxy

import (
	"cmp"
	"context"

	"ctxledger.dev/ledger"
)

// leastNamed is how many tokens a result has for which a handle pays: about eight times as many as its stub.
const leastNamed = 200

// listing is what reads back the results that the ledger has recorded, by their calls, but small ones.
type listing struct {
	handles map[string]string
	next    int64 // the first entry of the log behind it
}

// list has the ledger list the results since the last time.
func (v *view) list(r *reducer) {
	if v.listing != nil {
		return
	}
	from := v.listed
	v.listing = begin(r, func(ctx context.Context, api Ledger) (l listing, err error) {
		s, err := v.recordedAs(ctx, api)
		if err != nil {
			return l, err
		}
		l = listing{map[string]string{}, from}
		for e, err := range ledger.LogEntries(ctx, api, ledger.LogRequest{Session: s.ID, From: from}) {
			if err != nil {
				return l, err
			}
			for _, x := range e.Results {
				// The first one counts: what the agent has made of a result comes later.
				handle := cmp.Or(l.handles[x.CallID], x.Artifact, e.ResultHandle(x.CallID))
				if handle != "" && x.Tokens >= leastNamed {
					l.handles[x.CallID] = handle
				}
			}
			l.next = e.Seq + 1
		}
		return l, nil
	})
}

// look takes what was listed.
func (v *view) look(soon context.Context) {
	if v.listing == nil || !v.listing.within(soon) {
		return
	}
	for call, handle := range v.listing.out.handles {
		v.handles[call] = cmp.Or(v.handles[call], handle)
	}
	v.listed, v.listing = max(v.listed, v.listing.out.next), nil
}

// name adds the handle of a result to the text with which the agent replaced it. The text stays as it was first sent. If the view
// had already replaced the result, that stays too: then the agent's change has no effect.
func (v *view) name(p part, text string) {
	delete(v.edits, p)
	if _, sent := v.shown[p]; sent {
		return
	}
	v.shown[p] = text
	handle := v.handles[p.id]
	switch was, edited := v.edited[p.id]; {
	case edited && !v.named[p.id] && !v.masked[p.id]:
		v.shown[p] = was
	case handle != "" && (v.named[p.id] || len(v.naming) < ledger.MaxWhole):
		v.shown[p] += ` read_artifact(id="` + handle + `")`
		if !v.named[p.id] {
			v.naming = append(v.naming, p.id)
		}
	}
}
