// Package proxy is a model API endpoint on this machine that measures every request of an agent: it passes on the bytes of
// requests and answers as they are, and records what the provider said of them.
//
// Start at New, whose Server is an http.Handler, and at recorder.take, which records one exchange. A dialect is how one
// kind of provider writes requests and answers (dialect.go); a thread is one conversation, whose newest request the next
// one is compared with (thread.go). Package launch starts an agent behind a proxy.
//
// Guarantees: bodies leave as they came, in both directions, and answers as they come; nothing but the upstream is
// connected to, and no redirect followed; recording happens after the answer, in one goroutine behind a bounded queue, and
// what it cannot take is counted and said. Credentials, addresses and texts of headers are never recorded or logged.
//
// It deliberately changes nothing of a request but what RFC 9110 has every proxy change, and the list of encodings that it
// accepts for an answer.
package proxy
