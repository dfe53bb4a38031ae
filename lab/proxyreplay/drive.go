package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/engine/replay"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/mcp/overhead"
	"ctxledger.dev/proxy"
	"ctxledger.dev/tokens"
)

// policy is a way to send a session.
type policy struct {
	name    string
	proxied bool
	reduce  bool
	edits   string // context_management of each request
	// anywhere is about the provider: see there.
	anywhere bool
	keep     string // the directory that keeps requests and ledgers; "": none
}

// policies are compared; the first is what the others are measured against.
func policies() []policy {
	return []policy{
		{name: "none"}, // with the host's own compactions
		{name: "observe", proxied: true},
		{name: "reduce", proxied: true, reduce: true},
		{name: "reduce*", proxied: true, reduce: true, anywhere: true},
		{name: "clear_tool_uses", edits: `{"edits":[{"type":"` + clearToolUses + `"}]}`},
		{name: "clear_tool_uses*", edits: `{"edits":[{"type":"` + clearToolUses + `"}]}`, anywhere: true},
	}
}

// outcome is what a session cost under a policy.
type outcome struct {
	Policy   string      `json:"policy"`
	Requests int         `json:"requests"`
	Used     tokens.Used `json:"used"`
	Dollars  float64     `json:"dollars"`
	Steps    int         `json:"steps"`  // requests before which something that was sent became another one
	Broken   int         `json:"broken"` // others that do not begin with all of the request before while that is in the cache
	ReadBack int         `json:"read_back"`
	Answers  asking      `json:"answers"`
	Failed   []string    `json:"failed,omitempty"` // why answers were not found
	Whole    int         `json:"whole"`            // results without a stub in requests that large ones have one in
}

// sending is a session under a policy.
type sending struct {
	*messagesOf
	policy
	sized
	provider *provider
	url      string
	versions int // how often its host has changed what precedes the messages
	out      outcome
	before   answered
	reading  *reading
	asks     *questions // nil: nothing is cut
	// changed are the times of requests that do not begin with all of the request before while that is in the cache.
	changed []time.Time
}

// play sends the requests of a session under a policy.
func (m *messagesOf) play(ctx context.Context, p policy, s sized) (out outcome, err error) {
	r := &sending{messagesOf: m, policy: p, sized: s, out: outcome{Policy: p.name}, reading: newReading()}
	known := map[string]float64{}
	for id, n := range s.sizes {
		known[id] = n
	}
	r.provider = newProvider(known, s.factor)
	r.provider.anywhere = p.anywhere
	if p.keep != "" {
		r.provider.keep = filepath.Join(p.keep, m.name)
		if err := os.MkdirAll(r.provider.keep, 0o700); err != nil {
			return out, err
		}
	}
	upstream := httptest.NewServer(r.provider)
	defer upstream.Close()
	r.url = upstream.URL + "/v1/messages"
	var clock atomic.Pointer[time.Time] // also the proxy's goroutines look at it
	clock.Store(&m.requests[0].At)
	feed, steps := func(int) error { return nil }, func() (map[int64]bool, error) { return nil, nil }
	if p.proxied {
		e := env.System()
		e.Now = func() time.Time { return *clock.Load() }
		l, failed := r.ledger(ctx, e)
		if failed != nil {
			return out, failed
		}
		defer func() { err = errors.Join(err, l.Close()) }()
		feed = func(upTo int) error { return l.Append(ctx, m.Session, upTo) }
		r.asks = &questions{api: l, asked: map[string]bool{}}
		stop, failed := r.behind(e, l.Local, upstream.URL)
		if failed != nil {
			return out, failed
		}
		defer stop()
		steps = func() (map[int64]bool, error) {
			stop() // what has passed is recorded
			return r.stepsOf(ctx, l)
		}
	}
	for i, q := range m.requests {
		clock.Store(&q.At)
		if err := feed(q.UpTo); err != nil {
			return out, err
		}
		if err := r.send(ctx, i); err != nil {
			return out, fmt.Errorf("request %d: %w", i, err)
		}
	}
	if r.asks != nil {
		r.out.Answers, r.out.Failed = r.asks.out, r.asks.failed
	}
	made, err := steps()
	r.out.Steps = len(made)
	for _, at := range r.changed {
		if !made[at.UnixNano()] {
			r.out.Broken++
		}
	}
	return r.out, err
}

