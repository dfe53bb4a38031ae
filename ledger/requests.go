package ledger

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/sessions"
)

// ModelRequests keeps what a proxy measured of the requests that agents send to models.
type ModelRequests interface {
	// NoteRequest records a measured request, of a session that it creates where there is none yet. invalid, too_large;
	// not_found for a Session that is unknown.
	NoteRequest(ctx context.Context, r NoteRequestRequest) (ModelRequest, error)
	// Requests returns a page of the measured requests of a session, oldest first.
	Requests(ctx context.Context, r RequestsRequest) (RequestsResponse, error)
	// Limits says what was used of the limits that are configured, by what was measured.
	Limits(ctx context.Context, r LimitsRequest) (LimitsResponse, error)
}

// Bounds of what is kept of one request.
const (
	MaxRequestItems = 4_000 // new items: the ones behind are counted and not listed
	MaxRequestTools = 256   // servers whose tools are counted
)

// NoteRequestRequest records a request to a model.
type NoteRequestRequest struct {
	Mutation
	LiveSession
	Request ModelRequest `json:"request"`
}

// ModelRequest is what a proxy measured of one request to a model and of its answer. It has no content: what was said is in
// the log of the session.
type ModelRequest struct {
	Session string    `json:"session"`
	Seq     int64     `json:"seq"`     // among the requests of the session, from 1
	At      time.Time `json:"at"`      // when it came
	Dialect string    `json:"dialect"` // of the provider's interface: "anthropic", "chat", "responses", "gemini"
	Model   string    `json:"model,omitempty"`
	// Provider and Endpoint say where it was sent: the kind of interface, and the address without the request's own path.
	Provider string `json:"provider,omitempty"`
	Endpoint string `json:"endpoint,omitempty"`
	Agent    string `json:"agent,omitempty"` // the host's id of the subagent that sent it; "": the main agent
	Status   int    `json:"status"`          // of HTTP; 0: the provider could not be reached
	Cut      bool   `json:"cut,omitempty"`   // the answer ended before it was complete
	// FirstMS and TookMS are the milliseconds until the first byte of the answer, and until its last one.
	FirstMS int64 `json:"first_byte_ms"`
	TookMS  int64 `json:"took_ms"`
	Sent    int64 `json:"sent_bytes"`     // of the body of the request
	Got     int64 `json:"received_bytes"` // of the body of the answer
	// Reply is the provider's id of the answer, by which a session file names the same one.
	Reply string         `json:"reply,omitempty"`
	Usage sessions.Usage `json:"usage"`
	Bill  sessions.Bill  `json:"bill,omitempty"`
	// Loaded is how many tokens of context the server says that it has loaded the model with; 0: it was not asked, or did not say.
	Loaded int `json:"loaded,omitempty"`
	// Kept is how many items at the head of the request are those of the request before it, and New what comes behind them:
	// at most MaxRequestItems of Items.
	Kept  int           `json:"kept"`
	New   []RequestItem `json:"new,omitempty"`
	Items int           `json:"items"`
	// Tools are the definitions of tools by the server that they come from; nil: those of the request before.
	Tools []ServerTools `json:"tools,omitempty"`
	Cache CacheUse      `json:"cache"`
	// Reduces says that its proxy sends the view of the conversation, which may be what the agent wrote.
	Reduces bool `json:"reduces,omitempty"`
	// Reduced is what the request was sent without; nil: it was sent as the agent wrote it. Items are as written, Sent is not.
	Reduced *Reduced `json:"reduced,omitempty"`
	// Missed is how many requests before this one the proxy could not record, and MissedWhy the newest reason.
	Missed    int    `json:"missed,omitempty"`
	MissedWhy string `json:"missed_why,omitempty"`
}

// Names returns the words in it that others chose.
func (q *ModelRequest) Names() []*string {
	names := []*string{&q.Model, &q.Provider, &q.Endpoint, &q.Agent, &q.Reply, &q.Cache.Item, &q.Cache.By, &q.MissedWhy}
	for i := range q.New {
		names = append(names, &q.New[i].Name)
	}
	for i := range q.Tools {
		names = append(names, &q.Tools[i].Server)
	}
	for i := range q.Bill {
		names = append(names, &q.Bill[i].Model)
	}
	return names
}

