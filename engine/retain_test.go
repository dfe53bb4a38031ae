package engine_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/transcript"
)

const day = 24 * time.Hour

// aged opens a ledger with n sessions, a day between them, and returns their ids, oldest first. The
// present is ten days after the newest.
func aged(t *testing.T, n int) (*engine.Local, *clock, []string) {
	t.Helper()
	l, c := openIn(t, t.TempDir(), "/w")
	var ids []string
	for i := range n {
		messages := secretResult(fmt.Sprint("call-", i), fmt.Sprintf("session-%d-text", i))
		ids = append(ids, hand(t, l, ledger.AppendMessagesRequest{Messages: messages}).Session)
		c.now = c.now.Add(day)
	}
	c.now = c.now.Add(9 * day)
	return l, c, ids
}

func retain(t *testing.T, l *engine.Local, r ledger.RetainRequest) ledger.Retention {
	t.Helper()
	out, err := l.Retain(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// names returns the sessions that are due.
func names(r ledger.Retention) (ids []string) {
	for _, s := range r.Due {
		ids = append(ids, s.ID)
	}
	return ids
}

func TestNothingExpiresWithoutAPolicy(t *testing.T) {
	l, c, ids := aged(t, 3)
	c.now = c.now.AddDate(50, 0, 0)
	if r := retain(t, l, ledger.RetainRequest{Apply: true}); r.DueTotal != 0 || r.Policy != nil || r.Expired != nil {
		t.Errorf("%+v", r)
	}
	retain(t, l, ledger.RetainRequest{Set: &ledger.RetentionPolicy{OlderThan: 1}})
	if r := retain(t, l, ledger.RetainRequest{Off: true}); r.Policy != nil || r.DueTotal != 0 {
		t.Errorf("after --off: %+v", r)
	}
	retain(t, l, ledger.RetainRequest{Apply: true})
	for _, id := range ids {
		if len(originals(t, l, id, 0, 0)) < 1000 {
			t.Errorf("session %s is gone", id)
		}
	}
	for _, bad := range []ledger.RetainRequest{{Set: &ledger.RetentionPolicy{}},
		{Set: &ledger.RetentionPolicy{OlderThan: -1}}, {Set: &ledger.RetentionPolicy{MaxSize: 1}, Off: true}} {
		_, err := l.Retain(t.Context(), bad)
		wantCode(t, err, fault.Invalid)
	}
}

func TestOldSessionsExpire(t *testing.T) {
	l, c, ids := aged(t, 4)
	state := stateOf(t, l)
	if _, err := l.SaveMemory(t.Context(),
		ledger.SaveMemoryRequest{Entry: memory.Entry{Name: "old fact", Body: "b"}}); err != nil {
		t.Fatal(err)
	}
	byHand := put(t, l, "put by hand", "kept")
	p := ledger.RetentionPolicy{OlderThan: int64(12 * day / time.Second)}
	// The first two are 13 and 12 days old and a moment, the others younger.
	c.now = c.now.Add(time.Minute)
	if r := retain(t, l, ledger.RetainRequest{Set: &p}); r.Applied || fmt.Sprint(names(r)) != fmt.Sprint(ids[:2]) {
		t.Fatalf("due: %v of %v", names(r), ids)
	}
	if len(originals(t, l, ids[0], 0, 0)) < 1000 {
		t.Fatal("the list alone let it expire")
	}
	r := retain(t, l, ledger.RetainRequest{Apply: true})
	if !r.Applied || r.DueTotal != 2 || r.Expired == nil || count(*r.Expired, "artifact") != 2 {
		t.Errorf("%+v", r)
	}
	for i, id := range ids {
		text := originals(t, l, id, 0, 0)
		if gone := i < 2; gone != bytes.Contains(text, []byte("[expired on 2026-12-03 by the retention policy]")) ||
			gone == bytes.Contains(text, []byte("session-")) {
			t.Errorf("session %d: %.300s", i, text)
		}
		if err := transcript.Valid(transcript.Anthropic, render(t, l, id)); err != nil {
			t.Error(err)
		}
	}
	for i := range 4 {
		if hits := rawHits(t, state, fmt.Sprintf("session-%d-text", i)); (i < 2) != (hits == nil) {
			t.Errorf("session %d is in %v", i, hits)
		}
	}
	s, err := l.Session(t.Context(), ledger.SessionRequest{Name: ids[0]})
	if err != nil || s.Forgotten == nil || !s.Expired || s.Title != "" {
		t.Errorf("%+v, %v", s, err)
	}
	_, err = l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: log(t, l, ids[0])[2].ID})
	if !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "expired on 2026-12-03") {
		t.Errorf("its message: %v", err)
	}
	if _, err := l.Memory(t.Context(), ledger.MemoryRequest{Name: "old fact"}); err != nil {
		t.Errorf("a memory expired: %v", err)
	}
	if got := readHandle(t, l, byHand.ID); got != "put by hand" {
		t.Errorf("an artifact put by hand: %q", got)
	}
	// What is gone is not due again; the newest never goes.
	c.now = c.now.AddDate(1, 0, 0)
	if r := retain(t, l, ledger.RetainRequest{}); fmt.Sprint(names(r)) != fmt.Sprint(ids[2:3]) {
		t.Errorf("a year later: %v of %v", names(r), ids)
	}
}

