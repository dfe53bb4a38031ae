package engine_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// mutator is one mutating request: sent with a key, and another one under the same key.
type mutator struct {
	name  string
	call  func(key string) (any, error)
	other func(key string) (any, error)
	apart bool // its keys are kept apart from those of the others
}

// anyOf makes a mutator's call of a method of the API.
func anyOf[Q, R any](ctx context.Context, method func(context.Context, Q) (R, error),
	request func(key string) Q) func(string) (any, error) {
	return func(key string) (any, error) { return method(ctx, request(key)) }
}

// mutators prepares a ledger and returns every mutating request on it.
func mutators(t *testing.T, l *engine.Local) []mutator {
	t.Helper()
	ctx := t.Context()
	imported := shop(t, l)
	content, err := l.PutBlob(ctx, strings.NewReader("some content"))
	if err != nil {
		t.Fatal(err)
	}
	forget, err := l.PutBlob(ctx, strings.NewReader("to be forgotten"))
	if err != nil {
		t.Fatal(err)
	}
	gone, err := l.PutArtifact(ctx, ledger.PutArtifactRequest{Blob: forget.Hash})
	if err != nil {
		t.Fatal(err)
	}
	restored := hand(t, l, ledger.AppendMessagesRequest{Messages: long(30)}).Session
	summary := compact(t, l, restored, compaction.Options{Keep: 2}).Summary.ID
	plan, err := l.PlanCompaction(ctx, ledger.PlanCompactionRequest{Session: imported})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.SaveMemory(ctx, fact("", "doomed")); err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{"before", ""} {
		r := fact("", "changed")
		r.Body = cmp.Or(body, r.Body)
		if _, err := l.SaveMemory(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	entries := func(text string) func(string) ledger.AppendEntriesRequest {
		return func(key string) ledger.AppendEntriesRequest {
			return ledger.AppendEntriesRequest{
				Mutation: ledger.Mutation{Key: key}, Import: "i", Session: sessions.Session{Host: "h", HostID: "i"},
				Next: 1, Done: true,
				Entries: []sessions.NewEntry{{Kind: sessions.KindMessage, Format: transcript.Anthropic,
					Original: raw(`{"role":"user","content":%q}`, text)}},
			}
		}
	}
	messages := func(letters string) func(string) ledger.AppendMessagesRequest {
		return func(key string) ledger.AppendMessagesRequest {
			return ledger.AppendMessagesRequest{Mutation: ledger.Mutation{Key: key}, Format: transcript.Anthropic,
				Messages: spell(letters)}
		}
	}
	accept := func(reason string) func(string) ledger.AcceptCompactionRequest {
		return func(key string) ledger.AcceptCompactionRequest {
			r := ledger.PlanCompactionRequest{Session: imported}
			r.Options.Reason = reason
			return ledger.AcceptCompactionRequest{Mutation: ledger.Mutation{Key: key}, PlanCompactionRequest: r,
				Position: plan.Position}
		}
	}
	put := func(title string) func(string) ledger.PutArtifactRequest {
		return func(key string) ledger.PutArtifactRequest {
			return ledger.PutArtifactRequest{Mutation: ledger.Mutation{Key: key}, Blob: content.Hash, Title: title}
		}
	}
	restore := func(id string) func(string) ledger.RestoreRequest {
		return func(key string) ledger.RestoreRequest {
			return ledger.RestoreRequest{Mutation: ledger.Mutation{Key: key}, ID: id}
		}
	}
	forgets := func(id string) func(string) ledger.ForgetRequest {
		return func(key string) ledger.ForgetRequest {
			return ledger.ForgetRequest{Mutation: ledger.Mutation{Key: key}, Handle: id}
		}
	}
	save := func(name string) func(string) ledger.SaveMemoryRequest {
		return func(key string) ledger.SaveMemoryRequest { return fact(key, name) }
	}
	remove := func(name string) func(string) ledger.DeleteMemoryRequest {
		return func(key string) ledger.DeleteMemoryRequest {
			return ledger.DeleteMemoryRequest{Mutation: ledger.Mutation{Key: key}, Name: name}
		}
	}
	undo := func(name string) func(string) ledger.RestoreMemoryRequest {
		return func(key string) ledger.RestoreMemoryRequest {
			return ledger.RestoreMemoryRequest{Mutation: ledger.Mutation{Key: key}, Name: name}
		}
	}
	overflows := func(body string) func(string) ledger.OverflowRequest {
		return func(key string) ledger.OverflowRequest {
			return ledger.OverflowRequest{Mutation: ledger.Mutation{Key: key}, Session: restored, Body: []byte(body)}
		}
	}
	trims := func(stage int) func(string) ledger.NoteTrimRequest {
		return func(key string) ledger.NoteTrimRequest {
			return ledger.NoteTrimRequest{Mutation: ledger.Mutation{Key: key}, Session: restored,
				RequestTrimmed: ledger.RequestTrimmed{Stage: stage}}
		}
	}
	return []mutator{
		{"AppendEntries", anyOf(ctx, l.AppendEntries, entries("a")), anyOf(ctx, l.AppendEntries, entries("b")), true},
		{"AppendMessages", anyOf(ctx, l.AppendMessages, messages("Xy")), anyOf(ctx, l.AppendMessages, messages("Xz")),
			false},
		{"Overflow", anyOf(ctx, l.Overflow, overflows("prompt is too long")),
			anyOf(ctx, l.Overflow, overflows("too many tokens")), false},
		{"NoteTrim", anyOf(ctx, l.NoteTrim, trims(1)), anyOf(ctx, l.NoteTrim, trims(2)), false},
		{"AcceptCompaction", anyOf(ctx, l.AcceptCompaction, accept("")),
			anyOf(ctx, l.AcceptCompaction, accept("other")), false},
		{"Restore", anyOf(ctx, l.Restore, restore(summary)), anyOf(ctx, l.Restore, restore("0123456789ab")), false},
		{"PutArtifact", anyOf(ctx, l.PutArtifact, put("a")), anyOf(ctx, l.PutArtifact, put("b")), false},
		{"Forget", anyOf(ctx, l.Forget, forgets(gone.ID)), anyOf(ctx, l.Forget, forgets("0123456789ab")), false},
		{"RestoreMemory", anyOf(ctx, l.RestoreMemory, undo("changed")), anyOf(ctx, l.RestoreMemory, undo("other")),
			false},
		{"SaveMemory", anyOf(ctx, l.SaveMemory, save("a")), anyOf(ctx, l.SaveMemory, save("b")), false},
		{"DeleteMemory", anyOf(ctx, l.DeleteMemory, remove("doomed")), anyOf(ctx, l.DeleteMemory, remove("other")),
			false},
	}
}

// fact is a memory to save.
func fact(key, name string) ledger.SaveMemoryRequest {
	return ledger.SaveMemoryRequest{
		Mutation: ledger.Mutation{Key: key},
		Entry:    memory.Entry{Name: name, Description: "a fact", Source: "test", Body: "body of " + name},
	}
}

// newest returns the number of the newest event: it shows whether anything was committed.
func newest(t *testing.T, l *engine.Local) int64 {
	t.Helper()
	info, err := l.Info(t.Context(), ledger.InfoRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return info.Event
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestInvariant8AMutationSentTwiceIsAppliedOnceAndAnsweredTheSame holds for each of them, whatever
// happened in between.
func TestInvariant8AMutationSentTwiceIsAppliedOnceAndAnsweredTheSame(t *testing.T) {
	l := open(t)
	all := mutators(t, l)
	first := map[string][]byte{}
	for _, m := range all {
		before := newest(t, l)
		answer, err := m.call("key of " + m.name)
		if err != nil {
			t.Fatalf("%s: %v", m.name, err)
		}
		first[m.name] = asJSON(t, answer)
		if newest(t, l) == before {
			t.Errorf("%s: no event tells of it", m.name)
		}
	}
	after := newest(t, l)
	for range 2 {
		for _, m := range all {
			answer, err := m.call("key of " + m.name)
			if err != nil {
				t.Fatalf("%s again: %v", m.name, err)
			}
			if got := asJSON(t, answer); !bytes.Equal(got, first[m.name]) {
				t.Errorf("%s again: %.300s, first %.300s", m.name, got, first[m.name])
			}
		}
	}
	for i, m := range all {
		if _, err := m.other("key of " + m.name); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s with another body: %v", m.name, err)
		}
		next := all[(i+1)%len(all)]
		if _, err := m.call("key of " + next.name); !next.apart && !fault.Is(err, fault.Conflict) {
			t.Errorf("%s under the key of another method: %v", m.name, err)
		}
		if _, err := m.call(strings.Repeat("k", 201)); !fault.Is(err, fault.TooLarge) {
			t.Errorf("%s under a key of 201 bytes: %v", m.name, err)
		}
	}
	if got := newest(t, l); got != after {
		t.Errorf("%d events were added by repetitions", got-after)
	}
}

func TestAnswersSurviveReopening(t *testing.T) {
	dir := t.TempDir()
	l, _ := openIn(t, dir, "/w")
	first, err := l.SaveMemory(t.Context(), fact("k", "a"))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l, _ = openIn(t, dir, "/w")
	again, err := l.SaveMemory(t.Context(), fact("k", "a"))
	if err != nil || again != first {
		t.Errorf("%+v, %v; first %+v", again, err, first)
	}
}

func TestAKeyLivesForADay(t *testing.T) {
	l, c := openIn(t, t.TempDir(), "/w")
	for i := range 40 { // more than one mutation sweeps away
		if _, err := l.SaveMemory(t.Context(), fact(fmt.Sprint("k", i), fmt.Sprint("m", i))); err != nil {
			t.Fatal(err)
		}
	}
	c.now = c.now.Add(24 * time.Hour)
	if _, err := l.SaveMemory(t.Context(), fact("k39", "other")); !fault.Is(err, fault.Conflict) {
		t.Errorf("after a day: %v", err)
	}
	c.now = c.now.Add(time.Second)
	// None of them is answered any more, whether it was swept yet or not; each may be used again,
	// and then lives for another day although sweeps continue.
	for i := 39; i >= 0; i-- {
		if _, err := l.SaveMemory(t.Context(), fact(fmt.Sprint("k", i), fmt.Sprint("n", i))); err != nil {
			t.Fatalf("key %d: %v", i, err)
		}
	}
	for i := range 40 {
		if _, err := l.SaveMemory(t.Context(), fact(fmt.Sprint("k", i), "other")); !fault.Is(err, fault.Conflict) {
			t.Fatalf("key %d of today: %v", i, err)
		}
	}
}

// TestAnAnswerNeedsNothingButItsKey: what the request was prepared from may be gone.
func TestAnAnswerNeedsNothingButItsKey(t *testing.T) {
	l := open(t)
	ref, err := l.PutBlob(t.Context(), strings.NewReader(`[{"role":"user","content":"Look."}]`))
	if err != nil {
		t.Fatal(err)
	}
	r := ledger.AppendMessagesRequest{Mutation: ledger.Mutation{Key: "k"}, Format: transcript.Anthropic, Blob: ref.Hash}
	first, err := l.AppendMessages(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.ReadBlob(t.Context(), ledger.ReadBlobRequest{Hash: ref.Hash}); err == nil {
		t.Fatal("the blob is still there")
	}
	again, err := l.AppendMessages(t.Context(), r)
	if err != nil || !bytes.Equal(asJSON(t, again), asJSON(t, first)) {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestARefusedMutationLeavesNoAnswer(t *testing.T) {
	l := open(t)
	bad := fact("k", strings.Repeat("x", 1000))
	if _, err := l.SaveMemory(t.Context(), bad); err == nil {
		t.Fatal("a name of 1,000 characters was taken")
	}
	if _, err := l.SaveMemory(t.Context(), fact("k", "good")); err != nil {
		t.Errorf("the key of a refused request: %v", err)
	}
}
