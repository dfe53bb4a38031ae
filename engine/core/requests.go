package core

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// BucketRequests has what a proxy measured. Its texts are names of models and tools, with secrets masked.
const BucketRequests kv.Bucket = "requests" // session NUL sequence number → ledger.ModelRequest

// maxDigest bounds the digest of an item, which is hex digits.
const maxDigest = 64

// NoteRequest implements ledger.ModelRequests.
func (l *Ledger) NoteRequest(ctx context.Context, r ledger.NoteRequestRequest) (ledger.ModelRequest, error) {
	var none ledger.ModelRequest
	m := l.NewMutation("note request", r.Key, r)
	m = m.Check(checkLive(m.Op, r.LiveSession), l.checkRequest(m.Op, &r.Request))
	tree := l.Trees.TreeOf(dirOf(sessions.Session{Dir: r.Dir}))
	noted, err := Mutate(ctx, l, m, func(tx kv.Tx) (ledger.ModelRequest, []ledger.Event, error) {
		s, err := l.live(tx, r.LiveSession, tree)
		if err != nil {
			return none, nil, err
		}
		newest, err := l.NewestRequest(tx, s.ID)
		if err != nil {
			return none, nil, err
		}
		q := r.Request
		q.Session, q.Seq = s.ID, newest.Seq+1
		raw, err := json.Marshal(q)
		if err != nil {
			return none, nil, fault.Wrap(fault.Internal, m.Op, err)
		}
		if err := tx.Put(BucketRequests, append(requestKey(s.ID), SeqKey(q.Seq)...), raw); err != nil {
			return none, nil, err
		}
		// Only faces that draw the session want to know, and the answer to a retry does not need the items.
		q.New = nil
		return q, []ledger.Event{{Kind: ledger.EventRequest, Time: m.At, Session: s.ID}}, err
	})
	if err == nil {
		l.spending.note(noted.Session)
	}
	return noted, err
}

// NewestRequest returns the newest measured request of a session, the zero value if there is none.
func (l *Ledger) NewestRequest(tx kv.Tx, session string) (q ledger.ModelRequest, err error) {
	at := kv.Range{Prefix: requestKey(session), Reverse: true}
	for q, err := range kv.Values(tx, BucketRequests, at, kv.JSON[ledger.ModelRequest]) {
		return q, err
	}
	return q, nil
}

// Reduces reports whether the newest measured request of a session's main agent passed a proxy that sends the view.
func (l *Ledger) Reduces(tx kv.Tx, session string) (bool, error) {
	at := kv.Range{Prefix: requestKey(session), Reverse: true}
	for q, err := range kv.Values(tx, BucketRequests, at, kv.JSON[ledger.ModelRequest]) {
		if err != nil || q.Agent == "" {
			return q.Reduces, err
		}
	}
	return false, nil
}

// requestKey is how the keys of a session's requests begin; "": of all sessions'.
func requestKey(session string) []byte {
	if session == "" {
		return nil
	}
	return []byte(session + "\x00")
}

// checkRequest refuses what no proxy measures, and masks the names in the rest.
func (l *Ledger) checkRequest(op string, q *ledger.ModelRequest) error {
	if len(q.New) > ledger.MaxRequestItems || len(q.Tools) > ledger.MaxRequestTools || len(q.Bill) > sessions.MaxBill {
		return fault.New(fault.TooLarge, op, "a request with %d new items, %d servers and %d charges, of which there may "+
			"be %d, %d and %d", len(q.New), len(q.Tools), len(q.Bill), ledger.MaxRequestItems, ledger.MaxRequestTools,
			sessions.MaxBill)
	}
	err := CheckTexts(op, Label("dialect", q.Dialect), Label("model", q.Model), Label("agent", q.Agent),
		Label("provider", q.Provider), Label("endpoint", q.Endpoint),
		Label("id of the answer", q.Reply), Label("outcome", q.Cache.Outcome), Label("item", q.Cache.Item),
		Label("who changed it", q.Cache.By), Label("reason", q.MissedWhy))
	if err != nil {
		return err
	}
	if r := q.Reduced; r != nil {
		if most := max(len(r.Whole), len(r.Named)); most > ledger.MaxWhole {
			return fault.New(fault.TooLarge, op, "%d results sent whole or named, more than %d", most, ledger.MaxWhole)
		}
		for _, call := range slices.Concat(r.Whole, r.Named) {
			err = cmp.Or(err, CheckTexts(op, Label("call id", call)))
		}
	}
	if q.Dialect == "" || q.At.IsZero() || min(q.FirstMS, q.TookMS, q.Sent, q.Got, int64(q.Kept),
		int64(q.Missed), int64(q.Loaded)) < 0 {
		return fault.New(fault.Invalid, op, "a measured request lacks its dialect or time, or has a negative number")
	}
	q.At = q.At.UTC()
	q.New, q.Tools, q.Bill = slices.Clone(q.New), slices.Clone(q.Tools), slices.Clone(q.Bill)
	for _, item := range q.New {
		err = cmp.Or(err, CheckTexts(op, Text("digest", item.Digest, maxDigest)))
	}
	for _, n := range q.Names() {
		*n = l.maskedLabel(*n)
	}
	return err
}