func TestTheOldestExpireUntilTheLedgerFits(t *testing.T) {
	inFiles(t)
	l, c, ids := aged(t, 4)
	all := retain(t, l, ledger.RetainRequest{Set: &ledger.RetentionPolicy{MaxSize: 1}})
	if fmt.Sprint(names(all)) != fmt.Sprint(ids[:3]) { // all but the newest
		t.Fatalf("due: %v of %v", names(all), ids)
	}
	one := all.Due[0].Log + all.Due[0].Blobs.Disk
	r := retain(t, l, ledger.RetainRequest{Set: &ledger.RetentionPolicy{MaxSize: all.Size - 1}})
	if fmt.Sprint(names(r)) != fmt.Sprint(ids[:1]) {
		t.Errorf("a byte too much: %v", names(r))
	}
	r = retain(t, l, ledger.RetainRequest{Set: &ledger.RetentionPolicy{MaxSize: all.Size - one - 1}})
	if fmt.Sprint(names(r)) != fmt.Sprint(ids[:2]) {
		t.Errorf("a session too much: %v", names(r))
	}
	if r := retain(t, l, ledger.RetainRequest{Set: &ledger.RetentionPolicy{MaxSize: all.Size}}); r.DueTotal != 0 {
		t.Errorf("it fits: %v", names(r))
	}
	// A session that continues is not due.
	hand(t, l, ledger.AppendMessagesRequest{Session: ids[0], Since: true, Messages: say("And now?")})
	r = retain(t, l, ledger.RetainRequest{Set: &ledger.RetentionPolicy{OlderThan: 1}})
	if fmt.Sprint(names(r)) != fmt.Sprint(ids[1:]) {
		t.Errorf("while the first is active: %v of %v", names(r), ids)
	}
	c.now = c.now.Add(time.Hour)
}

// TestASessionIsForgottenAsAWhole: its messages, what was made of them, and the artifacts that no other
// session holds.
func TestASessionIsForgottenAsAWhole(t *testing.T) {
	state := t.TempDir()
	l, _ := openIn(t, state, "/w")
	session, own := plant(t, l, planted)
	shared := secretResult("shared", "shared-by-two")
	other := hand(t, l, ledger.AppendMessagesRequest{Messages: shared}).Session
	both := only(t, l, other)
	hand(t, l, ledger.AppendMessagesRequest{Session: session, Since: true, Messages: shared})
	f, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: session})
	if err != nil || count(f, "message") == 0 || count(f, "artifact") != 1 || count(f, "summary") != 1 ||
		fmt.Sprint(f.Sessions) != fmt.Sprint([]string{session}) {
		t.Fatalf("%+v, %v", f, err)
	}
	if err := transcript.Valid(transcript.Anthropic, render(t, l, session)); err != nil {
		t.Error(err)
	}
	for i, line := range linesOf(originals(t, l, session, 0, 0)) {
		if !bytes.Contains(line, []byte("[forgotten on 2026-11-20 on request]")) {
			t.Errorf("original %d: %.200s", i, line)
		}
	}
	if _, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: own}); !fault.Is(err, fault.NotFound) {
		t.Errorf("its artifact: %v", err)
	}
	if !strings.Contains(readHandle(t, l, both.ID), "shared-by-two") {
		t.Error("the other session's artifact is gone")
	}
	c, err := l.Changes(t.Context(), ledger.ChangesRequest{Session: session})
	if err != nil || len(c.Changes) != 1 || c.Changes[0].Path != "[forgotten on 2026-11-20]" {
		t.Errorf("its changes: %+v, %v", c.Changes, err)
	}
	for _, word := range []string{"deploy --key", "The first deployment is finished",
		"harmless content that is not its own"} {
		if hits := rawHits(t, state, word); hits != nil {
			t.Errorf("%q is in %v", word, hits)
		}
	}
	// It can continue, and be forgotten by a message.
	hand(t, l, ledger.AppendMessagesRequest{Session: session, Since: true,
		Messages: say("A new request.", "An answer.")})
	entries := log(t, l, session)
	if f, err = l.Forget(t.Context(), ledger.ForgetRequest{Handle: entries[len(entries)-2].ID}); err != nil ||
		count(f, "message") != 1 {
		t.Errorf("one message: %+v, %v", f, err)
	}
	if text := string(originals(t, l, session, 0, 0)); strings.Contains(text, "A new request.") ||
		!strings.Contains(text, "An answer.") {
		t.Error("the wrong message is gone")
	}
	_, err = l.Forget(t.Context(), ledger.ForgetRequest{Handle: "no such thing"})
	wantCode(t, err, fault.NotFound)
	_, err = l.Forget(t.Context(), ledger.ForgetRequest{Handle: session, Text: planted})
	wantCode(t, err, fault.Invalid)
	_, err = l.Forget(t.Context(), ledger.ForgetRequest{Text: "short"})
	wantCode(t, err, fault.Invalid)
}

// TestAPolicyIsTried: what would be due by it is listed, and neither a policy is set nor anything expires.
func TestAPolicyIsTried(t *testing.T) {
	l, c, ids := aged(t, 4)
	state := stateOf(t, l)
	c.now = c.now.Add(time.Minute)
	before := contents(t, state)
	p := ledger.RetentionPolicy{OlderThan: int64(12 * day / time.Second)}
	r := retain(t, l, ledger.RetainRequest{Try: &p})
	if r.Applied || r.Policy == nil || fmt.Sprint(names(r)) != fmt.Sprint(ids[:2]) {
		t.Errorf("%+v", r)
	}
	if !reflect.DeepEqual(contents(t, state), before) {
		t.Error("trying changed the files of the ledger")
	}
	if r := retain(t, l, ledger.RetainRequest{}); r.Policy != nil {
		t.Errorf("the policy that was tried is set: %+v", r)
	}
	for _, bad := range []ledger.RetainRequest{{Try: &ledger.RetentionPolicy{}}, {Try: &p, Apply: true},
		{Try: &p, Set: &p}, {Try: &p, Off: true}} {
		_, err := l.Retain(t.Context(), bad)
		wantCode(t, err, fault.Invalid)
	}
}
