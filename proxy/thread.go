package proxy

import (
	"fmt"
	"slices"
	"time"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

const (
	// maxThreads bounds the conversations of one session that are compared: the main one, those of side requests.
	maxThreads = 16
	// maxTalks bounds the sessions that are remembered, about 100 bytes for each item of their newest requests.
	maxTalks = 64
	// maxEarly bounds the requests beside a conversation that come before it.
	maxEarly = 8
)

// Losses of a cache below these are how it rounds: providers keep blocks of up to 1,024 tokens.
const (
	leastLost  = 1_024
	lostShares = 20 // of what was there
)

// thread is a conversation as its newest request had it.
type thread struct {
	agent    string // of a subagent
	model    string // as the agent names it
	answers  string // as the newest answer names it
	items    []ledger.RequestItem
	servers  map[string]string // of tools, by their names
	head     int               // how many items come before the messages
	at       time.Time
	cached   int64  // tokens that the provider has in its cache since
	session  string // in the ledger; "": not known
	reply    string // the id of the newest answer
	said     []transcript.Part
	recorded bool // the messages are recorded by the proxy
	// owed is the newest answer if it is not recorded yet: see recorder.handIn.
	owed *sessionfile.Answer
	left int // tokens that the newest request was sent without
}

// messages are the digests of a thread's messages.
func (t *thread) messages() []ledger.RequestItem { return t.items[t.head:] }

// common returns how many items at the beginning of both are the same.
func common(a []ledger.RequestItem, b []item) int {
	n := 0
	for n < min(len(a), len(b)) && a[n].Digest == b[n].Digest {
		n++
	}
	return n
}

// talk has the threads of a session of an agent, the newest last.
type talk struct {
	threads []*thread
	used    time.Time
	// early are requests beside a conversation that has not begun yet, at most maxEarly.
	early []ledger.NoteRequestRequest
}

// of returns the thread that a request goes on with; nil: none. That is the one with the most messages in common, else the
// one with the same tools: an agent that has compacted its conversation begins another one with them.
//
// An agent that names its sessions goes on with one whatever it has changed. Of others any two conversations can begin
// alike: one that does not have all that was said goes on with it if it has most.
func (k *talk) of(q *request, agent string, named bool) (found *thread) {
	most := 0
	for _, t := range slices.Backward(k.threads) {
		if t.agent != agent {
			continue
		}
		if q.previous != "" && t.reply == q.previous {
			return t
		}
		n, all := common(t.messages(), q.messages()), len(t.messages())
		if n > most && t.says(n) && (named || n == all || n > 1 && n*2 >= all) {
			found, most = t, n
		}
	}
	if found != nil || !named {
		return found
	}
	head := q.head()
	if !q.hasTools() {
		return nil
	}
	for _, t := range slices.Backward(k.threads) {
		if t.agent == agent && t.head == head && common(t.items, q.items) >= head {
			return t
		}
	}
	return nil
}

// says reports whether there is anything but the system's words among the first n messages.
func (t *thread) says(n int) bool {
	return slices.ContainsFunc(t.messages()[:n], func(i ledger.RequestItem) bool {
		return i.Name != string(transcript.RoleSystem) && i.Name != "developer"
	})
}

// main returns the newest thread whose conversation is recorded; nil: none.
func (k *talk) main() (newest *thread) {
	for _, t := range k.threads {
		if t.session != "" && (newest == nil || t.at.After(newest.at)) {
			newest = t
		}
	}
	return newest
}

// keep adds a thread.
func (k *talk) keep(t *thread) {
	if len(k.threads) >= maxThreads {
		k.threads = slices.Delete(k.threads, 0, 1)
	}
	k.threads = append(k.threads, t)
}

// cacheOf says what became of the provider's cache with a request; before is nil for the first one of a conversation.
func cacheOf(before *thread, q *request, u sessions.Usage, at time.Time) (use ledger.CacheUse) {
	if before == nil {
		return ledger.CacheUse{Outcome: ledger.CacheFirst}
	}
	use.After = int64(at.Sub(before.at).Seconds())
	lost := before.cached - u.CacheRead
	if u.Prompt() > 0 && lost >= leastLost && lost*lostShares >= before.cached {
		use.Lost = lost
	}
	kept := common(before.items, q.items)
	switch {
	case before.model != q.model:
		use.Outcome = ledger.CacheModel
	case q.previous == "" && kept < len(before.items):
		use.Outcome, use.Item, use.By = changed(before, q, kept)
	case use.Lost > 0:
		use.Outcome = ledger.CacheExpired
	case u.CacheRead > 0:
		use.Outcome = ledger.CacheKept
	default:
		use.Outcome = ledger.CacheUnknown
	}
	return use
}

// changed says what happened to the first item that is not the one of the request before, and who did it.
func changed(before *thread, q *request, kept int) (outcome, what, by string) {
	const short = 2 // a half
	was, at := before.items[kept], kept-before.head
	if n := len(before.messages()); at >= 0 && n > short && len(q.raws)*short < n && at < len(q.raws) {
		return ledger.CacheCompacted, "", "" // a short conversation takes the place of a long one
	}
	by = whose(before.servers[was.Name])
	if kept == len(q.items) {
		return ledger.CacheChanged, describe(was, at) + " is gone", by
	}
	now := q.items[kept]
	tools := q.items[:q.head()]
	switch {
	case was.Kind == now.Kind && was.Name == now.Name:
		what = describe(was, at) + " changed"
	case now.Kind == ledger.ItemTool && !slices.ContainsFunc(before.items, now.same):
		what, by = describe(now.RequestItem, at)+" was added", whose(now.server)
	case was.Kind != ledger.ItemTool:
		what = describe(now.RequestItem, at) + " replaces " + describe(was, at)
	case slices.ContainsFunc(tools, func(i item) bool { return i.same(was) }):
		what = describe(was, at) + " has a different position"
	default:
		what = describe(was, at) + " was removed"
	}
	return ledger.CacheChanged, what, by
}

// same reports whether two items are of one kind and name.
func (i item) same(x ledger.RequestItem) bool { return i.Kind == x.Kind && i.Name == x.Name }

// whose says who defines a tool, or wrote anything else.
func whose(server string) string {
	if server == "" {
		return "the agent"
	}
	return "MCP server " + server
}

// describe names an item: messages by their number.
func describe(i ledger.RequestItem, at int) string {
	switch i.Kind {
	case ledger.ItemTool:
		return "tool " + chars.Short(i.Name, 80)
	case ledger.ItemSystem:
		return "the system prompt"
	}
	return fmt.Sprintf("message %d (%s)", at+1, chars.Short(i.Name, 20))
}

// cachedAfter returns how many tokens the provider has in its cache after a request: what it says, or where it reports
// only what it reads, the whole request if it read anything.
func cachedAfter(u sessions.Usage) int64 {
	switch {
	case u.CacheWrite > 0:
		return u.CacheRead + u.CacheWrite
	case u.CacheRead > 0:
		return int64(u.Prompt())
	}
	return 0
}