// ledger opens the one of the session.
func (r *sending) ledger(ctx context.Context, e env.Env) (*replay.Scratch, error) {
	if r.provider.keep == "" {
		return replay.Open(ctx, e, r.Session, engine.Settings{})
	}
	return replay.OpenIn(ctx, e, filepath.Join(r.provider.keep, keptLedger), r.Session, engine.Settings{})
}

// stepsOf returns when requests were sent with which something that had been sent became another one, as recorded.
func (r *sending) stepsOf(ctx context.Context, l *replay.Scratch) (map[int64]bool, error) {
	out := map[int64]bool{}
	for q := (ledger.RequestsRequest{Session: l.SessionID}); ; {
		page, err := l.Requests(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, m := range page.Requests {
			if m.Reduced == nil {
				continue
			}
			r.out.Whole += len(m.Reduced.Whole)
			if m.Reduced.Step {
				out[m.At.UnixNano()] = true
			}
		}
		if q.From = page.Next; q.From == 0 {
			return out, nil
		}
	}
}

// behind starts a proxy in front of the provider, which records in a ledger.
func (r *sending) behind(e env.Env, l *engine.Local, upstream string) (stop func(), err error) {
	to, err := url.Parse(upstream)
	if err != nil {
		return nil, err
	}
	const token = "0123456789abcdef"
	front := httptest.NewUnstartedServer(nil)
	served := proxy.New(proxy.Config{
		Env: e, Token: token, Dir: r.About.Dir, Reduce: r.reduce, Patience: time.Minute, Upstreams: map[string]*url.URL{"anthropic": to},
		Ledger: func(context.Context) (proxy.Ledger, error) { return l, nil }, Say: func(string) {},
	}, front.Listener.Addr().String())
	front.Config.Handler = served
	front.Start()
	r.url = front.URL + "/" + token + "/anthropic/v1/messages"
	return sync.OnceFunc(func() { front.Close(); served.Close() }), nil
}

// prompt returns the blocks before the messages: what users share, and what is this session's own. They have the size of
// the recorded ones, whose text is not known.
func (r *sending) prompt() [2][]byte {
	shared := min(r.recording.system(), r.sized.prompt-1)
	if shared <= 0 {
		shared = r.sized.prompt / 2
	}
	var out [2][]byte
	for i, n := range []float64{shared, r.sized.prompt - shared} {
		text := fmt.Sprintf("prompt %d, version %d", i, i*r.versions) + strings.Repeat(" system", int(n/r.sized.factor))
		raw, _ := json.Marshal(map[string]string{"type": "text", "text": text}) // a text
		out[i] = raw
		r.provider.size(blockOf("system", raw).id, n)
	}
	return out
}

// tool is what stands for our tool in a request, with all its tokens.
func (r *sending) tool() []byte {
	raw, _ := json.Marshal(map[string]any{"name": "mcp__ctxledger__read_artifact", "input_schema": map[string]string{"type": "object"},
		"description": strings.Repeat("tool ", overhead.ReadBack)}) // texts
	r.provider.size(blockOf("tool", raw).id, r.sized.factor*overhead.ReadBack)
	return raw
}

// body is the body of a request.
func (r *sending) body(q replay.Request) []byte {
	prompt := r.prompt()
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"model":%q,"max_tokens":32000,"stream":false,`, q.Model)
	if r.edits != "" {
		fmt.Fprintf(&b, `"context_management":%s,`, r.edits)
	}
	if r.reduce { // it is given the tool that reads back
		b.WriteString(`"tools":[`)
		b.Write(r.tool())
		b.WriteString(`],`)
	}
	b.WriteString(`"system":[`)
	b.Write(blockOf("system", prompt[0]).marked(q.Long))
	b.WriteByte(',')
	b.Write(blockOf("system", prompt[1]).marked(q.Long))
	b.WriteString(`],"messages":[`)
	all := r.of(q)
	markAt := -1
	if len(all) > 0 { // a recording may begin with an answer
		markAt = r.markAt(all[len(all)-1].blocks, q.Usage.Input)
	}
	for i, m := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"role":%q,"content":[`, m.role)
		for j, x := range m.blocks {
			if j > 0 {
				b.WriteByte(',')
			}
			if i == len(all)-1 && j == markAt {
				b.Write(x.marked(q.Long))
			} else {
				b.Write(x.raw)
			}
		}
		b.WriteString(`]}`)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// markAt returns the block of the newest message that its host has marked: behind it was what the provider neither read
// from the cache nor wrote to it.
func (r *sending) markAt(blocks []block, behind int64) int {
	const half = 2
	at, left := len(blocks)-1, float64(behind)
	for at > 0 && left > r.sized.sizes[blocks[at].id]/half {
		left -= r.sized.sizes[blocks[at].id]
		at--
	}
	return at
}

// send sends a request and takes in what it used.
func (r *sending) send(ctx context.Context, i int) error {
	q := r.requests[i]
	gone := q.Compacted || r.lost(i) || r.expired(i) || r.clears[q.UpTo] // what the request before had in the cache
	if r.lost(i) && float64(q.Usage.CacheRead) <= r.sized.prompt {
		r.versions++
	}
	if i == 0 && r.shared() || r.expired(i) && q.Usage.CacheRead > 0 {
		prompt := r.prompt()
		var tools [][]byte
		if r.reduce {
			tools = append(tools, r.tool())
		}
		r.provider.warm(q.Model, q.At, tools, blockOf("system", prompt[0]).marked(q.Long))
	}
	r.provider.next(q.At, q.Usage.Output)
	ask, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url, bytes.NewReader(r.body(q)))
	if err != nil {
		return err
	}
	ask.Header.Set("User-Agent", "claude-cli/2.1.328 (external, cli)")
	ask.Header.Set("X-Claude-Code-Session-Id", r.About.HostID)
	got, err := http.DefaultClient.Do(ask)
	if err != nil {
		return err
	}
	defer got.Body.Close() // read to its end
	said, err := io.ReadAll(got.Body)
	if err != nil || got.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d: %.200s %w", got.StatusCode, said, err)
	}
	r.take(ctx, i, r.provider.newest(), gone)
	return nil
}

