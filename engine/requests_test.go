package engine_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// note records a measured request of a session that its host names.
func note(t *testing.T, l *engine.Local, id string, q ledger.ModelRequest) ledger.ModelRequest {
	t.Helper()
	q.Dialect, q.At, q.Status = "anthropic", time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC), 200
	got, err := l.NoteRequest(t.Context(), ledger.NoteRequestRequest{
		LiveSession: ledger.LiveSession{Host: "claude-code", HostID: id}, Request: q})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestMeasuredRequestsAreSummedUp, of a session that is not recorded yet and of all, and pages have every one.
func TestMeasuredRequestsAreSummedUp(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	const n = 20
	var session string
	for i := range n {
		q := ledger.ModelRequest{FirstMS: int64(i), Usage: sessions.Usage{Input: 10, CacheRead: int64(i % 2 * 90)},
			Bill: sessions.Bill{{Model: "claude-sonnet-4-5", Usage: sessions.Usage{Input: 1_000_000}}}}
		if i == 3 || i == 7 {
			q.Cache = ledger.CacheUse{Outcome: ledger.CacheChanged, Lost: 5_000, Item: fmt.Sprint("tool ", i)}
		}
		if i == 0 {
			q.Tools = []ledger.ServerTools{{Tools: 2, Tokens: 10}, {Server: "db", Tools: 1, Tokens: 40}}
		}
		if i == 9 {
			q.Cut, q.Missed, q.MissedWhy = true, 3, "it was late"
		}
		got := note(t, l, "s1", q)
		if session = got.Session; got.Seq != int64(i+1) {
			t.Fatalf("request %d is number %d", i, got.Seq)
		}
	}
	note(t, l, "s2", ledger.ModelRequest{})
	var seqs []int64
	for r := (ledger.RequestsRequest{Session: session, Limit: 7}); ; {
		page, err := l.Requests(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range page.Requests {
			seqs = append(seqs, q.Seq)
		}
		if r.From = page.Next; r.From == 0 {
			break
		}
	}
	if len(seqs) != n || !slices.IsSorted(seqs) {
		t.Errorf("pages have %v", seqs)
	}
	st, err := l.Status(t.Context(), ledger.StatusRequest{Session: session})
	if err != nil {
		t.Fatal(err)
	}
	u := st.Proxy
	if u.Sessions != 1 || u.Requests != n || u.Failed != 1 || u.Hits != n/2 || u.Breaks != 2 || u.Lost != 10_000 ||
		u.FirstMS != n/2 || u.Missed != 3 || u.MissedWhy != "it was late" || u.Usage.Input != 10*n ||
		u.Cost.Dollars == nil || len(u.Broke) != 2 || u.Broke[0].Item != "tool 7" || u.Tools[0].Server != "db" {
		t.Errorf("%+v", u)
	}
	all, err := l.Requests(t.Context(), ledger.RequestsRequest{})
	use := all.Use
	if err != nil || use.Requests != n+1 || use.Sessions != 2 || len(all.Requests) != 0 || use.Tools != nil {
		t.Errorf("%+v, %v", use, err)
	}
}

// TestWhatSmallerRequestsSaved: the tokens that were left out, as reads from the cache, without what a step rewrote; a loss is
// one, and of a model without a price nothing is claimed.
func TestWhatSmallerRequestsSaved(t *testing.T) {
	const price = 3.0 / 1e6 // of a token of input; reads are a tenth of it, writes a quarter more
	for _, c := range []struct {
		name, model string
		tokens      int
		lost        int64
		net         float64
	}{
		{"it saved", "claude-sonnet-4-5", 100_000, 4_000, (2*100_000*0.1 - 4_000*1.15) * price},
		{"it cost", "claude-sonnet-4-5", 1_000, 50_000, (2*1_000*0.1 - 50_000*1.15) * price},
		{"no price", "mine", 1_000, 50_000, -1},
	} {
		l, _ := openIn(t, t.TempDir(), "/w")
		changed := ledger.CacheUse{Outcome: ledger.CacheChanged, Lost: 7} // by the agent
		note(t, l, "s", ledger.ModelRequest{Model: c.model, Cache: changed})
		note(t, l, "s", ledger.ModelRequest{Model: c.model, Reduced: &ledger.Reduced{Tokens: c.tokens}})
		q := note(t, l, "s", ledger.ModelRequest{Model: c.model, Reduced: &ledger.Reduced{Tokens: c.tokens, Step: true},
			Cache: ledger.CacheUse{Outcome: ledger.CacheReduced, Lost: c.lost}})
		st, err := l.Status(t.Context(), ledger.StatusRequest{Session: q.Session})
		if err != nil {
			t.Fatal(err)
		}
		u := st.Proxy.Reduced
		if u == nil || u.Requests != 2 || u.Steps != 1 || u.Tokens != int64(2*c.tokens) || u.Rewritten != c.lost {
			t.Fatalf("%s: %+v", c.name, u)
		}
		if c.model == "mine" && u.Net != nil || c.model != "mine" && (u.Net == nil || math.Abs(*u.Net-c.net) > 1e-9) {
			t.Errorf("%s: %+v, want %v", c.name, u, c.net)
		}
	}
}

// TestWhatNoProxyMeasuresIsRefused.
func TestWhatNoProxyMeasuresIsRefused(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	live := ledger.LiveSession{Host: "h", HostID: "s"}
	ok := ledger.ModelRequest{Dialect: "chat", At: time.Now()}
	with := func(edit func(*ledger.ModelRequest)) ledger.ModelRequest { q := ok; edit(&q); return q }
	long := []ledger.RequestItem{{Digest: strings.Repeat("x", 100)}}
	for name, c := range map[string]struct {
		live ledger.LiveSession
		q    ledger.ModelRequest
		code fault.Code
	}{
		"no session":       {ledger.LiveSession{}, ok, fault.Invalid},
		"an unknown one":   {ledger.LiveSession{Session: "beef"}, ok, fault.NotFound},
		"no dialect":       {live, with(func(q *ledger.ModelRequest) { q.Dialect = "" }), fault.Invalid},
		"a negative time":  {live, with(func(q *ledger.ModelRequest) { q.TookMS = -1 }), fault.Invalid},
		"a digest of text": {live, with(func(q *ledger.ModelRequest) { q.New = long }), fault.TooLarge},
		"too many calls": {live, with(func(q *ledger.ModelRequest) {
			q.Reduced = &ledger.Reduced{Whole: make([]string, ledger.MaxWhole+1)}
		}), fault.TooLarge},
		"too many items": {live, with(func(q *ledger.ModelRequest) {
			q.New = make([]ledger.RequestItem, ledger.MaxRequestItems+1)
		}), fault.TooLarge},
	} {
		r := ledger.NoteRequestRequest{LiveSession: c.live, Request: c.q}
		if _, err := l.NoteRequest(t.Context(), r); fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWhereTheViewIsSentCtxledgerCompacts: `status` and the editor named the limit of the host behind a proxy that reduces its
// requests, and `context` ours.
func TestWhereTheViewIsSentCtxledgerCompacts(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	for _, c := range []struct {
		name string
		q    ledger.ModelRequest
		ours bool
	}{
		{"as they are", ledger.ModelRequest{}, false},
		{"reduced", ledger.ModelRequest{Reduces: true}, true},
		{"a subagent's request is not", ledger.ModelRequest{Agent: "sub"}, true},
		{"no longer reduced", ledger.ModelRequest{}, false},
	} {
		session := note(t, l, "s1", c.q).Session
		for _, brief := range []bool{false, true} {
			st, err := l.Status(t.Context(), ledger.StatusRequest{Session: session, Brief: brief})
			ours := st.CompactsFrom == ledger.CompactsView && st.CompactsAt == st.Threshold && st.CompactsAt > 0
			if err != nil || ours != c.ours || !c.ours && st.CompactsAt != 0 || !brief && st.Sends != c.ours {
				t.Errorf("%s, brief %v: at %d of %d, %s, %v", c.name, brief, st.CompactsAt, st.Threshold,
					st.CompactsFrom, err)
			}
		}
	}
}

// TestMeasuredRequestsAreForgotten with their session, and a text in their names.
func TestMeasuredRequestsAreForgotten(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	const word = "zanzibar-tool"
	q := ledger.ModelRequest{Model: word, New: []ledger.RequestItem{{Kind: ledger.ItemTool, Name: word, Digest: "00"}},
		Tools: []ledger.ServerTools{{Server: word}}, Cache: ledger.CacheUse{Item: "tool " + word, By: word},
		Bill: sessions.Bill{{Model: word}}}
	a, b := note(t, l, "s1", q).Session, note(t, l, "s2", q).Session
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: a}); err != nil {
		t.Fatal(err)
	}
	if page, err := l.Requests(t.Context(), ledger.RequestsRequest{Session: a}); err != nil || len(page.Requests) != 0 {
		t.Errorf("%+v, %v", page, err)
	}
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Text: word}); err != nil {
		t.Fatal(err)
	}
	page, err := l.Requests(t.Context(), ledger.RequestsRequest{Session: b})
	if err != nil || len(page.Requests) != 1 || strings.Contains(fmt.Sprintf("%+v", page.Requests), word) {
		t.Errorf("%+v, %v", page, err)
	}
}
