package core

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"ctxledger.dev/engine/attribution"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

const BucketImports kv.Bucket = "imports" // import id → importRecord

// ImportRecord is the stored state of an import. Its batches are remembered here instead of among the keys of
// mutations: the record is written with every batch anyway, and the offset in the source identifies the batch.
type ImportRecord struct {
	ledger.ImportState
	Batches []batch `json:"batches,omitempty"` // the newest that have a key, oldest first
	// Seen is the time of the newest entry when the source was rewritten: older ones may come again.
	Seen time.Time `json:"seen,omitzero"`
}

// batch is an appended batch: what identifies it, and its response.
type batch struct {
	Key    string `json:"key"`
	Digest string `json:"digest"`
	Seq    int64  `json:"seq"`
}

// keptBatches is how many batches an import remembers: twice as many as a client has in flight.
const keptBatches = 4

// digestLen is the length of a batch's digest in bytes: enough to distinguish a client's mistake from a repetition.
const digestLen = 8

// ImportState implements ledger.Recorder.
func (l *Ledger) ImportState(ctx context.Context, r ledger.ImportStateRequest) (ledger.ImportState, error) {
	rec, err := View(ctx, l, func(tx kv.Tx) (ImportRecord, error) { return readImport(tx, r.Import) })
	return rec.ImportState, err
}

func readImport(tx kv.Tx, id string) (ImportRecord, error) {
	rec := ImportRecord{ImportState: ledger.ImportState{Import: id}}
	if id == "" || len(id) > kv.MaxKey {
		return rec, fault.New(fault.Invalid, "engine.import", "an import needs an id of 1 to %d bytes", kv.MaxKey)
	}
	_, err := kv.GetJSON(tx, BucketImports, []byte(id), &rec)
	return rec, err
}

// answered returns the response to an earlier request with the same batch, if there was one.
func (rec ImportRecord) answered(m Mutation) (resp ledger.AppendEntriesResponse, done bool, err error) {
	i := slices.IndexFunc(rec.Batches, func(b batch) bool { return m.key != "" && b.Key == m.key })
	switch {
	case i < 0:
		return resp, false, nil
	case rec.Batches[i].Digest != m.digest:
		return resp, false, fault.New(fault.Conflict, m.Op, "the key %q was used for another batch of this import",
			m.key)
	}
	return ledger.AppendEntriesResponse{Session: rec.Session, Seq: rec.Batches[i].Seq}, true, nil
}

// took records a batch as the newest one.
func (rec *ImportRecord) took(r ledger.AppendEntriesRequest, m Mutation, resp ledger.AppendEntriesResponse) {
	rec.ImportState = ledger.ImportState{Import: r.Import, Session: resp.Session, Offset: r.Next, Line: r.Line,
		Check: r.Check}
	if m.key == "" {
		return
	}
	rec.Batches = append(rec.Batches, batch{m.key, m.digest, resp.Seq})
	rec.Batches = rec.Batches[max(0, len(rec.Batches)-keptBatches):]
}

// AppendEntries implements ledger.Recorder.
func (l *Ledger) AppendEntries(ctx context.Context,
	r ledger.AppendEntriesRequest) (ledger.AppendEntriesResponse, error) {
	if err := checkBatch(r); err != nil {
		return ledger.AppendEntriesResponse{}, err
	}
	resp, err := l.appendEntries(ctx, r)
	if err == nil && slices.ContainsFunc(r.Entries, func(e sessions.NewEntry) bool { return e.Blob != "" }) {
		err = l.dropRepeated(ctx, r.Import)
	}
	return resp, err
}

// dropRepeated deletes the blobs that a client stored for entries which its import has read before.
func (l *Ledger) dropRepeated(ctx context.Context, id string) error {
	st, err := View(ctx, l, func(tx kv.Tx) (ImportRecord, error) { return readImport(tx, id) })
	if err != nil || st.Seen.IsZero() {
		return err
	}
	return l.DeleteUnreferenced(ctx)
}

func (l *Ledger) appendEntries(ctx context.Context,
	r ledger.AppendEntriesRequest) (ledger.AppendEntriesResponse, error) {
	var zero ledger.AppendEntriesResponse
	l.references.RLock()
	defer l.references.RUnlock()
	tree, err := l.importTree(ctx, r)
	if err != nil {
		return zero, err
	}
	r.Session.Tree = tree
	ready, err := l.prepareAll(ctx, l.Settings(r.Session), r.Entries)
	if err == nil {
		err = l.storeUnseen(ctx, r, ready)
	}
	if err != nil {
		return zero, err
	}
	m := Mutation{Op: "append", key: r.Key, digest: batchDigest(r, ready), At: l.Now()}
	appendAll := func() (ledger.AppendEntriesResponse, error) {
		return Mutate(ctx, l, Mutation{Op: m.Op, At: m.At},
			func(tx kv.Tx) (ledger.AppendEntriesResponse, []ledger.Event, error) {
				return l.appendBatch(tx, r, ready, m)
			})
	}
	resp, err := appendAll()
	if !errors.Is(err, errEarly) {
		return resp, err
	}
	if err := l.await(ctx, r.Import, r.Offset); err != nil {
		return zero, err
	}
	return appendAll()
}

