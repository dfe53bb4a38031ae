package core

import (
	"cmp"
	"context"
	"encoding/binary"
	"os"
	"slices"
	"time"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

const BucketEvents kv.Bucket = "events" // sequence number → Event

// The page of events that one request gets.
const (
	defaultEvents = 100
	MaxEvents     = 1000
	maxKinds      = 32 // kinds in one filter
)

// publish stores events with the numbers that follow the newest, and drops the oldest beyond
// limits.Events.
func publish(tx kv.Tx, at time.Time, events []ledger.Event) error {
	if len(events) == 0 {
		return nil
	}
	seq, err := NewestEvent(tx)
	if err != nil {
		return err
	}
	for _, e := range events {
		seq++
		e.Seq, e.Time = seq, at
		put, drop := kv.PutJSON(tx, BucketEvents, SeqKey(seq), e), tx.Delete(BucketEvents, SeqKey(seq-limits.Events))
		err = cmp.Or(err, put, drop)
	}
	return err
}

// ring wakes all that wait for events.
func (l *Ledger) ring() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.bell)
	l.bell = make(chan struct{})
}

// nextBell returns a channel that is closed at the next commit.
func (l *Ledger) nextBell() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bell
}

// WaitEvents implements ledger.Events. It returns at once when the caller has missed events.
func (l *Ledger) WaitEvents(ctx context.Context, r ledger.WaitEventsRequest) (ledger.WaitEventsResponse, error) {
	if len(r.Kinds) > maxKinds {
		return ledger.WaitEventsResponse{}, fault.New(fault.TooLarge, "engine.wait",
			"%d kinds of events, more than %d", len(r.Kinds), maxKinds)
	}
	wait := time.Duration(min(max(r.WaitMS, 0), limits.LongPoll.Milliseconds())) * time.Millisecond
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		bell := l.nextBell() // before reading, so that no commit slips between
		resp, err := View(ctx, l, func(tx kv.Tx) (ledger.WaitEventsResponse, error) { return readEvents(tx, r) })
		if err != nil || len(resp.Events) > 0 || resp.Missed || r.After < 0 {
			return l.maskEvents(resp, err)
		}
		r.After = resp.Next // events of other kinds need not be read again
		select {
		case <-bell:
		case <-l.closed:
			return resp, fault.New(fault.Unavailable, "engine.wait", "the ledger was closed")
		case <-timer.C:
			return resp, nil
		case <-ctx.Done():
			return resp, fault.Wrap(fault.Unavailable, "engine.wait", ctx.Err())
		}
	}
}

// readEvents returns the events after r.After of the requested kinds.
func readEvents(tx kv.Tx, r ledger.WaitEventsRequest) (ledger.WaitEventsResponse, error) {
	newest, err := NewestEvent(tx)
	if err != nil || r.After < 0 {
		return ledger.WaitEventsResponse{Events: []ledger.Event{}, Next: newest}, err
	}
	resp := ledger.WaitEventsResponse{Events: []ledger.Event{}, Next: newest,
		Missed: newest-r.After > limits.Events || r.After > newest}
	if r.After > newest {
		return resp, nil // a number of another ledger: this one starts over
	}
	limit := r.Limit
	if limit <= 0 {
		limit = defaultEvents
	}
	for e, err := range kv.Values(tx, BucketEvents, kv.Range{From: SeqKey(r.After + 1)}, kv.JSON[ledger.Event]) {
		if err != nil {
			return resp, err
		}
		if !wants(r, e) {
			continue
		}
		resp.Events = append(resp.Events, e)
		if len(resp.Events) == min(limit, MaxEvents) {
			resp.Next = e.Seq
			break
		}
	}
	return resp, nil
}

func wants(r ledger.WaitEventsRequest, e ledger.Event) bool {
	return (len(r.Kinds) == 0 || slices.Contains(r.Kinds, e.Kind)) && (r.Session == "" || r.Session == e.Session)
}

// NewestEvent returns the number of the newest event, 0 when there is none.
func NewestEvent(tx kv.Tx) (int64, error) {
	key, err := kv.LastKey(tx, BucketEvents)
	if key == nil {
		return 0, err
	}
	return int64(binary.BigEndian.Uint64(key)), nil
}

// SeqKey is the key of a sequence number, in the order of numbers.
func SeqKey(seq int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(max(seq, 0))) }

// Info implements ledger.Events. What only the owner knows (clients, idle time) is filled in by the daemon.
func (l *Ledger) Info(ctx context.Context, _ ledger.InfoRequest) (ledger.Info, error) {
	size, err := l.Store.Size(ctx)
	if err != nil {
		return ledger.Info{}, err
	}
	return View(ctx, l, func(tx kv.Tx) (ledger.Info, error) {
		info := ledger.Info{
			Workspace: l.root, State: l.State, PID: os.Getpid(), Started: l.started, InProcess: true,
			Bytes: size.Records + size.Blobs,
		}
		all, err := visible(tx)
		if err != nil {
			return info, err
		}
		info.Sessions = len(all)
		counts, err := artifacts.Count(tx)
		if err != nil {
			return info, err
		}
		info.Artifacts = counts.Live
		if info.Memories, err = memory.Count(tx, l.Scope); err != nil {
			return info, err
		}
		info.Event, err = NewestEvent(tx)
		return info, err
	})
}