// take adds up what a request used.
func (r *sending) take(ctx context.Context, i int, a answered, gone bool) {
	q := r.requests[i]
	r.out.Requests++
	r.out.Used = r.out.Used.Plus(a.used)
	r.out.Dollars += costOf(a.model, a.used) + r.reading.charge(a.model, a.used, q.Long, a.blocks)
	if !gone && i > 0 && !startsWith(a.blocks, r.before.blocks) {
		r.changed = append(r.changed, q.At)
	}
	r.before = a
	if !r.reduce && r.edits == "" {
		return
	}
	var written []block
	for _, m := range r.of(q) {
		written = append(written, m.blocks...)
	}
	if r.asks != nil {
		r.asks.about(ctx, r.reading, written, a.blocks)
	}
	n, cost := r.reading.bring(r.reading.missing(q.Needed, written, a.blocks), r.sizeOf, a)
	r.out.ReadBack += n
	r.out.Dollars += cost
}

// sizeOf returns the tokens of the newest block that says a word.
func (r *sending) sizeOf(id string) float64 { return r.sized.sizes[r.reading.said[id]] }

// startsWith reports whether a request begins with all of another one.
func startsWith(all, beginning []block) bool {
	if len(all) < len(beginning) {
		return false
	}
	for i, b := range beginning {
		if all[i].id != b.id {
			return false
		}
	}
	return true
}

// costOf is what a request costs at list prices.
func costOf(model string, used tokens.Used) float64 {
	return tokens.Builtin().Rates(model, tokens.TermsOf(used.In())).Cost(used).Dollars
}
