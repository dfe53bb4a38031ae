package upkeep

import (
	"context"
	"slices"
	"time"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// bucketPolicies holds the user's policies for this ledger: name → JSON.
const bucketPolicies kv.Bucket = "policies"

// policyRetention is the name of the RetentionPolicy.
const policyRetention = "retention"

// Retain implements ledger.Erasure. Whole sessions expire, by the code that forgets them on request: their entries stay as
// tombstones. Memories, artifacts that a user stored, recently active sessions and the newest session never expire.
func (l *Upkeep) Retain(ctx context.Context, r ledger.RetainRequest) (ledger.Retention, error) {
	if err := checkTry(r); err != nil {
		return ledger.Retention{}, err
	}
	if err := l.setPolicy(ctx, r); err != nil {
		return ledger.Retention{}, err
	}
	done, err := l.maintain(ctx, "applying the retention policy")
	if err != nil {
		return ledger.Retention{}, err
	}
	defer done()
	if r.Apply { // owners ask at every start
		if err := l.resume(ctx); err != nil {
			return ledger.Retention{}, err
		}
	}
	p, err := core.View(ctx, l.core, retentionPolicy)
	if r.Try != nil {
		p = r.Try
	}
	if err != nil || p == nil && r.Apply {
		return ledger.Retention{Due: []ledger.SessionUsage{}, Applied: r.Apply}, err
	}
	out, err := l.due(ctx, p)
	if err != nil || !r.Apply {
		return out, err
	}
	out.Applied = true
	if out.DueTotal > 0 {
		err = l.expire(ctx, &out)
	}
	return out, err
}

// checkTry refuses a policy to be tried that cannot be one, or that comes with a change.
func checkTry(r ledger.RetainRequest) error {
	if r.Try == nil {
		return nil
	}
	if r.Set != nil || r.Off || r.Apply {
		return fault.New(fault.Invalid, "engine.retain", "a dry run cannot change the policy")
	}
	return checkPolicy(*r.Try)
}

// checkPolicy refuses a policy by which nothing or anything could expire.
func checkPolicy(p ledger.RetentionPolicy) error {
	if p.OlderThan < 0 || p.MaxSize < 0 || p.OlderThan == 0 && p.MaxSize == 0 {
		return fault.New(fault.Invalid, "engine.retain", "a retention policy needs an age or a size above 0")
	}
	return nil
}

// setPolicy stores or removes the policy.
func (l *Upkeep) setPolicy(ctx context.Context, r ledger.RetainRequest) error {
	const op = "engine.retain"
	keep := func(fn func(kv.Tx) error) error { return l.core.Store.Update(ctx, fn) }
	switch p := r.Set; {
	case p == nil && !r.Off:
		return nil
	case p != nil && r.Off:
		return fault.New(fault.Invalid, op, "a policy cannot be both set and removed")
	case p == nil:
		return keep(func(tx kv.Tx) error { return tx.Delete(bucketPolicies, []byte(policyRetention)) })
	}
	if err := checkPolicy(*r.Set); err != nil {
		return err
	}
	policy := *r.Set
	policy.Set = l.core.Now()
	return keep(func(tx kv.Tx) error { return kv.PutJSON(tx, bucketPolicies, []byte(policyRetention), policy) })
}

// retentionPolicy returns the policy, nil when there is none.
func retentionPolicy(tx kv.Tx) (*ledger.RetentionPolicy, error) {
	var p ledger.RetentionPolicy
	if found, err := kv.GetJSON(tx, bucketPolicies, []byte(policyRetention), &p); err != nil || !found {
		return nil, err
	}
	return &p, nil
}

// due returns the size of the ledger, and the sessions that a policy makes expire now.
func (l *Upkeep) due(ctx context.Context, p *ledger.RetentionPolicy) (ledger.Retention, error) {
	out := ledger.Retention{Policy: p, Due: []ledger.SessionUsage{}}
	disk, err := l.blobSizes(ctx)
	if err != nil {
		return out, err
	}
	size, err := l.core.Store.Size(ctx)
	if err != nil {
		return out, err
	}
	out.Size = size.Records + size.Blobs
	if p == nil {
		return out, nil
	}
	list, err := core.View(ctx, l.core, func(tx kv.Tx) ([]ledger.SessionUsage, error) {
		return l.candidates(ctx, tx, disk)
	})
	out.Due = append(out.Due, expired(*p, list, out.Size, l.core.Now())...)
	out.DueTotal = len(out.Due)
	out.Due = out.Due[:min(len(out.Due), maxForgottenSessions)]
	return out, err
}

// candidates returns the sessions that may expire, oldest first.
func (l *Upkeep) candidates(ctx context.Context, tx kv.Tx, disk map[string]int64) ([]ledger.SessionUsage, error) {
	all, err := sessions.List(tx)
	if err != nil {
		return nil, err
	}
	usage, _, err := usageBySession(ctx, tx, disk)
	if err != nil {
		return nil, err
	}
	since, main := l.core.Now().Add(-limits.ActiveSession), slices.IndexFunc(all, sessions.Session.Main)
	var list []ledger.SessionUsage
	for i, s := range all { // the lists have one order: the newest first
		if i != main && !s.Gone() && !s.Pending && s.Updated.Before(since) {
			list = append(list, usage[i])
		}
	}
	slices.Reverse(list)
	return list, nil
}

// expired returns those of some sessions, oldest first, that expire: by age, then until the rest fits.
func expired(p ledger.RetentionPolicy, list []ledger.SessionUsage, size int64, now time.Time) []ledger.SessionUsage {
	n := 0
	for _, s := range list {
		old := p.OlderThan > 0 && now.Sub(s.Updated) > time.Duration(p.OlderThan)*time.Second
		large := p.MaxSize > 0 && size > p.MaxSize
		if !old && !large {
			break // the others are younger
		}
		size -= s.Log + s.Blobs.Disk
		n++
	}
	return list[:n:n]
}

// expire forgets the sessions that are due.
func (l *Upkeep) expire(ctx context.Context, out *ledger.Retention) error {
	e := newEraser(l, l.core.Now())
	e.expired = true
	for _, s := range out.Due {
		if err := e.session(ctx, s.ID); err != nil {
			return err
		}
	}
	if err := e.finish(ctx); err != nil {
		return err
	}
	f := e.forgotten()
	out.Expired = &f
	m := core.Mutation{Op: "retain", At: e.at}
	_, err := core.Mutate(ctx, l.core, m, func(tx kv.Tx) (struct{}, []ledger.Event, error) {
		return struct{}{}, []ledger.Event{{Kind: ledger.EventForgotten, Count: f.Total(),
			Detail: "by the retention policy"}}, (&step{Tx: tx, e: e}).told()
	})
	if err != nil {
		return err
	}
	return l.discard(ctx)
}
