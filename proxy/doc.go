// Package proxy is a model API endpoint on this machine that measures every request of an agent, and makes it smaller if a
// person wants that: else it passes on the bytes of requests and answers as they are. It records what the provider said.
//
// Start at New, whose Server is an http.Handler, and at recorder.take, which records one exchange. A dialect is how one
// kind of provider writes requests and answers (dialect.go); a thread is one conversation, whose newest request the next
// one is compared with (thread.go). Server.edit is where a body becomes another one (reduce.go): a view is what a
// conversation is sent as (view.go, cut.go), with a mark of the cache of its own behind a step (mark.go), decide brings it up to date (decide.go), recorded reads it from the ledger (resume.go).
// Package launch starts an agent behind a proxy.
//
// Guarantees: answers leave as they came, and requests as well unless they are reduced; then what is not shown less of
// stays byte by byte, nothing is left out that the model cannot read back, and between two steps a request begins as the
// one before. Nothing but the upstream is connected to, and no redirect followed; recording happens after the answer, in
// one goroutine behind a bounded queue, and what it cannot take is counted and said. Credentials and texts of headers are
// never recorded or logged, and of addresses the upstream's alone.
//
// What stops a request is in limits.go, what sends a refused one again in recover.go, and what a server is asked of itself
// in loaded.go, only if a person named it.
//
// It deliberately decides nothing about what is shown less of: the ledger does, by the policy of the session.
package proxy
