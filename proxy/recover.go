package proxy

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/ledger"
	"ctxledger.dev/window/overflow"
)

// prepared is a request of a view, as its agent wrote it and as it is sent.
type prepared struct {
	draft draft
	sent  []byte
}

// recovering sends a request that was refused for its size again, smaller, before its agent hears of that.
type recovering struct {
	http.RoundTripper
	reducer *reducer
}

// RoundTrip implements http.RoundTripper. What cannot be recovered is the provider's first answer, byte by byte.
func (t recovering) RoundTrip(r *http.Request) (*http.Response, error) {
	first, err := t.RoundTripper.RoundTrip(r)
	x := exchangeOf(r)
	if err != nil || x == nil || x.prepared == nil || first.StatusCode == http.StatusOK {
		return first, err
	}
	said := refusalOf(first)
	if said == nil {
		return first, nil
	}
	again := func(body []byte) (resp *http.Response, refused bool) {
		next := r.Clone(r.Context())
		next.Body, next.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		resp, err := t.RoundTripper.RoundTrip(next)
		if err != nil {
			return nil, false
		}
		if resp.StatusCode == http.StatusOK {
			return resp, false
		}
		refused = refusalOf(resp) != nil
		_ = resp.Body.Close() // of an answer that nobody gets
		return nil, refused
	}
	if resp := t.reducer.recover(r.Context(), x, *said, again); resp != nil {
		_ = first.Body.Close() // as above
		return resp, nil
	}
	return first, nil
}

// refusalOf returns what a provider said for a request that is too large, without taking it from the answer; nil: something else.
func refusalOf(resp *http.Response) *overflow.Response {
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(raw), resp.Body), resp.Body}
	if err != nil {
		return nil
	}
	plain, err := decoded(raw, resp.Header.Get("Content-Encoding"))
	if err != nil {
		return nil
	}
	return tooLarge(overflow.Response{Status: resp.StatusCode, Body: plain[:min(len(plain), maxRefusal)]})
}

// recover makes a refused request smaller and sends it again, until it is taken; nil: it is not. First the ledger learns the
// limit, and takes the step or compaction that is due then; after that copies are sent, each smaller than the one before, of
// which nothing stays but that the next request is compacted.
func (r *reducer) recover(
	ctx context.Context, x *exchange, said overflow.Response, again func([]byte) (*http.Response, bool),
) (resp *http.Response) {
	defer func() {
		if wrong := recover(); wrong != nil {
			resp = nil
			r.config.Say("a refused request was not made smaller because of a bug")
		}
	}()
	p := x.prepared
	v := x.view
	v.mu.Lock()
	defer v.mu.Unlock()
	done, known := v.learn(ctx, r, x, said)
	if x.learnt = known; !known {
		done.Verdict = overflow.Classify(said, overflow.Request{})
		done.Limit = done.Verdict.Limit
		class := done.Verdict.Class
		done.Advice.Retry = class != overflow.None && class != overflow.BrokenPairs
		if done.Advice.OutputCap = done.Verdict.OutputCap; done.Advice.OutputCap > 0 {
			done.Advice.Action = overflow.LowerOutput
		}
	}
	refused := done.Advice.Retry
	if actual := done.Verdict.Actual; actual > 0 {
		v.perByte = float64(actual) / float64(len(p.sent))
	}
	tries := 0
	try := func(body []byte, step bool) {
		tries++
		if resp, refused = again(body); resp != nil {
			x.sends(body, step)
			x.reduced.Refused = tries
		}
	}
	out := p.sent
	switch {
	case !refused:
	case done.Advice.Action == overflow.LowerOutput:
		if body, ok := withOutput(out, done.Advice.OutputCap); ok {
			try(body, false)
		}
	case known:
		if body := v.smaller(ctx, r, x); len(body) < len(out) {
			out = body
			try(out, true)
		}
	}
	if done.Limit > 0 {
		v.limit, v.limited = done.Limit, p.draft.model
	}
	if !refused {
		return resp
	}
	v.trims(out, func(body []byte, made overflow.Trimmed) bool {
		if try(body, true); resp != nil {
			v.trimmed(r, made)
		}
		return refused
	})
	return resp
}

// sends says that another body is sent than the agent wrote. A step is one that does not begin as the one before.
func (x *exchange) sends(body []byte, step bool) {
	p := x.prepared
	if x.reduced == nil {
		x.reduced = &ledger.Reduced{}
	}
	p.sent, x.reduced.Bytes = body, int64(len(p.draft.body)-len(body))
	x.reduced.Step = x.reduced.Step || step
}

// trimmed notes that a smaller copy was sent: the next request is compacted.
func (v *view) trimmed(r *reducer, made overflow.Trimmed) {
	v.copied = true
	begin(r, func(ctx context.Context, api Ledger) (none struct{}, err error) {
		s, err := v.recordedAs(ctx, api)
		if err == nil {
			_, err = api.NoteTrim(ctx, ledger.NoteTrimRequest{Session: s.ID, RequestTrimmed: ledger.RequestTrimmed{
				Stage: made.Stage, Before: made.CharsBefore, After: made.CharsAfter,
				Reason: string(overflow.PromptOverflow), Outcome: "made"}})
		}
		return none, err
	})
}

