package proxy

import (
	"context"
	"encoding/json"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// sentBefore is what the ledger has of the view of a session: what a proxy that is gone has sent.
type sentBefore struct {
	stubs map[part]string
	edits []window.Edit
	whole map[string]bool // calls whose results were sent although there were stubs
}

// resume goes on with what was sent before. The first request of a view waits for it; changed says that it comes later.
func (v *view) resume(r *reducer) (changed bool) {
	if v.resumed == nil {
		v.resumed = begin(r, func(ctx context.Context, api Ledger) (sentBefore, error) { return sentOf(ctx, api, v.live) })
		first, cancel := context.WithTimeout(r.life, r.resuming)
		defer cancel()
		v.resumed.within(first)
	}
	if v.known || !v.resumed.ended() {
		return false
	}
	v.known = true
	begun := !v.sent.IsZero()
	late := map[part]string{}
	for p, text := range v.resumed.out.stubs {
		switch {
		case v.resumed.out.whole[p.call]:
			late[p] = text
		case v.shown[p] == "":
			v.show(p, text)
			changed = begun
		}
	}
	for _, e := range v.resumed.out.edits {
		v.edit(e)
		changed = begun
	}
	if len(late) > 0 {
		v.late = append(v.late, ready(late))
	}
	return changed
}

// sentOf reads the view of a session; nothing of one that is not recorded.
func sentOf(ctx context.Context, api Ledger, live ledger.LiveSession) (out sentBefore, err error) {
	s, err := api.Session(ctx, ledger.SessionRequest{Host: live.Host, HostID: live.HostID})
	if fault.Is(err, fault.NotFound) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	out = sentBefore{stubs: map[part]string{}, whole: map[string]bool{}}
	stubbed := map[string]bool{}
	for e, err := range ledger.LogEntries(ctx, api, ledger.LogRequest{Session: s.ID}) {
		if err != nil {
			return sentBefore{}, err
		}
		for _, r := range e.Results {
			stubbed[r.CallID] = stubbed[r.CallID] || r.Artifact != ""
		}
		if e.Kind != sessions.KindEdits {
			continue
		}
		var made struct {
			Edits []window.Edit `json:"edits"`
			Agent string        `json:"agent"`
		}
		if json.Unmarshal(e.Data, &made) == nil && made.Agent == "" {
			out.edits = append(out.edits, made.Edits...)
		}
	}
	seen, err := ledger.Messages(ctx, api, ledger.ViewRequest{Session: s.ID})
	if err != nil {
		return sentBefore{}, err
	}
	for _, m := range seen.Messages {
		if !m.Edited {
			continue
		}
		said, err := transcript.Decode(m.Format, m.JSON)
		for _, x := range said.Parts {
			if err == nil && x.Kind == transcript.KindResult && stubbed[x.ID] {
				out.stubs[part{x.ID, x.Kind}] = x.Text
			}
		}
	}
	return out, sentWhole(ctx, api, s.ID, out.whole)
}

// sentWhole adds the calls whose results were sent as they are, although there are stubs.
func sentWhole(ctx context.Context, api Ledger, session string, whole map[string]bool) error {
	for q := (ledger.RequestsRequest{Session: session}); ; {
		page, err := api.Requests(ctx, q)
		if err != nil {
			return err
		}
		for _, m := range page.Requests {
			if m.Reduced != nil {
				for _, call := range m.Reduced.Whole {
					whole[call] = true
				}
			}
		}
		if q.From = page.Next; q.From == 0 {
			return nil
		}
	}
}
