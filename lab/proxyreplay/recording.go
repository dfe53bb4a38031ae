package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/agents"
	"ctxledger.dev/engine/replay"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// recording is a recorded session with what its requests cost.
type recording struct {
	*replay.Session
	name, host string
	requests   []replay.Request
}

// open reads a session file.
func open(file string) (*recording, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() // opened for reading
	r, err := agents.Read(f, file)
	if err != nil {
		return nil, err
	}
	s := &replay.Session{Name: r.Name, About: r.About, Entries: r.Entries, Summaries: r.Summaries}
	out := &recording{Session: s, name: r.Name, host: r.About.Host}
	var before time.Time
	for _, q := range s.Requests() {
		copied := r.About.Host == codex && !q.At.After(before) // from another session: all have the time of the copying
		before = q.At
		if q.Usage.Prompt() > 0 && !q.Several && !copied {
			q.At = out.asked(q)
			out.requests = append(out.requests, q)
		}
	}
	return out, nil
}

// asked returns when a request was sent: when the newest message that it has was written, which is not later than its
// answer, and not before the request before it.
func (r *recording) asked(q replay.Request) time.Time {
	at := q.At
	if n := len(q.Shown); n > 0 {
		if e := r.Entries[q.Shown[n-1]]; !e.Time.IsZero() && e.Time.Before(at) {
			at = e.Time
		}
	}
	if n := len(r.requests); n > 0 && at.Before(r.requests[n-1].At) {
		at = r.requests[n-1].At
	}
	return at
}

// life is how long what a request writes into the provider's cache stays there.
func life(q replay.Request) time.Duration {
	if q.Long {
		return time.Hour
	}
	return 5 * time.Minute
}

// had returns what the provider had in its cache after a request.
func (r *recording) had(i int) int64 {
	u := r.requests[i].Usage
	if u.CacheWrite == 0 && u.CacheRead == 0 || r.host == codex {
		return int64(u.Prompt())
	}
	return u.CacheRead + u.CacheWrite
}

// codex is the agent whose sessions are of OpenAI's models.
const codex = "codex"

// lost reports whether less than most of what the provider had in its cache was read, although the request came in time
// and its host had not compacted: something before the messages, or in the middle of them, was another one.
func (r *recording) lost(i int) bool {
	const most = 0.9
	if i == 0 {
		return false
	}
	q, before := r.requests[i], r.requests[i-1]
	had := min(r.had(i-1), int64(q.Usage.Prompt()))
	return q.Model == before.Model && !q.Compacted && !r.expired(i) && float64(q.Usage.CacheRead) < most*float64(had)
}

// expired reports whether a request came too late for what the one before had cached.
func (r *recording) expired(i int) bool {
	return i > 0 && r.requests[i].At.Sub(r.requests[i-1].At) > life(r.requests[i-1])
}

// shared reports whether another session of the same user had the beginning of the first request in the cache.
func (r *recording) shared() bool { return r.requests[0].Usage.CacheRead > 0 }

// system is the size of what precedes a session's own context in its requests, and is marked: what is read where nothing
// else can be, at first, or behind a compaction, a pause or a loss. 0: that is not known.
func (r *recording) system() float64 {
	if r.shared() {
		return float64(r.requests[0].Usage.CacheRead)
	}
	least := int64(0)
	for i, q := range r.requests {
		read := q.Usage.CacheRead
		if (q.Compacted || r.expired(i) || r.lost(i)) && read > 0 && (least == 0 || read < least) {
			least = read
		}
	}
	return float64(least)
}

// recordedUse returns what the recorded requests used, and what that costs at list prices.
func (r *recording) recordedUse() (used tokens.Used, dollars float64) {
	for _, q := range r.requests {
		used = used.Plus(q.Usage.Used())
		dollars += costOf(q.Model, q.Usage.Used())
	}
	return used, dollars
}

// peak is the size of the largest request.
func (r *recording) peak() (most int) {
	for _, q := range r.requests {
		most = max(most, q.Usage.Prompt())
	}
	return most
}

// window is the context window of the session: agents run models with a larger one in this one as long as it is enough.
func (r *recording) window() int {
	const usual = 200_000
	w, _ := tokens.Builtin().Window(r.requests[len(r.requests)-1].Model)
	if w == 0 || r.peak() <= usual {
		return usual
	}
	return w
}

// message is a message of the Messages API.
type message struct {
	role   string
	blocks []block
}

// block is a part of a message or of what precedes messages, as it is sent.
type block struct {
	raw    []byte // JSON
	id     string // of its content
	tokens int    // o200k_base
	text   string
	result bool   // of a call
	call   string // the one that it makes, or whose result it is
	said   bool   // by the model
}

// mark is what tells the provider to cache up to the end of a block.
var mark = regexp.MustCompile(`,"cache_control":\{[^{}]*\}`)

// blockOf makes a block of JSON, which may be marked.
func blockOf(role string, raw []byte) block {
	raw = mark.ReplaceAll(raw, nil)
	sum := sha256.Sum256(append([]byte(role), raw...))
	return block{raw: raw, id: hex.EncodeToString(sum[:12])}
}

