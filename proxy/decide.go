package proxy

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/intents"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// decide brings the view up to date, and reports whether something that was sent becomes another one.
func (v *view) decide(r *reducer) (stepped bool) {
	resumed := v.resume(r)
	results, calls := v.newest()
	patience := r.patience
	asked := slices.ContainsFunc(results, func(x transcript.Part) bool { return intents.Compacts(calls[x.ID].Name) })
	if asked { // the agent waits for it, and what was decided before does not have it
		patience = r.resuming
	}
	soon, cancel := context.WithTimeout(r.life, patience)
	defer cancel()
	v.look(soon)
	if asked {
		v.renew(r, soon)
	}
	taken := v.take(r, results, calls)
	stepped = v.step(soon)
	for _, x := range results {
		v.decided[x.ID] = true
	}
	if taken != nil && taken.within(soon) {
		v.adopt(change{stubs: taken.out})
	} else if taken != nil {
		v.stubs = append(v.stubs, taken)
	}
	for _, x := range results {
		if _, stubbed := v.shown[part{x.ID, x.Kind}]; !stubbed && worthStub(x) {
			v.whole[x.ID] = true
		}
	}
	return v.catchUp(stepped || v.cold) || stepped || resumed
}

// newest returns the results of a request that were not sent before, with the calls of the newest answer by id, which they
// follow.
func (v *view) newest() (results []transcript.Part, calls map[string]transcript.Part) {
	at := len(v.order) - 1
	for at >= 0 && v.order[at].role != transcript.RoleAssistant {
		at--
	}
	for transcript.Itemised(v.format) && at > 0 && v.order[at-1].role == transcript.RoleAssistant {
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

// catchUp adopts what came too late, all of it or what is worth the cache that it breaks.
func (v *view) catchUp(all bool) (changed bool) {
	left := v.stubs[:0]
	for _, j := range v.stubs {
		if j.ended() {
			v.waiting.add(change{stubs: j.out})
		} else {
			left = append(left, j)
		}
	}
	v.stubs = left
	if v.waiting.empty() {
		return false
	}
	now := v.waiting
	if !all {
		now = v.worth()
	}
	if now.empty() {
		return false
	}
	v.adopt(now)
	for p := range now.stubs {
		delete(v.waiting.stubs, p)
	}
	for p := range now.edits {
		delete(v.waiting.edits, p)
	}
	if all {
		v.waiting = newChange()
	}
	return true
}

// worth returns what of the waiting changes pays. Sizes are in bytes: only their relations count.
func (v *view) worth() change {
	size := make([]int, len(v.order)+1)
	var cuts []window.Cut
	var parts []part
	for i, p := range v.order {
		size[i+1] = size[i] + len(p.raw)
		if p.out != nil {
			size[i+1] += len(p.out) - len(p.raw)
		}
		if p.sealed || !v.waits(p) {
			continue
		}
		m, _ := transcript.Decode(v.format, p.raw) // it was decoded before
		for _, x := range m.Parts {
			at := v.partOf(x)
			text, shorter := v.waiting.stubs[at], true
			if e, edit := v.waiting.edits[at]; edit {
				text, shorter = e.Apply(x)
			}
			if text != "" && shorter {
				cuts = append(cuts, window.Cut{At: i, Freed: len(x.Text) + len(x.Args) - len(text)})
				parts = append(parts, at)
			}
		}
	}
	ahead := window.CallsAhead(len(v.order)/2, 0, 0)
	now := newChange()
	from := window.WorthFrom(cuts, size, min(v.reached, len(v.order)), window.RatesOf(tokens.Price{}, v.long), ahead)
	for _, at := range parts[from:] {
		if text, stub := v.waiting.stubs[at]; stub {
			now.stubs[at] = text
		}
		if e, edit := v.waiting.edits[at]; edit {
			now.edits[at] = e
		}
	}
	return now
}

// waits reports whether a message has a part that waits to be shown less of.
func (v *view) waits(p *piece) bool {
	return slices.ContainsFunc(p.parts, func(x transcript.Part) bool {
		at := part{x.ID, x.Kind}
		_, edit := v.waiting.edits[at]
		return edit || v.waiting.stubs[at] != ""
	})
}

// resume goes on with what another proxy has sent. The first request of a view waits for it. changed says that the ledger has a
// step which that did not send any more.
func (v *view) resume(r *reducer) (changed bool) {
	if v.resumed {
		return false
	}
	if v.resuming == nil {
		v.resuming = begin(r, v.recorded)
	}
	if v.sent.IsZero() {
		first, cancel := context.WithTimeout(r.life, r.resuming)
		defer cancel()
		v.resuming.within(first)
		v.look(first)
	}
	if !v.resuming.ended() {
		return false
	}
	c, err := v.resuming.out, v.resuming.err
	v.resuming, v.resumed, v.edited, v.named = nil, err == nil, c.edited, c.named
	if err != nil {
		return false // the next request asks again
	}
	whole := change{stubs: map[part]string{}}
	for _, call := range c.whole {
		p := part{call, transcript.KindResult}
		if text, known := c.stubs[p]; known {
			whole.stubs[p], v.whole[call] = text, true
			delete(c.stubs, p)
		}
	}
	v.waiting.add(whole)
	if !v.sent.IsZero() {
		v.waiting.add(c)
		return false
	}
	v.adopt(c)
	return c.seq > c.sent
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

// wake has a step decided for a request that comes at a time, if the one decided after the last answer does not fit: the
// provider's cache has expired, or there is none.
func (v *view) wake(r *reducer, at time.Time) {
	life := cacheLife
	if v.long {
		life = cacheLifeLong
	}
	if v.cold = !v.sent.IsZero() && at.Sub(v.sent) > life; v.cold && v.deciding != nil && v.deciding.ended() {
		v.waiting.add(v.deciding.out)
		v.deciding = nil
	}
	if v.cold || v.sent.IsZero() {
		v.ask(r, false)
		v.list(r)
	}
}

// ask has the next step decided, unless one is. early says that it is for a request that has not come yet.
func (v *view) ask(r *reducer, early bool) {
	if v.deciding != nil {
		return
	}
	sent, behind := ledger.EditViewRequest{Sent: v.sent, Held: int(v.perByte * float64(v.size))}, len(v.whole) > 0
	var summary *string
	if v.resumed {
		known := v.summary
		summary = &known
	}
	v.early = early
	v.deciding = begin(r, func(ctx context.Context, api Ledger) (change, error) {
		return v.next(ctx, api, sent, behind, summary)
	})
}

// renew has a step decided once more: the ledger has been asked for something since.
func (v *view) renew(r *reducer, soon context.Context) {
	if v.deciding != nil && v.deciding.within(soon) {
		v.waiting.add(v.deciding.out)
		v.deciding = nil
	}
	v.ask(r, false)
}

// step takes what was decided: at once what pays for the cache that it breaks, and what is about parts that were not sent yet.
func (v *view) step(soon context.Context) bool {
	if v.deciding == nil || !v.deciding.within(soon) {
		return false
	}
	c := v.deciding.out
	v.deciding = nil
	if c.pays || !v.early && (v.cold || v.sent.IsZero()) { // of what another proxy sent the ledger knows when
		v.adopt(c)
		return c.pays || v.cold && !c.empty()
	}
	now := newChange()
	now.session = c.session
	for p, e := range c.edits {
		if !v.early && v.unsent(p) {
			now.edits[p] = e
		} else {
			v.waiting.edits[p] = e
		}
	}
	v.adopt(now)
	return false
}

// unsent reports whether a part comes with this request.
func (v *view) unsent(p part) bool {
	return slices.ContainsFunc(v.order[min(v.reached, len(v.order)):], func(x *piece) bool {
		return slices.ContainsFunc(x.parts, func(own transcript.Part) bool { return part{own.ID, own.Kind} == p })
	})
}

// next returns the next step that the ledger decides, and has recorded then. sent says of the newest request when it was sent
// and how large it was; behind says that a step has more to show less of, and summary which compaction is known, if any is: a person or the
// agent may have made another.
func (v *view) next(
	ctx context.Context, api Ledger, sent ledger.EditViewRequest, behind bool, summary *string,
) (c change, err error) {
	s, err := v.recordedAs(ctx, api)
	if err != nil {
		return c, err
	}
	sent.Session = s.ID
	done, err := ledger.Auto(ctx, api, ledger.AutoRequest{EditViewRequest: sent}, nil)
	if err != nil {
		return c, err
	}
	pays := len(done.Edited.Edits) > 0 && done.Edited.Rewritten > 0
	now, err := api.View(ctx, ledger.ViewRequest{Session: s.ID, From: math.MaxInt32}) // none of its messages
	if err != nil {
		return c, err
	}
	if summary != nil && *summary != now.Summary || done.Action == ledger.AutoCompacted || pays && behind {
		c, err = v.recorded(ctx, api)
		c.pays = c.known()
		return c, err
	}
	c.pays, c.session, c.seq = pays, s.ID, done.Edited.Step
	c.edits, err = v.located(ctx, api, s.ID, done.Edited.Edits)
	return c, err
}
