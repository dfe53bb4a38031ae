// Package overflow decides whether a provider refused a request, or cut it, because it was too large, and
// what to do then.
//
// Start at Read, which takes what counts of an answer or an error, and Classify; Advise says what comes next,
// Learned keeps the limits that errors name, Next makes a smaller copy of a request. What providers say is one table,
// patterns.go: a new sentence is one row of it, with a sample.
//
// Guarantees: what is no overflow (a rate limit, a wrong key, a fault of the server) is never taken for
// one, whatever its text quotes; reading is bounded in depth, strings and bytes, and takes time linear
// in them; a learned limit only ever lowers a window.
//
// The package deliberately sends nothing, stores nothing and knows no model: windows, estimates and
// times are given to it.
package overflow
