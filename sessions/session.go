package sessions

import (
	"fmt"
	"time"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/limits"
)

// Session is one conversation of one agent host.
type Session struct {
	ID      string    `json:"id"`                // ours: 8 lower-case hex digits, longer on a clash
	Host    string    `json:"host"`              // the agent: "claude-code", or "mcp" for messages handed in
	HostID  string    `json:"host_id,omitempty"` // the host's own id of the conversation
	Parent  string    `json:"parent,omitempty"`  // the session that started this one, as a subagent
	Agent   string    `json:"agent,omitempty"`   // the kind of agent that runs it, of a subagent, as its host calls it
	Title   string    `json:"title,omitempty"`   // first line of the first request, at most 120 characters
	Model   string    `json:"model,omitempty"`   // the model of the newest answer
	Dir     string    `json:"dir,omitempty"`     // the host's working directory
	Tree    string    `json:"tree,omitempty"`    // the root of the workspace's tree that Dir lies in; "": in none
	Created time.Time `json:"created"`           // time of the first entry
	Updated time.Time `json:"updated"`           // time of the newest entry
	Seq     int64     `json:"seq"`               // sequence number of the newest entry; the first is 1
	Turns   int       `json:"turns"`             // number of requests by the user
	Chain   string    `json:"chain,omitempty"`   // message id of the newest received entry
	Pending bool      `json:"pending,omitempty"` // an import is under way: not listed yet
	Usage   Usage     `json:"usage"`             // sums over the whole session, never reduced by a view
	Bill    Bill      `json:"bill,omitempty"`    // of Usage, what was recorded since there are bills: see Billed
	// Largest is the largest request that was measured, and CompactsAt how large the window was when the host compacted
	// by itself the last time; 0: not known.
	Largest    int `json:"largest,omitempty"`
	CompactsAt int `json:"compacts_at,omitempty"`
	// Window is what the host said last of the tokens of its window; 0: nothing.
	Window int `json:"window,omitempty"`
	// Version is that of the host which wrote its newest record; "": it did not say.
	Version string `json:"version,omitempty"`
	// Rewritten is how often its file turned out to be another one than was read before.
	Rewritten int `json:"rewritten,omitempty"`
	// First is the host's id of the first record that has one. Sessions with the same one were forked from each other.
	First string `json:"first,omitempty"`
	// Fork says with which session it shares its beginning; nil: with none.
	Fork *Fork `json:"fork,omitempty"`
	// Continues is the session from which ctxledger wrote this one: records that it copied count there. "": none.
	Continues string `json:"continues,omitempty"`
	// Forgotten is when everything received until then was removed; Expired is set if the retention policy did it,
	// not a request.
	Forgotten *time.Time `json:"forgotten,omitempty"`
	Expired   bool       `json:"expired,omitempty"`
	// Hooked is what the agent's hooks told of it; nil: none did.
	Hooked *Hooked `json:"hooked,omitempty"`
}

// Hooked is what the hooks of an agent told of a session while it ran.
type Hooked struct {
	Emptied   int       `json:"emptied,omitempty"`   // how often the context was emptied: compacted or cleared
	EmptiedAt time.Time `json:"emptied_at,omitzero"` // when it was, the last time
	// Shown are the digests of the texts that hooks put into the context since, newest last, at most MaxShown.
	Shown      []string  `json:"shown,omitempty"`
	Compacting time.Time `json:"compacting,omitzero"` // when a compaction was about to begin
	Ended      time.Time `json:"ended,omitzero"`      // when the agent ended
	// Summary is what the newest summary of its host kept; nil: none was compared.
	Summary *HostSummary `json:"summary,omitempty"`
	// Owed is what a hook that can add to the context has to add: what that summary lost. OwesRecord says that the context
	// was compacted and the summary is not known yet. Both stay until a hook has told them: see OwedDigest.
	Owed       string `json:"owed,omitempty"`
	OwesRecord bool   `json:"owes_record,omitempty"`
	// Calls are the newest calls of tools of ours that a hook told of, newest last, at most MaxCalls.
	Calls []string `json:"calls,omitempty"`
	// Settled are the candidates for memory that a person accepted or dismissed, at most MaxSettled.
	Settled []string `json:"settled,omitempty"`
}

// OwedDigest names what the context has to be told after a compaction, among the digests of texts that are shown; "":
// nothing. A compaction of which nothing was heard after its beginning is owed the record, as if it had ended.
func (h *Hooked) OwedDigest() string {
	switch {
	case h == nil:
		return ""
	case h.Owed != "":
		return "lost " + Digest([]byte(h.Owed))[:16]
	case h.OwesRecord || !h.Compacting.IsZero():
		return fmt.Sprintf("record %d %d", h.Emptied, h.Compacting.UnixMilli())
	}
	return ""
}

// Started says among the digests of texts that are shown that the context was told all that it is told at its start.
const Started = "start"

// MaxCalls is how many calls of tools of ours a session remembers: as many as an agent may make at once, and more.
const MaxCalls = 32

// MaxSettled is how many candidates for memory a session has.
const MaxSettled = 5

// HostSummary is a host's own summary of a session, compared with what is recorded.
type HostSummary struct {
	Time   time.Time `json:"time"`
	Tokens int       `json:"tokens"` // of the summary, o200k_base
	Items  int       `json:"items"`  // things that the record says: rules, open work, words of the user
	Kept   int       `json:"kept"`   // of these, the ones that the summary says
	Told   int       `json:"told"`   // of the others, the ones that the agent is told again
}

// MaxOwed bounds Owed, in bytes.
const MaxOwed = 16 << 10

// MaxShown is how many texts of hooks a session remembers.
const MaxShown = 32

// Fork is what a session has in common with another one, because its host copied the records when it forked or resumed
// that one. What they did and cost is counted there.
type Fork struct {
	Session string `json:"session"`         // the other one; the last of several
	To      int64  `json:"to"`              // sequence number of its newest record that was copied
	Entries int    `json:"entries"`         // number of copied records
	Ended   bool   `json:"ended,omitempty"` // a record of its own came after them
}

// String says what a session shares with the one that it was forked from.
func (f Fork) String() string {
	return chars.Plural(f.Entries, "record") + " shared with session " + f.Session +
		"; what they did and cost is counted there"
}

// Main reports whether a session is a person's own, not a subagent's.
func (s Session) Main() bool { return s.Parent == "" }

// Unused reports whether ctxledger wrote the session as the continuation of another one and no answer in it was measured:
// it was not gone on with.
func (s Session) Unused() bool { return s.Continues != "" && s.Usage == (Usage{}) }

// Copied reports whether the session began with records of another one, which count there.
func (s Session) Copied() bool { return s.Continues != "" || s.Fork != nil }

// Gone reports whether the session was forgotten, and nothing was recorded in it since.
func (s Session) Gone() bool { return s.Forgotten != nil && !s.Updated.After(*s.Forgotten) }

// Shares reports whether one of two sessions began as a copy of the other.
func (s Session) Shares(other Session) bool {
	copied := func(a, b Session) bool { return a.Continues == b.ID || a.Fork != nil && a.Fork.Session == b.ID }
	return copied(s, other) || copied(other, s)
}

// BeganWith reports whether what has been so since a time was so when the session began; the zero time is not known. Times of
// entries are in milliseconds.
func (s Session) BeganWith(since time.Time) bool {
	return !since.IsZero() && !since.Truncate(time.Millisecond).After(s.Created)
}

// Live reports whether a person uses a session now: it had activity in the last ten minutes.
func (s Session) Live(now time.Time) bool {
	return s.Main() && now.Sub(s.Updated) < limits.ActiveSession
}