// importTree returns the tree of an import's session. It is determined once, with the first batch.
func (l *Ledger) importTree(ctx context.Context, r ledger.AppendEntriesRequest) (string, error) {
	if r.Offset == 0 {
		return l.Trees.TreeOf(dirOf(r.Session)), nil
	}
	return View(ctx, l, func(tx kv.Tx) (string, error) {
		rec, err := readImport(tx, r.Import)
		if err != nil || rec.Session == "" {
			return "", err
		}
		s, err := sessions.Get(tx, rec.Session)
		return s.Tree, err
	})
}

// batchDigest identifies a batch by its position in the source and by its originals.
func batchDigest(r ledger.AppendEntriesRequest, ready []*prepared) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %d %d %d %q %v\n", r.Import, r.Offset, r.Next, r.Line, r.Check, r.Done)
	for _, p := range ready {
		_, _ = io.WriteString(sum, p.digest) // a hash takes everything
	}
	return hex.EncodeToString(sum.Sum(nil)[:digestLen])
}

// checkBatch refuses a batch beyond the documented limits.
func checkBatch(r ledger.AppendEntriesRequest) error {
	const op = "engine.append"
	if len(r.Entries) > limits.AppendCount {
		return fault.New(fault.TooLarge, op, "%d entries in one batch, more than %d", len(r.Entries),
			limits.AppendCount)
	}
	size := 0
	for _, e := range r.Entries {
		if len(e.Original) > limits.EntryInline {
			return fault.New(fault.TooLarge, op, "an original of %d bytes, more than %d", len(e.Original),
				limits.EntryInline).
				WithHint("store it with PutBlob and refer to it")
		}
		size += len(e.Original)
	}
	if size > limits.AppendBatch+limits.EntryInline {
		return fault.New(fault.TooLarge, op, "originals of %d bytes in one batch, more than %d", size,
			limits.AppendBatch)
	}
	if r.Next < r.Offset {
		return fault.New(fault.Invalid, op, "the batch ends at offset %d, before its start at %d", r.Next, r.Offset)
	}
	if len(r.Key) > maxKey {
		return keyTooLong(op, r.Key)
	}
	return CheckTexts(op, Label("check", r.Check), Text("host", r.Session.Host, maxHostID),
		Text("host's session id", r.Session.HostID, maxHostID),
		Text("host's parent session id", r.StartedBy, maxHostID),
		Label("parent session", r.Session.Parent), Label("continued session", r.Session.Continues))
}

// maxHostID bounds a host's id of a session, in bytes: the id is part of keys.
const maxHostID = 200

// errEarly marks the error for a batch that arrived before its predecessor.
var errEarly = errors.New("the previous batch has not arrived yet")

// appendBatch writes one batch of an import.
func (l *Ledger) appendBatch(tx kv.Tx, r ledger.AppendEntriesRequest, ready []*prepared,
	m Mutation) (ledger.AppendEntriesResponse, []ledger.Event, error) {
	var zero ledger.AppendEntriesResponse
	st, err := readImport(tx, r.Import)
	if err != nil {
		return zero, nil, err
	}
	if resp, done, err := st.answered(m); done || err != nil {
		return resp, nil, err
	}
	if r.Again {
		return l.appendAgain(tx, st, r)
	}
	if st.Offset != r.Offset {
		e := fault.New(fault.Conflict, "engine.append", "the import is at offset %d, not at %d", st.Offset,
			r.Offset)
		if st.Offset < r.Offset {
			e.Err = errEarly
		}
		return zero, nil, e.WithHint("ask for ImportState and continue from there")
	}
	s, err := l.importSession(tx, st.ImportState, r)
	if err != nil {
		return zero, nil, err
	}
	if ready, err = st.unseen(tx, s, ready); err != nil {
		return zero, nil, err
	}
	known := len(r.Entries) - len(ready)
	ready, forked, err := l.copied(tx, &s, ready)
	if err != nil {
		return zero, nil, err
	}
	rec := l.recorder(tx, &s, m.At)
	if err := rec.recordAll(ready); err != nil {
		return zero, nil, err
	}
	appeared := s.Pending && r.Done
	s.Pending = s.Pending && !r.Done
	if err := sessions.Save(tx, s); err != nil {
		return zero, nil, err
	}
	resp := ledger.AppendEntriesResponse{Session: s.ID, Seq: s.Seq, Known: known}
	st.took(r, m, resp)
	events := rec.events(len(ready), appeared)
	if forked {
		events = append(events, ledger.Event{Kind: ledger.EventForked, Session: s.ID, Entry: s.Seq,
			Detail: "it shares its beginning with session " + s.Fork.Session})
	}
	return resp, events, st.save(tx)
}

