package agents

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"sync"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// recorder is a ledger in memory that keeps the contract of Ledger: batches follow each other
// without a gap, limits hold, an original or a blob for each entry. The end-to-end tests with
// the real ledger are those of the commands.
type recorder struct {
	t testing.TB

	mu      sync.Mutex // guards what follows
	imports map[string]ledger.ImportState
	batches []ledger.AppendEntriesRequest
	blobs   map[string][]byte
	fail    func(ledger.AppendEntriesRequest) error // answers before anything is appended
	failed  bool                                    // whether it has
	again   int                                     // how often an import began again
	turn    *sync.Cond                              // on mu; an import has moved on

	appended chan ledger.AppendEntriesRequest // each batch, if not nil
}

func newRecorder(t testing.TB) *recorder {
	r := &recorder{t: t, imports: map[string]ledger.ImportState{}, blobs: map[string][]byte{}}
	r.turn = sync.NewCond(&r.mu)
	return r
}

func (r *recorder) ImportState(_ context.Context, q ledger.ImportStateRequest) (ledger.ImportState, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	st := r.imports[q.Import]
	st.Import = q.Import
	return st, nil
}

func (r *recorder) AppendEntries(ctx context.Context,
	q ledger.AppendEntriesRequest) (ledger.AppendEntriesResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.await(ctx, q)
	if r.fail != nil {
		if err := r.fail(q); err != nil {
			r.failed = true
			r.turn.Broadcast()
			return ledger.AppendEntriesResponse{}, err
		}
	}
	st := r.imports[q.Import]
	if st.Offset != q.Offset {
		return ledger.AppendEntriesResponse{},
			fault.New(fault.Conflict, "test", "the import stands at %d, not at %d", st.Offset, q.Offset)
	}
	session := "s-" + q.Session.HostID
	defer r.turn.Broadcast()
	if q.Again {
		r.again++
		r.imports[q.Import] = ledger.ImportState{Import: q.Import, Session: session}
		return ledger.AppendEntriesResponse{Session: session}, nil
	}
	r.inspect(q)
	r.imports[q.Import] = ledger.ImportState{Import: q.Import, Session: session, Offset: q.Next, Line: q.Line,
		Check: q.Check}
	r.batches = append(r.batches, q)
	if r.appended != nil {
		r.appended <- q
	}
	return ledger.AppendEntriesResponse{Session: session}, nil
}

// await waits for the batch before q, which may be on its way, unless one has failed.
func (r *recorder) await(ctx context.Context, q ledger.AppendEntriesRequest) {
	defer context.AfterFunc(ctx, r.turn.Broadcast)()
	for r.imports[q.Import].Offset < q.Offset && !r.failed && ctx.Err() == nil {
		r.turn.Wait()
	}
}

// inspect checks what a batch promises.
func (r *recorder) inspect(q ledger.AppendEntriesRequest) {
	size := 0
	for _, e := range q.Entries {
		size += len(e.Original)
		if (len(e.Original) > 0) == (e.Blob != "") {
			r.t.Errorf("entry %q has %d bytes and blob %q: exactly one is allowed", e.HostID, len(e.Original), e.Blob)
		}
		if len(e.Original) > limits.EntryInline {
			r.t.Errorf("an original of %d bytes is inline", len(e.Original))
		}
		if e.Blob != "" && r.blobs[e.Blob] == nil {
			r.t.Errorf("entry names a blob that was not stored")
		}
	}
	if size > limits.AppendBatch || len(q.Entries) > limits.AppendCount {
		r.t.Errorf("batch of %d bytes and %d entries", size, len(q.Entries))
	}
	if q.Next <= q.Offset {
		r.t.Errorf("batch from %d to %d", q.Offset, q.Next)
	}
}

func (r *recorder) PutBlob(_ context.Context, content io.Reader) (kv.BlobRef, error) {
	raw, err := io.ReadAll(content)
	if err != nil {
		return kv.BlobRef{}, err
	}
	sum := sha256.Sum256(raw)
	ref := kv.BlobRef{Hash: hex.EncodeToString(sum[:]), Size: int64(len(raw)),
		Lines: int64(bytes.Count(raw, []byte("\n")))}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.blobs[ref.Hash] = raw
	return ref, nil
}

// entries returns everything that was appended, in order.
func (r *recorder) entries() []sessions.NewEntry {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []sessions.NewEntry
	for _, b := range r.batches {
		all = append(all, b.Entries...)
	}
	return all
}

// original returns the bytes of an entry, wherever they are.
func (r *recorder) original(e sessions.NewEntry) []byte {
	if e.Blob == "" {
		return e.Original
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.blobs[e.Blob]
}
