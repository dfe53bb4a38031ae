package proxy

import (
	"net/http"

	"ctxledger.dev/ledger"
	"ctxledger.dev/window/overflow"
)

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
		r.Say("the limit that a refusal names was not learnt: " + err.Error())
	}
}