// appendAgain starts an import over, and reports that.
func (l *Ledger) appendAgain(tx kv.Tx, st ImportRecord,
	r ledger.AppendEntriesRequest) (ledger.AppendEntriesResponse, []ledger.Event, error) {
	var zero ledger.AppendEntriesResponse
	s, err := sessions.Get(tx, st.Session)
	if err == nil {
		err = l.startOver(tx, &st, &s, r)
	}
	if err = cmp.Or(err, sessions.Save(tx, s), st.save(tx)); err != nil {
		return zero, nil, err
	}
	event := ledger.Event{Kind: ledger.EventRewritten, Session: s.ID, Entry: s.Seq,
		Detail: "its file was rewritten; what is new in it follows"}
	return ledger.AppendEntriesResponse{Session: s.ID, Seq: s.Seq}, []ledger.Event{event}, nil
}

// save writes the record of an import.
func (rec ImportRecord) save(tx kv.Tx) error {
	return kv.PutJSON(tx, BucketImports, []byte(rec.Import), rec)
}

// importSession returns the session of an import: its own, that of the same conversation of the host, or a new one, with what
// the host has reported since.
func (l *Ledger) importSession(tx kv.Tx, st ledger.ImportState,
	r ledger.AppendEntriesRequest) (s sessions.Session, err error) {
	found := st.Session != ""
	if found {
		s, err = sessions.Get(tx, st.Session)
	} else if r.Session.HostID != "" {
		s, found, err = sessions.OfHost(tx, r.Session.Host, r.Session.HostID)
	}
	if err == nil && !found {
		s, err = sessions.Create(tx, sessions.Session{
			Host: r.Session.Host, HostID: r.Session.HostID, Pending: true, Model: l.maskedLabel(r.Session.Model),
		}, r.Import)
	}
	if err == nil {
		err = l.describe(tx, &s, r)
	}
	return s, err
}

// describe fills in what is not known of the session of an import yet.
func (l *Ledger) describe(tx kv.Tx, s *sessions.Session, r ledger.AppendEntriesRequest) error {
	from := r.Session
	if s.Title == "" && s.Forgotten == nil { // the first request, which was forgotten
		old := sessions.Session{} // which tells the task: one that continues it begins somewhere in it
		if from.Continues != "" {
			var err error
			if old, err = sessions.Get(tx, from.Continues); err != nil && !fault.Is(err, fault.NotFound) {
				return err
			}
		}
		s.Title = l.MaskedTitle(cmp.Or(old.Title, from.Title))
	}
	s.Continues = cmp.Or(s.Continues, from.Continues)
	if s.Dir == "" {
		s.Dir, s.Tree = dirOf(from), from.Tree
	}
	// The files of a session and of its subagents are read in any order. The one that is not recorded yet stays unlisted
	// until its own file is read.
	if s.Parent = cmp.Or(s.Parent, from.Parent); s.Parent == "" && r.StartedBy != "" && r.StartedBy != s.HostID {
		parent, err := l.live(tx, ledger.LiveSession{Host: s.Host, HostID: r.StartedBy}, "")
		if err != nil {
			return err
		}
		s.Parent = parent.ID
	}
	return nil
}

// dirOf returns the host's working directory, "" for one that is too long for a path.
func dirOf(s sessions.Session) string {
	if len(s.Dir) > attribution.MaxPath {
		return ""
	}
	return s.Dir
}

// events returns the events of what a recorder wrote: count entries, or none if only the visible part of the session
// changed.
func (rec *recorder) events(count int, seen bool) []ledger.Event {
	var out []ledger.Event
	if count > 0 || seen {
		out = append(out, ledger.Event{Kind: ledger.EventEntries, Session: rec.session.ID, Entry: rec.session.Seq,
			Count: count})
	}
	if rec.files.Changed > 0 {
		out = append(out, ledger.Event{Kind: ledger.EventChange, Session: rec.session.ID, Entry: rec.session.Seq,
			Count: rec.files.Changed})
	}
	return out
}

// overtaken is how long a batch waits for its predecessor, which its client has sent earlier.
const overtaken = time.Second

// await waits until an import has reached an offset, because the batches of one client may arrive out of order. If the
// import does not reach it, the transaction refuses the batch.
func (l *Ledger) await(ctx context.Context, id string, offset int64) error {
	var timer *time.Timer
	for {
		bell := l.nextBell() // before reading, so that no commit slips between
		st, err := View(ctx, l, func(tx kv.Tx) (ImportRecord, error) { return readImport(tx, id) })
		if err != nil || st.Offset >= offset {
			return err
		}
		if timer == nil {
			timer = time.NewTimer(overtaken)
			defer timer.Stop()
		}
		select {
		case <-bell:
		case <-timer.C:
			return nil
		case <-l.closed:
			return nil // the transaction returns the error
		case <-ctx.Done():
			return fault.Wrap(fault.Unavailable, "engine.append", ctx.Err())
		}
	}
}
