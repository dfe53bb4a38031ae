package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

func TestALedgerKeepsMemoriesOfItsOwnScope(t *testing.T) {
	for root, scope := range map[string]memory.Scope{"/w": memory.Project, "": memory.User} {
		other := map[memory.Scope]memory.Scope{memory.Project: memory.User, memory.User: memory.Project}[scope]
		l, c := openIn(t, t.TempDir(), root)
		for _, asked := range []memory.Scope{"", scope} {
			r := fact("", fmt.Sprint("m", asked))
			r.Scope = asked
			e, err := l.SaveMemory(t.Context(), r)
			if err != nil || e.Scope != scope || e.GUID == "" || !e.Created.Equal(c.now) || !e.Updated.Equal(c.now) {
				t.Errorf("root %q, scope %q: %+v, %v", root, asked, e, err)
			}
			if m, err := l.Memory(t.Context(), ledger.MemoryRequest{Name: e.Name, Scope: asked}); err != nil || m != e {
				t.Errorf("root %q, scope %q: %+v, %v", root, asked, m, err)
			}
		}
		r := fact("", "x")
		r.Scope = other
		_, err := l.SaveMemory(t.Context(), r)
		wantCode(t, err, fault.Invalid)
		_, err = l.Memories(t.Context(), ledger.MemoriesRequest{Scope: other})
		wantCode(t, err, fault.Invalid)
		_, err = l.Memory(t.Context(), ledger.MemoryRequest{Name: "m", Scope: other})
		wantCode(t, err, fault.Invalid)
		_, err = l.DeleteMemory(t.Context(), ledger.DeleteMemoryRequest{Name: "m", Scope: other})
		wantCode(t, err, fault.Invalid)
	}
}

func TestSavingWhatIsSavedIsNoChange(t *testing.T) {
	l, c := openIn(t, t.TempDir(), "/w")
	first, err := l.SaveMemory(t.Context(), fact("", "port"))
	if err != nil {
		t.Fatal(err)
	}
	before := newest(t, l)
	c.now = c.now.Add(time.Hour)
	again, err := l.SaveMemory(t.Context(), fact("", "port"))
	if err != nil || again != first || newest(t, l) != before {
		t.Errorf("got %+v of %+v, %v", again, first, err)
	}
}

func TestMemoryPagesJoinAndFitAFrame(t *testing.T) {
	volume(t)
	l := open(t)
	const total = 900
	for i := range total {
		r := fact("", fmt.Sprintf("fact %03d", i))
		r.Entry.Body = strings.Repeat("x", limits.MemoryBody)
		if _, err := l.SaveMemory(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range []ledger.MemoriesRequest{{}, {Body: true}, {Limit: 7}, {Limit: 1 << 40, Body: true}} {
		seen := 0
		for {
			page, err := l.Memories(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if raw := asJSON(t, page); len(raw) > limits.Frame {
				t.Fatalf("%+v: a page of %d bytes", r, len(raw))
			}
			for _, e := range page.Entries {
				if want := fmt.Sprintf("fact %03d", seen); e.Name != want || (e.Body != "") != r.Body {
					t.Fatalf("%+v: %s, want %s", r, e.Name, want)
				}
				seen++
			}
			if r.After = page.Next; r.After == "" {
				break
			}
		}
		if seen != total {
			t.Errorf("%+v: %d memories", r, seen)
		}
	}
	found, err := l.Memories(t.Context(), ledger.MemoriesRequest{Query: "fact 007"})
	if err != nil || len(found.Entries) != 5 || found.Entries[0].Name != "fact 007" {
		t.Errorf("a query: %+v, %v", found, err)
	}
	_, err = l.Memories(t.Context(), ledger.MemoriesRequest{Query: strings.Repeat("x", 5000)})
	wantCode(t, err, fault.TooLarge)
}