// counted counts the texts of a block.
func (b block) counted(role string) block {
	m, err := transcript.Decode(transcript.Anthropic, slices.Concat([]byte(`{"role":"`+role+`","content":[`), b.raw, []byte(`]}`)))
	if err != nil {
		return b
	}
	var texts []string
	b.said = m.Role == transcript.RoleAssistant
	for _, p := range m.Parts {
		if p.Kind == transcript.KindResult || p.Kind == transcript.KindCall {
			b.result, b.call = p.Kind == transcript.KindResult, p.ID
		}
		if p.Kind == transcript.KindReasoning {
			continue
		}
		for _, text := range []string{p.Text, p.Name, string(p.Args)} {
			b.tokens += tokens.O200kBase.CountString(text)
			texts = append(texts, text)
		}
	}
	b.text = strings.Join(texts, "\n")
	return b
}

// marked returns a block as it is sent with a mark.
func (b block) marked(long bool) []byte {
	m := `,"cache_control":{"type":"ephemeral"}}`
	if long {
		m = `,"cache_control":{"type":"ephemeral","ttl":"1h"}}`
	}
	return append(bytes.TrimSuffix(slices.Clone(b.raw), []byte("}")), m...)
}

// messagesOf returns the messages of requests: entries of one role that follow each other are one message. It remembers
// what it has made.
type messagesOf struct {
	*recording
	made map[int]message
	// cleared are results that the host has cleared, by their blocks, from requests on with so many entries before them. Session
	// files do not tell: it is seen by the sizes.
	cleared map[string]int
	clears  map[int]bool // requests with which it did, by the entries before them
}

// ofRecording returns the messages of a recording.
func ofRecording(r *recording) *messagesOf {
	return &messagesOf{recording: r, made: map[int]message{}, cleared: map[string]int{}, clears: map[int]bool{}}
}

func (m *messagesOf) of(q replay.Request) (out []message) {
	for _, i := range q.Shown {
		one, known := m.made[i]
		if !known {
			one = m.entry(i)
			m.made[i] = one
		}
		if len(one.blocks) == 0 {
			continue
		}
		if n := len(out); n > 0 && out[n-1].role == one.role {
			out[n-1].blocks = slices.Concat(out[n-1].blocks, one.blocks)
			continue
		}
		out = append(out, one)
	}
	for i := range out {
		out[i].blocks = slices.Clone(out[i].blocks)
		for j, b := range out[i].blocks {
			if from, cleared := m.cleared[b.id]; cleared && q.UpTo >= from {
				out[i].blocks[j] = b.clear()
			}
		}
	}
	return sendable(out)
}

// clear returns what hosts send in the place of a result that they have cleared.
func (b block) clear() block {
	raw, _ := json.Marshal(map[string]string{"type": "tool_result", "tool_use_id": b.call, // texts
		"content": transcript.Cleared})
	return blockOf("user", raw).counted("user")
}

// sendable makes messages such that a provider takes them, as hosts do: calls without results and results without calls are
// left out, results stand first in their message, and the model's own words do not end a request.
func sendable(all []message) (out []message) {
	answered, made := map[string]bool{}, map[string]bool{}
	for i, m := range all {
		for _, b := range m.blocks {
			switch {
			case b.call == "":
			case !b.result:
				made[b.call] = true
			case i > 0 && made[b.call] && slices.ContainsFunc(all[i-1].blocks, func(c block) bool { return c.call == b.call }):
				answered[b.call] = true
			}
		}
	}
	for _, m := range all {
		m.blocks = slices.DeleteFunc(slices.Clone(m.blocks), func(b block) bool { return b.call != "" && !answered[b.call] })
		slices.SortStableFunc(m.blocks, func(a, b block) int {
			switch {
			case a.result == b.result:
				return 0
			case a.result:
				return -1
			default:
				return 1
			}
		})
		if n := len(out); len(m.blocks) > 0 && n > 0 && out[n-1].role == m.role {
			out[n-1].blocks = append(out[n-1].blocks, m.blocks...)
		} else if len(m.blocks) > 0 {
			out = append(out, m)
		}
	}
	for n := len(out); n > 1 && out[n-1].role == "assistant"; n = len(out) {
		out = out[:n-1]
	}
	return out
}

// entry returns the message of an entry. What is no JSON of this dialect is left out.
func (m *messagesOf) entry(i int) (out message) {
	e := m.Entries[i]
	var said struct {
		Role    string
		Content json.RawMessage
	}
	if json.Unmarshal(transcript.MessageIn(e.Format, e.Original, e.Message), &said) != nil {
		return out
	}
	var text string
	var all []json.RawMessage
	if json.Unmarshal(said.Content, &text) == nil {
		raw, _ := json.Marshal(map[string]string{"type": "text", "text": text}) // texts
		all = []json.RawMessage{raw}
	} else if json.Unmarshal(said.Content, &all) != nil {
		return out
	}
	out.role = said.Role
	for _, raw := range all {
		var compact bytes.Buffer
		if json.Compact(&compact, raw) == nil && compact.Len() > 2 {
			out.blocks = append(out.blocks, blockOf(said.Role, compact.Bytes()).counted(said.Role))
		}
	}
	return out
}
