package proxy

import (
	"bytes"
	"context"
	"strings"
	"time"

	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// update is what is new in the view with a request.
type update struct {
	step  bool     // something that was sent becomes another one
	whole []string // calls whose results are sent as they are because their stubs come too late
}

// decide brings the view up to date.
func (v *view) decide(r *reducer, at time.Time) (c update) {
	life := cacheLife
	if v.long {
		life = cacheLifeLong
	}
	v.cold = !v.sent.IsZero() && at.Sub(v.sent) > life
	v.resume(r)
	soon, cancel := context.WithTimeout(r.life, r.patience)
	defer cancel()
	results, calls := v.newest()
	taken := v.take(r, results, calls)
	c.step = v.step(r, soon, func(p part) bool {
		_, made := calls[p.id]
		return made && !v.decided[p.id]
	})
	for _, x := range results {
		v.decided[x.ID] = true
	}
	if taken != nil && taken.within(soon) {
		v.adopt(change{stubs: taken.out})
	} else if taken != nil {
		v.late = append(v.late, taken)
	}
	for _, x := range results {
		if _, stubbed := v.shown[part{x.ID, x.Kind}]; !stubbed && worthStub(x) {
			c.whole = append(c.whole, x.ID)
		}
	}
	if c.step || v.cold {
		c.step = v.catchUp() || c.step
	}
	return c
}

// newest returns the results of a request that were not sent before, with the calls of the newest answer by id, which they
// follow.
func (v *view) newest() (results []transcript.Part, calls map[string]transcript.Part) {
	at := len(v.order) - 1
	for at >= 0 && v.order[at].role != transcript.RoleAssistant {
		at--
	}
	calls = map[string]transcript.Part{}
	for i := max(at, 0); i < len(v.order); i++ {
		for _, x := range v.order[i].parts {
			switch {
			case x.Kind == transcript.KindCall:
				calls[x.ID] = x
			case x.Kind == transcript.KindResult && !v.decided[x.ID]:
				results = append(results, x)
			}
		}
	}
	return results, calls
}

// catchUp adopts what came too late.
func (v *view) catchUp() (changed bool) {
	changed = len(v.waiting) > 0
	for _, c := range v.waiting {
		v.adopt(c)
	}
	v.waiting = nil
	left := v.late[:0]
	for _, j := range v.late {
		if !j.ended() {
			left = append(left, j)
			continue
		}
		v.adopt(change{stubs: j.out})
		changed = changed || len(j.out) > 0
	}
	v.late = left
	return changed
}

// resume goes on with what another proxy has sent. The first request of a view waits for it.
func (v *view) resume(r *reducer) {
	if v.resumed {
		return
	}
	if v.resuming == nil {
		v.resuming = begin(r, v.recorded)
	}
	if v.sent.IsZero() {
		first, cancel := context.WithTimeout(r.life, r.resuming)
		defer cancel()
		v.resuming.within(first)
	}
	if !v.resuming.ended() {
		return
	}
	c, err := v.resuming.out, v.resuming.err
	v.resuming, v.resumed = nil, err == nil
	if err != nil {
		return // the next request asks again
	}
	whole := change{stubs: map[part]string{}}
	for p, text := range c.stubs {
		if c.whole[p.id] {
			whole.stubs[p] = text
			delete(c.stubs, p)
		}
	}
	if len(whole.stubs) > 0 {
		v.waiting = append(v.waiting, whole)
	}
	if v.sent.IsZero() {
		v.adopt(c)
	} else {
		v.waiting = append(v.waiting, c)
	}
}

// worthStub reports whether the ledger replaces a result by a stub in views, if it is one of a command or large.
func worthStub(x transcript.Part) bool {
	drawn := strings.ContainsAny(x.Text, "\x1b\r\b") // a terminal may show less
	return len(x.Text) > limits.OffloadChars || drawn && len(x.Text) > limits.TerminalChars
}

// take begins to store the results that are worth a stub; nil: none is.
func (v *view) take(r *reducer, results []transcript.Part, calls map[string]transcript.Part) *job[map[part]string] {
	var asked []ledger.TakeResultRequest
	for _, x := range results {
		if call, known := calls[x.ID]; known && !x.IsError && worthStub(x) {
			asked = append(asked, ledger.TakeResultRequest{LiveSession: v.live, CallID: x.ID, Tool: call.Name,
				Args: call.Args, Text: []byte(x.Text),
				Limits: ledger.ResultLimits{Above: limits.OffloadChars, Terminal: limits.TerminalChars}})
		}
	}
	if len(asked) == 0 {
		return nil
	}
	return begin(r, func(ctx context.Context, api Ledger) (map[part]string, error) {
		stubs := map[part]string{}
		for _, q := range asked {
			if len(q.Text) > maxInline {
				blob, err := api.PutBlob(ctx, bytes.NewReader(q.Text))
				if err != nil {
					return stubs, err
				}
				q.Text, q.Blob = nil, blob.Hash
			}
			taken, err := api.TakeResult(ctx, q)
			if err != nil {
				return stubs, err
			}
			if taken.Stub != "" {
				stubs[part{q.CallID, transcript.KindResult}] = taken.Stub
			}
		}
		return stubs, nil
	})
}

// maxInline is how much of a result travels inside a request to the ledger, in bytes.
const maxInline = 2 << 20

// step asks for the next step and takes what was decided: at once what pays for the cache that it breaks, and what is about
// parts that were not sent yet.
func (v *view) step(r *reducer, soon context.Context, fresh func(part) bool) bool {
	late := v.deciding != nil
	if !late {
		sent := v.sent
		v.deciding = begin(r, func(ctx context.Context, api Ledger) (change, error) { return v.next(ctx, api, sent) })
	}
	if !v.deciding.within(soon) {
		return false
	}
	c := v.deciding.out
	v.deciding = nil
	if c.pays || !late && (v.cold || v.sent.IsZero()) { // of what another proxy sent the ledger knows when
		v.adopt(c)
		return c.pays
	}
	now, wait := change{edits: map[part]window.Edit{}}, change{edits: map[part]window.Edit{}}
	for p, e := range c.edits {
		if !late && fresh(p) {
			now.edits[p] = e
		} else {
			wait.edits[p] = e
		}
	}
	v.adopt(now)
	if len(wait.edits) > 0 {
		v.waiting = append(v.waiting, wait)
	}
	return false
}

// next returns the next step that the ledger decides, and has recorded then. sent is when the newest request was sent.
func (v *view) next(ctx context.Context, api Ledger, sent time.Time) (change, error) {
	s, err := api.Session(ctx, ledger.SessionRequest{Host: v.live.Host, HostID: v.live.HostID})
	if err != nil {
		return change{}, err
	}
	done, err := ledger.Auto(ctx, api, ledger.AutoRequest{
		EditViewRequest: ledger.EditViewRequest{Session: s.ID, Sent: sent}}, nil)
	switch {
	case err != nil:
		return change{}, err
	case done.Action == ledger.AutoCompacted:
		c, err := v.recorded(ctx, api)
		c.pays = true
		return c, err
	}
	edits, err := v.located(ctx, api, s.ID, done.Edited.Edits)
	return change{edits: edits, pays: len(edits) > 0 && done.Edited.Rewritten > 0}, err
}