// learn has the ledger learn from a refusal and do what follows. known is false where it cannot, or has not recorded the session.
func (v *view) learn(
	ctx context.Context, r *reducer, x *exchange, said overflow.Response,
) (done ledger.Recovery, known bool) {
	ctx, cancel := context.WithTimeout(ctx, afterwards)
	defer cancel()
	api, err := r.config.Ledger(ctx)
	if err != nil {
		return done, false
	}
	s, err := v.recordedAs(ctx, api)
	if err != nil {
		return done, false
	}
	done, err = ledger.Recover(ctx, api, ledger.OverflowRequest{Session: s.ID, Provider: x.provider,
		Endpoint: x.upstream, Status: said.Status, Body: said.Body, At: r.config.Env.Now()}, compaction.Options{})
	return done, err == nil
}

// smaller returns the request as the view is after a step or compaction.
func (v *view) smaller(ctx context.Context, r *reducer, x *exchange) []byte {
	ctx, cancel := context.WithTimeout(ctx, afterwards)
	defer cancel()
	p := x.prepared
	api, err := r.config.Ledger(ctx)
	if err != nil {
		return p.sent
	}
	v.read(p.draft)
	c, err := v.recorded(ctx, api)
	if err != nil {
		return p.sent
	}
	v.adopt(c)
	return v.send(p.draft, x, true)
}

// trims calls send with copies of a request, each smaller than the one before, as long as it returns true.
func (v *view) trims(body []byte, send func([]byte, overflow.Trimmed) bool) {
	d, ok := draftOf(body)
	if !ok {
		return
	}
	perByte := cmp.Or(v.perByte, usualPerByte)
	c := overflow.Copy{Format: v.format, Whole: cmp.Or(v.live.HostID, v.live.Session)}
	sealed, messages := false, 0
	for _, span := range d.spans {
		raw := span.In(body)
		c.Messages, messages = append(c.Messages, raw), messages+len(raw)
		sealed = sealed || v.pieceOf(raw).sealed
	}
	to := overflow.Target{Limit: v.limit - v.limit/limitMargin, Fixed: int(perByte * float64(len(body)-messages)),
		Count: func(raw []byte) int { return int(perByte * float64(len(raw))) }}
	var was overflow.Trimmed
	for was.Stage < overflow.Stages {
		next, err := overflow.Next(c, was, to)
		if err != nil || next.Stage == overflow.Stages && sealed { // what is signed stays with its calls
			return
		}
		if was = next; !send(d.replaced(next.Messages), next) {
			return
		}
	}
}

// usualPerByte is how many tokens a byte of a request is taken for where no provider has counted one.
const usualPerByte = 0.25

// limitMargin is the share of a limit that is left free in a copy: its size is an estimate.
const limitMargin = 20

// fitting makes a request that would be refused, by what is known of the limit, a smaller copy.
func (v *view) fitting(r *reducer, x *exchange) {
	p := x.prepared
	if v.limit == 0 || v.limited != p.draft.model || v.perByte*float64(len(p.sent)) <= float64(v.limit) {
		return
	}
	v.trims(p.sent, func(body []byte, made overflow.Trimmed) bool {
		x.sends(body, true)
		x.reduced.Trimmed = true
		v.trimmed(r, made)
		return false
	})
}

// measured says how many tokens a provider counted for a request of so many bytes.
func (v *view) measured(tokens, size int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if tokens > 0 && size > 0 {
		v.perByte = float64(tokens) / float64(size)
	}
}

// withOutput returns a body that asks for at most so many tokens of output; ok is false if it does not say how many it asks for.
func withOutput(body []byte, most int) (out []byte, ok bool) {
	w := jsonspan.New(body, jsonspan.MaxDepth)
	for name, v := range w.Members {
		if slices.Contains(outputCaps, jsonspan.Unquote(name.In(body))) {
			out = append(bytes.Clone(body[:v.From]), strconv.Itoa(most)...)
			return append(out, body[v.To:]...), true
		}
	}
	return nil, false
}

// outputCaps are the members of requests that say how much output they ask for at most.
var outputCaps = []string{"max_tokens", "max_completion_tokens", "max_output_tokens"}

// maxRefusal bounds what is read of a refusal, in bytes.
const maxRefusal = 256 << 10

// refused returns what a provider said for a request that is too large, with its status or in the midst of an answer; nil:
// something else. An error without words may say that: the ledger knows whether the request was large.
func (e *entry) refused() *overflow.Response {
	said := overflow.Response{Status: e.status, Body: e.answer.wrong}
	if e.response == nil {
		return nil
	}
	if e.status != http.StatusOK {
		said.Body = e.body
	} else if said.Body == nil {
		return nil
	}
	said.Body = said.Body[:min(len(said.Body), maxRefusal)]
	return tooLarge(said)
}

// tooLarge returns what a provider said if that is about the size of a request.
func tooLarge(said overflow.Response) *overflow.Response {
	if overflow.Classify(said, overflow.Request{Window: 1, Estimate: 1}).Class == overflow.None {
		return nil
	}
	return &said
}

// learn has the ledger learn from a refusal for size, as `ctxledger recover` does. What a subagent is refused has no
// consequence for the conversation of its session.
func (r *recorder) learn(e *entry, session string) {
	said := e.tooLarge
	if said == nil || e.learnt {
		return
	}
	api, err := r.Config.Ledger(r.life)
	if err == nil {
		_, err = api.Overflow(r.life, ledger.OverflowRequest{Session: session, Model: e.model(), Provider: e.provider,
			Endpoint: e.upstream, Status: said.Status, Body: said.Body, At: e.end,
			Streamed: e.who.agent == "" && e.status == http.StatusOK && len(e.answer.said) > 0})
	}
	if err != nil {
		r.Say("the limit given in a refusal was not learned: " + err.Error())
	}
}