// Requests implements ledger.ModelRequests.
func (l *Ledger) Requests(ctx context.Context, r ledger.RequestsRequest) (ledger.RequestsResponse, error) {
	if err := CheckTexts("engine.requests", Label("session", r.Session)); err != nil {
		return ledger.RequestsResponse{}, err
	}
	return View(ctx, l, func(tx kv.Tx) (ledger.RequestsResponse, error) {
		out := ledger.RequestsResponse{Requests: []ledger.ModelRequest{}}
		if r.Session == "" {
			use, err := l.ProxyUse(tx, "")
			out.Use = use
			return out, err
		}
		s, err := sessions.Find(tx, r.Session)
		if err != nil {
			return out, err
		}
		size := 0
		err = eachRequest(tx, s.ID, r.From, func(q ledger.ModelRequest, bytes int) bool {
			if len(out.Requests) > 0 && size+bytes > limits.Page || r.Limit > 0 && len(out.Requests) == r.Limit {
				out.Next = q.Seq
				return false
			}
			out.Requests, size = append(out.Requests, q), size+bytes
			return true
		})
		return out, err
	})
}

// eachRequest calls fn with the requests of a session from one on, or of all sessions, and their bytes, until it returns false.
func eachRequest(tx kv.Tx, session string, from int64, fn func(q ledger.ModelRequest, bytes int) bool) error {
	prefix := requestKey(session)
	at := kv.Range{Prefix: prefix}
	if session != "" {
		at.From = append(bytes.Clone(prefix), SeqKey(from)...)
	}
	for r, err := range tx.Scan(BucketRequests, at) {
		if err != nil {
			return err
		}
		q, err := kv.JSON[ledger.ModelRequest](r)
		if err != nil || !fn(q, len(r.Value)) {
			return err
		}
	}
	return nil
}

// ProxyUse sums up what a proxy measured of a session, "" for all; nil: nothing.
func (l *Ledger) ProxyUse(tx kv.Tx, session string) (*ledger.ProxyUse, error) {
	var u ledger.ProxyUse
	var bill sessions.Bill
	var first []int64
	var reduced reductions
	var head requestHead
	last, models := "", l.Settings(sessions.Session{}).Models
	err := eachRequest(tx, session, 0, func(q ledger.ModelRequest, _ int) bool {
		if u.Requests++; q.Session != last {
			u.Sessions, last = u.Sessions+1, q.Session
		}
		if q.Cut || q.Status != 200 {
			u.Failed++
		}
		u.Usage = u.Usage.Add(q.Usage)
		for _, c := range q.Bill {
			bill.Add(c)
		}
		if q.Usage.CacheRead > 0 {
			u.Hits++
		}
		if q.Cache.Broke() {
			u.Breaks, u.Lost = u.Breaks+1, u.Lost+q.Cache.Lost
			u.Broke = append([]ledger.CacheUse{q.Cache}, u.Broke[:min(len(u.Broke), ledger.MaxBroke-1)]...)
		}
		if first = append(first, q.FirstMS); session != "" && q.Agent == "" && len(q.Tools) > 0 {
			u.Tools = q.Tools
		}
		if q.Agent == "" {
			u.Reduces = q.Reduces
			head.follow(q)
		}
		u.Bytes += q.Sent
		reduced.add(q, models)
		if u.Missed += q.Missed; q.MissedWhy != "" {
			u.MissedWhy = q.MissedWhy
		}
		return true
	})
	if err != nil || u.Requests == 0 {
		return nil, err
	}
	slices.Sort(first)
	u.FirstMS = first[len(first)/2]
	if session != "" {
		u.System = head.system()
	}
	u.Cost, u.Reduced = bill.Cost(models), reduced.use()
	slices.SortStableFunc(u.Tools, func(a, b ledger.ServerTools) int { return cmp.Compare(b.Tokens, a.Tokens) })
	return &u, nil
}

// requestHead has the items in front of the messages of the newest request that offers tools: others are no part of a conversation.
type requestHead []ledger.RequestItem

func (h *requestHead) follow(q ledger.ModelRequest) {
	if q.Kept == 0 && (len(q.New) == 0 || q.New[0].Kind != ledger.ItemTool) {
		return
	}
	*h = (*h)[:min(q.Kept, len(*h))]
	for _, x := range q.New {
		if x.Kind != ledger.ItemMessage {
			*h = append(*h, x)
		}
	}
}

// system returns the tokens of the system prompt.
func (h requestHead) system() (n int) {
	for _, x := range h {
		if x.Kind == ledger.ItemSystem {
			n += x.Tokens
		}
	}
	return n
}

// reductions sums up what requests were sent without.
type reductions struct {
	ledger.ReducedUse
	net      float64
	unpriced bool
}

func (r *reductions) add(q ledger.ModelRequest, models *tokens.Registry) {
	if q.Reduced == nil {
		return
	}
	lost := int64(0)
	if q.Cache.Outcome == ledger.CacheReduced {
		lost = q.Cache.Lost
	}
	if r.Requests++; q.Reduced.Step {
		r.Steps++
	}
	r.Tokens, r.Rewritten = r.Tokens+int64(q.Reduced.Tokens), r.Rewritten+lost
	m, _ := models.Lookup(q.Model)
	input, known := m.Price.Input.PerMillion()
	r.unpriced = r.unpriced || !known
	rates := window.RatesOf(m.Price, q.Usage.CacheLong > 0)
	const million = 1e6
	r.net += (float64(q.Reduced.Tokens)*rates.Read - float64(lost)*(rates.Write-rates.Read)) * input / million
}

// use returns the sum; nil: nothing was reduced.
func (r *reductions) use() *ledger.ReducedUse {
	if r.Requests == 0 {
		return nil
	}
	if !r.unpriced {
		r.Net = &r.net
	}
	return &r.ReducedUse
}
