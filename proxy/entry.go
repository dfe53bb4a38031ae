package proxy

import (
	"cmp"
	"net/http"
	"slices"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window/overflow"
)

// entry is an exchange as it is recorded.
type entry struct {
	*exchange
	asked  *request
	answer answer
	body   []byte // of an answer with another status than 200
	// tooLarge is what the provider said if it took the request for too large; nil: it did not.
	tooLarge *overflow.Response
	who      identity
	talk     *talk
	before   *thread // the request before it, nil for the first one of a conversation
	thread   *thread // the conversation, which is that one unless the request failed
}

// read reads an exchange. Errors: those of its bodies.
func (r *recorder) read(x *exchange) (*entry, error) {
	body, err := x.request.plain(x.header.Get("Content-Encoding"))
	if err != nil {
		return nil, err
	}
	q, err := x.dialect.request(x.path, body)
	if err != nil {
		return nil, err
	}
	e := &entry{exchange: x, asked: q, who: identify(x.header, q)}
	if x.response != nil {
		said, err := x.response.plain(x.encoding)
		if err != nil {
			return nil, err
		}
		if e.answer = x.dialect.read(said); x.status != http.StatusOK {
			e.body = said
		}
		e.tooLarge = e.refused()
	}
	e.talk = r.talk(e.who)
	e.before = e.talk.of(q, e.who.agent, e.who.session != "")
	switch e.thread = e.before; {
	case e.before == nil:
		e.thread = &thread{agent: e.who.agent}
	case x.status != http.StatusOK: // the provider did not take it: the next one is compared with the one before
		e.thread = &thread{agent: e.who.agent, session: e.before.session}
	}
	return e, nil
}

// measured describes the exchange.
func (e *entry) measured() ledger.ModelRequest {
	q, a, before := e.asked, &e.answer, e.before
	out := ledger.ModelRequest{
		At: e.at, Dialect: e.dialect.name, Provider: e.provider, Endpoint: e.upstream,
		Model: chars.Cut(e.model(), maxName), Agent: e.who.agent, Status: e.status,
		TookMS: e.end.Sub(e.at).Milliseconds(), Sent: e.request.total, Items: len(q.items),
		Reply: chars.Cut(a.Reply, maxName), Usage: a.Usage, Bill: a.Bill, Cache: cacheOf(before, q, a.Usage, e.at),
	}
	if e.status != http.StatusOK {
		out.Cache.Lost = 0 // nothing was read
	}
	if out.Reduces, out.Reduced = e.view != nil, e.reduced; out.Reduced != nil {
		out.Sent -= out.Reduced.Bytes
	}
	if e.response != nil {
		out.Got, out.Cut = e.response.total, e.status == http.StatusOK && !(e.response.ended && a.whole)
		if !e.response.first.IsZero() {
			out.FirstMS = e.response.first.Sub(e.at).Milliseconds()
		}
	}
	known := map[string]int{}
	if before != nil {
		out.Kept = common(before.items, q.items)
		for _, i := range before.items {
			known[i.Digest] = i.Tokens
		}
	}
	for n := range q.items {
		i := &q.items[n]
		size, had := known[i.Digest]
		if i.Tokens = size; had {
			continue
		}
		i.Tokens = tokens.O200kBase.CountString(e.dialect.text(*i))
		if known[i.Digest] = i.Tokens; len(out.New) < ledger.MaxRequestItems {
			out.New = append(out.New, i.RequestItem)
		}
	}
	if r := out.Reduced; r != nil {
		r.Tokens = q.tokens(r.Bytes)
		if r.Step && before != nil && out.Cache.Outcome == ledger.CacheExpired { // without what is no longer sent
			out.Cache.Lost = max(0, out.Cache.Lost-int64(max(0, r.Tokens-before.left)))
			out.Cache.Outcome = ledger.CacheReduced
		}
	}
	if head := q.head(); before == nil || before.head != head || out.Kept < head {
		out.Tools = toolsOf(q.items[:head])
	}
	return out
}

// model names the model as its answers do, if one is known: an agent may use another name for it.
func (e *entry) model() string {
	if b := e.before; b != nil && b.model == e.asked.model {
		return cmp.Or(e.answer.Model, b.answers, e.asked.model)
	}
	return cmp.Or(e.answer.Model, e.asked.model)
}

// tokens estimates what so many bytes of the messages take, whose tokens are counted.
func (r *request) tokens(bytes int64) int {
	size, all := 1, 0
	for _, i := range r.messages() {
		size, all = size+i.Bytes, all+i.Tokens
	}
	return int(bytes * int64(all) / int64(size))
}

// toolsOf counts the definitions of tools by their server.
func toolsOf(items []item) (out []ledger.ServerTools) {
	for _, i := range items {
		if i.Kind != ledger.ItemTool {
			break
		}
		at := slices.IndexFunc(out, func(s ledger.ServerTools) bool { return s.Server == i.server })
		if at < 0 {
			if len(out) == ledger.MaxRequestTools {
				continue
			}
			at, out = len(out), append(out, ledger.ServerTools{Server: i.server})
		}
		out[at].Tools, out[at].Tokens = out[at].Tools+1, out[at].Tokens+i.Tokens
	}
	return out
}

// kept makes the exchange the one that the next one of its conversation is compared with.
func (e *entry) kept() {
	t, q := e.thread, e.asked
	t.answers = e.model() // before t.model is another one
	t.model, t.at, t.head, t.reply = q.model, e.at, q.head(), e.answer.Reply
	t.items, t.servers = make([]ledger.RequestItem, len(q.items)), map[string]string{}
	for i, x := range q.items {
		if t.items[i] = x.RequestItem; x.server != "" {
			t.servers[x.Name] = x.server
		}
	}
	if t.left = 0; e.reduced != nil {
		t.left = e.reduced.Tokens
	}
	if u := e.answer.Usage; u.Prompt() > 0 {
		t.cached = cachedAfter(u)
	}
	if e.before == nil {
		e.talk.keep(t)
	}
}