// Reduced says how much smaller a request was sent than its agent wrote it.
type Reduced struct {
	Bytes    int64 `json:"bytes"`    // of the body
	Tokens   int   `json:"tokens"`   // o200k_base, an estimate from the bytes
	Messages int   `json:"messages"` // that show less
	// Step says that something which had been sent became another one with this request.
	Step bool `json:"step,omitempty"`
	// Seq is the entry of the session's log with the newest step that it was sent with.
	Seq int64 `json:"seq,omitempty"`
	// Refused is how often the provider refused the request for its size before it took a smaller one, and Trimmed says that it
	// was sent as a trimmed copy, of which nothing stays.
	Refused int  `json:"refused,omitempty"`
	Trimmed bool `json:"trimmed,omitempty"`
	// Whole are calls whose results it has as they are, although there are stubs: these came too late. At most MaxWhole.
	Whole []string `json:"whole,omitempty"`
	// Named are calls whose results the agent has cleared, and with which this request is the first to have a handle in their
	// place. At most MaxWhole.
	Named []string `json:"named,omitempty"`
}

// MaxWhole bounds Reduced.Whole and Reduced.Named.
const MaxWhole = 256

// The kinds of items of a request, in the order in which providers cache them.
const (
	ItemTool    = "tool"
	ItemSystem  = "system"
	ItemMessage = "message"
)

// RequestItem is a part of a request that the provider's cache compares: a tool, a part of the system prompt, a message.
type RequestItem struct {
	Kind   string `json:"kind"`
	Name   string `json:"name,omitempty"` // of a tool; the role of a message
	Digest string `json:"digest"`         // the first 16 hex digits of that of its value
	Bytes  int    `json:"bytes"`
	Tokens int    `json:"tokens"` // o200k_base
}

// ServerTools is what the definitions of one server's tools take of a request.
type ServerTools struct {
	Server string `json:"server,omitempty"` // "": the agent's own
	Tools  int    `json:"tools"`
	Tokens int    `json:"tokens"` // o200k_base
}

// What became of the provider's cache with a request. Values are stored: append only.
const (
	CacheFirst     = "first"     // nothing was sent before
	CacheKept      = "kept"      // the request begins as the one before, and its beginning was read from the cache
	CacheExpired   = "expired"   // it begins as the one before, and was not: the provider no longer had it
	CacheChanged   = "changed"   // an item at its beginning is another one: see CacheUse.Item
	CacheModel     = "model"     // another model was asked
	CacheUnknown   = "unknown"   // it begins as the one before, and the provider says nothing of a cache
	CacheReduced   = "reduced"   // the proxy showed less of what was sent before, because that pays
	CacheCompacted = "compacted" // the agent replaced the conversation by a summary
)

// CacheUse says what became of the provider's cache with a request, and why.
type CacheUse struct {
	Outcome string `json:"outcome"` // one of the constants above
	// Lost is how many tokens the request before had in the cache and this one did not read from it.
	Lost int64 `json:"lost,omitempty"`
	// Item is the first item that is not that of the request before, in words that say what happened to it: "tool Bash
	// changed". By is who did it. Both are set if Outcome is CacheChanged.
	Item string `json:"item,omitempty"`
	By   string `json:"by,omitempty"`
	// After is how many seconds passed since the request before.
	After int64 `json:"after_seconds,omitempty"`
}

// Broke reports whether the request lost a part of the cache.
func (c CacheUse) Broke() bool { return c.Lost > 0 }

// Words says what became of the cache: "12,000 tokens lost: tool Bash changed (by the agent)".
func (c CacheUse) Words() string {
	lost := chars.Plural(c.Lost, "token") + " not read from the cache: "
	switch c.Outcome {
	case CacheExpired:
		return lost + fmt.Sprintf("the provider no longer had them, %s after the previous request",
			chars.Plural(c.After, "second"))
	case CacheModel:
		return lost + "another model was asked"
	case CacheCompacted:
		return lost + "the agent compacted"
	case CacheReduced:
		return lost + "ctxledger cut what came before them"
	case CacheChanged:
		text := lost + chars.Line(c.Item)
		if c.By != "" {
			text += ", by " + chars.Line(c.By)
		}
		return text
	}
	return lost + c.Outcome
}

// RequestsRequest asks for a page of the requests of a session, or for the sum of all sessions.
type RequestsRequest struct {
	Session string `json:"session,omitempty"` // "": all, of which the sum is returned alone
	From    int64  `json:"from,omitempty"`    // the first one; 0: the oldest
	Limit   int    `json:"limit,omitempty"`   // 0: as many as fit a page
}

