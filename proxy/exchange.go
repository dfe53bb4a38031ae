package proxy

import (
	"net/http"
	"time"

	"ctxledger.dev/ledger"
)

// exchange is a request for an answer and what became of it.
type exchange struct {
	dialect  *dialect
	provider string // as the path names it
	upstream string // its address
	path     string
	header   http.Header // of the request: whose it is, is read of it, and nothing else
	at, end  time.Time
	request  *capture
	response *capture // nil: there is no answer
	status   int
	encoding string          // of the answer
	view     *view           // that the request was sent as; nil: none
	reduced  *ledger.Reduced // what the request was sent without; nil: it was sent as it came
	named    []string        // results that it is the first to have a handle of: see view.name
	prepared *prepared       // the request of a view; nil: it is none
	enrolled bool            // its messages were recorded before it was sent: see view.enrol
	learnt   bool            // the ledger knows what a refusal says
}

func exchangeOf(r *http.Request) *exchange {
	x, _ := r.Context().Value(key{}).(*exchange)
	return x
}

// take ends the copying of both bodies.
func (x *exchange) take(at time.Time) {
	x.end = at
	if x.request.take(); x.response != nil {
		x.response.take()
	}
}

// release forgets the bodies.
func (x *exchange) release() {
	x.request.release()
	if x.response != nil {
		x.response.release()
	}
}