// RequestsResponse is a page of requests. Next is the From of the following page, 0 at the end.
type RequestsResponse struct {
	Requests []ModelRequest `json:"requests"`
	Next     int64          `json:"next,omitempty"`
	Use      *ProxyUse      `json:"use,omitempty"` // of all sessions, if that was asked for; nil: nothing was measured
}

// ProxyUse sums up what a proxy measured of a session, or of all.
type ProxyUse struct {
	Sessions int            `json:"sessions"`
	Requests int            `json:"requests"`
	Failed   int            `json:"failed,omitempty"` // answered with an error, or cut off
	Usage    sessions.Usage `json:"usage"`
	sessions.Cost
	// Hits is how many requests read from the provider's cache, and Breaks how many lost a part of what it had; Lost is the
	// sum of that in tokens.
	Hits   int   `json:"cache_hits"`
	Breaks int   `json:"cache_breaks"`
	Lost   int64 `json:"cache_lost,omitempty"`
	// Broke are the newest breaks, newest first, at most MaxBroke.
	Broke []CacheUse `json:"broke,omitempty"`
	// FirstMS is the median of the milliseconds to the first byte.
	FirstMS int64         `json:"first_byte_ms"`
	Tools   []ServerTools `json:"tools,omitempty"` // of a session's newest request of the main agent, largest first
	// System is the system prompt of that request, in o200k_base tokens; 0: not known.
	System int `json:"system,omitempty"`
	Missed int `json:"missed,omitempty"`
	// MissedWhy is the newest reason for which a request could not be recorded.
	MissedWhy string `json:"missed_why,omitempty"`
	Bytes     int64  `json:"sent_bytes"`
	// Reduces: the newest request of the main agent passed a proxy that sends the session's view.
	Reduces bool `json:"reduces,omitempty"`
	// Reduced sums up what requests were sent without; nil: all were sent as they were written.
	Reduced *ReducedUse `json:"reduced,omitempty"`
}

// ReducedUse sums up what requests were sent without, and what that cost.
type ReducedUse struct {
	Requests int   `json:"requests"`
	Tokens   int64 `json:"tokens"` // o200k_base, an estimate; of each request again
	Steps    int   `json:"steps"`
	// Rewritten is how many tokens were not read from the provider's cache because of steps.
	Rewritten int64 `json:"rewritten"`
	// Net is what the tokens would have cost as reads from the cache, the least that they can, without what writing the others
	// again did, at list prices; nil: a price is not known.
	Net *float64 `json:"net_usd,omitempty"`
}

// Words says it, the cost first.
func (u *ReducedUse) Words() string {
	text := fmt.Sprintf("%s rewrote %s of the cache; %s left out of %s", chars.Plural(u.Steps, "step"),
		chars.Plural(u.Rewritten, "token"), chars.Tokens(u.Tokens, false), chars.Plural(u.Requests, "request"))
	switch {
	case u.Net == nil:
		return text
	case *u.Net < 0:
		return text + ": " + chars.Money(-*u.Net, false) + " lost so far"
	}
	return text + ": " + chars.Money(*u.Net, false) + " saved, if all of them had been read from the cache"
}

// MaxBroke is how many breaks of the cache a summary names.
const MaxBroke = 3

// Words says how much was measured, in a line without the reasons: "2 requests by the proxy: 1,000 tokens of input, …".
func (p *ProxyUse) Words() string {
	text := chars.Plural(p.Requests, "request") + " by the proxy"
	if p.Sessions > 1 {
		text += " in " + chars.Plural(p.Sessions, "session")
	}
	if p.Failed > 0 {
		text += fmt.Sprintf(", %s of them failed", chars.Commas(p.Failed))
	}
	text += fmt.Sprintf(": %s tokens of input, %s read from the cache (%d of the requests), %s of output",
		chars.Commas(p.Usage.Prompt()), chars.Commas(p.Usage.CacheRead), p.Hits, chars.Commas(p.Usage.Output))
	if said := p.Cost.Words(); said != "" {
		text += "; " + said
	}
	return text
}

// ToolsWords says what the definitions of tools take, by server: "the agent's own 14,000 (23), db 40 (1)", with the number of tools.
func (p *ProxyUse) ToolsWords() string {
	parts := make([]string, 0, len(p.Tools))
	for _, t := range p.Tools {
		name := t.Server
		if name == "" {
			name = "the agent's own"
		}
		parts = append(parts, fmt.Sprintf("%s %s (%d)", chars.Line(name), chars.Commas(int64(t.Tokens)), t.Tools))
	}
	return strings.Join(parts, ", ")
}
