package proxy

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// cacheLife is how long providers keep a prompt in their cache, and cacheLifeLong if the request asks for that.
const (
	cacheLife     = 5 * time.Minute
	cacheLifeLong = time.Hour
)

// view is what a conversation is sent as. What it shows less of stays so: it changes only where nothing was sent yet, and by
// steps.
type view struct {
	format transcript.Format // of its messages
	live   ledger.LiveSession
	agent  string    // the host's id of the subagent
	used   time.Time // guarded by the reducer's lock
	seed   maphash.Seed

	mu     sync.Mutex        // held while a request is made ready
	sent   time.Time         // the newest request
	cold   bool              // with this request the provider's cache has expired
	long   bool              // requests ask for a cache that is kept for an hour
	pieces map[uint64]*piece // messages of the newest request, by a hash of their bytes
	order  []*piece          // the same, in order

	shown   map[part]string      // what stands for a part
	edits   map[part]window.Edit // decided, and not applied yet
	cut     *cut
	session string          // its id in the ledger; "": not known yet
	seq     int64           // the entry of the log with the newest step
	summary string          // the compaction that the ledger's view began with when it was read last
	decided map[string]bool // calls whose results were sent, as they are or as a stub
	whole   map[string]bool // calls whose results were sent as they are although the ledger has stubs, or will have

	limit   int     // tokens that a provider takes of a request, by a refusal; 0: not known
	limited string  // the model of that
	copied  bool    // the newest request was sent as a smaller copy, of which nothing stays
	perByte float64 // tokens of a byte of a request, as the provider counted the newest one; 0: not known
	size    int     // bytes of the newest request

	listing *job[listing]     // nil: none is under way
	handles map[string]string // see listing
	masked  map[string]bool   // calls whose results the agent has replaced by a preview: what was sent stays
	listed  int64             // the first entry of the log that is not listed
	edited  map[string]string // what another proxy may have sent in the place of results, by their calls
	named   map[string]bool   // calls whose results another proxy has named: see name
	naming  []string          // those that this request is the first with

	resuming *job[change] // what another proxy has sent; nil once it is known
	resumed  bool
	deciding *job[change]            // the next step; nil: none is asked for
	early    bool                    // it was asked for before the request came
	stubs    []*job[map[part]string] // stubs of results that were sent whole
	waiting  change                  // for a step, or until it is worth one
	reached  int                     // how many messages the newest request had
	kept     int                     // the first message behind the cut that it was sent with; 0: with none
}

// part is a part of a message: the arguments of a call or the text of its result, by the call's id; a text by its hash.
type part struct {
	id   string
	kind transcript.Kind
}

// piece is a message of a request.
type piece struct {
	raw     []byte // in the body of the newest request that has it
	role    transcript.Role
	parts   []transcript.Part // texts, calls and results of the agent; of texts the ID is their hash
	masked  []string          // the ids of those that the agent has replaced by a preview
	sealed  bool              // it has reasoning or parts that its provider has signed: it is never edited
	defines bool              // it has the definitions of tools that the model has looked for
	out     []byte            // what is sent in its place; nil: the message as it is
	fresh   bool              // out is up to date
	was     []byte            // out of the request before
	known   bool              // that had the message
}

// bytes is what is sent of a message.
func (p *piece) bytes() []byte {
	if p.out != nil {
		return p.out
	}
	return p.raw
}

func newView(f transcript.Format, live ledger.LiveSession, agent string) *view {
	if agent != "" {
		live.Parent, live.HostID = live.HostID, live.HostID+"/agent-"+agent
	}
	return &view{format: f, live: live, agent: agent, seed: maphash.MakeSeed(), shown: map[part]string{},
		edits: map[part]window.Edit{}, decided: map[string]bool{}, whole: map[string]bool{}, waiting: newChange(),
		handles: map[string]string{}, masked: map[string]bool{}}
}

// read takes in the messages of a request. Those of the request before are known.
func (v *view) read(d draft) {
	before := v.pieces
	head, last := d.body[:d.spans[0].From], d.spans[len(d.spans)-1].In(d.body) // where marks of the cache are
	v.long = bytes.Contains(head, []byte(`"ttl":"1h"`)) || bytes.Contains(last, []byte(`"ttl":"1h"`))
	v.pieces, v.order = make(map[uint64]*piece, len(d.spans)), make([]*piece, len(d.spans))
	for i, span := range d.spans {
		raw := span.In(d.body)
		h := maphash.Bytes(v.seed, raw)
		p := before[h]
		if p == nil {
			p = v.pieceOf(raw)
			for _, id := range p.masked {
				v.masked[id] = true
			}
		}
		p.raw = raw
		v.pieces[h], v.order[i] = p, p
	}
}

// What is in a message that defines tools, and in one that is signed. In a text the quotation marks would be escaped.
var (
	definitions = []string{`"tool_reference"`, `"tool_search_output"`}
	signatures  = []string{`"thoughtSignature"`, `"thought_signature"`}
)

// pieceOf reads a message. It changes nothing of the view: what is decided meanwhile reads messages of the ledger.
func (v *view) pieceOf(raw []byte) *piece {
	has := func(word string) bool { return bytes.Contains(raw, []byte(word)) }
	p := &piece{raw: raw, defines: slices.ContainsFunc(definitions, has), sealed: slices.ContainsFunc(signatures, has)}
	m, err := transcript.Decode(v.format, raw)
	if err != nil {
		return p // it stays as it is
	}
	p.role = m.Role
	for _, x := range m.Parts {
		switch x.Kind {
		case transcript.KindReasoning:
			p.sealed = true
		case transcript.KindText:
			p.parts = append(p.parts, transcript.Part{Kind: x.Kind, ID: v.hash(x.Text)})
		case transcript.KindCall, transcript.KindResult:
			if !x.Sealed && !nameless(x) { // a name that its place gives it comes again in each answer
				p.parts = append(p.parts, x)
				if strings.HasPrefix(x.Text, transcript.Masked) {
					p.masked = append(p.masked, x.ID)
				}
			}
		}
	}
	return p
}

// hash names a text.
func (v *view) hash(text string) string {
	return strconv.FormatUint(maphash.String(v.seed, strings.TrimSpace(text)), 16)
}

// stale has the messages with a part written again.
func (v *view) stale(p part) {
	for _, x := range v.order {
		for _, own := range x.parts {
			x.fresh = x.fresh && (part{own.ID, own.Kind}) != p
		}
	}
}

// adopt makes a change that a view is sent with from now on.
func (v *view) adopt(c change) {
	for p, text := range c.stubs {
		if !v.masked[p.id] {
			v.shown[p] = text
			delete(v.whole, p.id)
			v.stale(p)
		}
	}
	for p, e := range c.edits {
		v.edits[p] = e
		v.stale(p)
	}
	v.seq, v.session = max(v.seq, c.seq), cmp.Or(v.session, c.session)
	if c.all && c.summary != v.summary && c.known() {
		if c.cut != nil {
			c.cut.before = v.cut
		}
		v.cut, v.summary = c.cut, c.summary
	}
}

// partOf names a part of a message.
func (v *view) partOf(x transcript.Part) part {
	if x.Kind == transcript.KindText {
		return part{v.hash(x.Text), x.Kind}
	}
	return part{x.ID, x.Kind}
}

// wayBack is appended to the agent's own summary, which does not say how to read the messages it replaced. %s is the session's id.
const wayBack = "\n\n[ctxledger has kept the conversation before this summary word for word. " +
	`To look something up: read_artifact(id="%s", search="words"), or grep="pattern".]`

// point appends wayBack to an agent's summary. A summary stays as it was first sent.
func (v *view) point(p part, text string) {
	if by := transcript.EarlierBy(text); by == "" || by == "ctxledger" {
		return
	}
	if _, sent := v.shown[p]; sent {
		return
	}
	v.shown[p] = text
	if v.session != "" {
		v.shown[p] += fmt.Sprintf(wayBack, v.session)
	}
}

// shows returns what stands for a part of a message, and whether that is something else.
func (v *view) shows(x transcript.Part) (string, bool) {
	p := v.partOf(x)
	switch {
	case x.Kind == transcript.KindText:
		v.point(p, x.Text)
	case x.Kind == transcript.KindResult && (x.Text == transcript.Cleared || v.masked[x.ID]):
		v.name(p, x.Text)
	}
	if e, made := v.edits[p]; made {
		delete(v.edits, p)
		if text, shorter := e.Apply(x); shorter {
			v.shown[p] = text
		}
	}
	text, known := v.shown[p]
	return text, known && text != x.Text && text != string(x.Args)
}

// write brings what is sent in the place of a message up to date.
func (v *view) write(p *piece) {
	if p.fresh {
		return
	}
	p.out, p.fresh = nil, true
	if p.sealed || len(p.parts) == 0 {
		return
	}
	out, err := transcript.Edit(v.format, p.raw, transcript.Edits{Shorten: v.shows})
	if err == nil && out != nil && !bytes.Equal(out, p.raw) {
		p.out = out
	}
}

// send returns the body that is sent, and says in the exchange what became of it.
func (v *view) send(d draft, x *exchange, stepped bool) []byte {
	out := make([][]byte, len(v.order))
	parts, whole := 0, []string(nil)
	for i, p := range v.order {
		if v.write(p); p.out != nil {
			out[i] = p.out
			parts++
		}
		for k := range p.parts {
			x := &p.parts[k]
			x.Text, x.Args = "", nil // they are in the body
			if x.Kind == transcript.KindResult && v.whole[x.ID] && len(whole) < ledger.MaxWhole {
				whole = append(whole, x.ID)
			}
		}
	}
	first, kept, by := v.replaced()
	at, left := []int{v.head()}, maxMarks-marks(d.body) // the head is marked in each, so that the next step finds it
	if i := v.unchanged(first, kept); stepped && i != at[0] {
		at = append([]int{i}, at...)
	}
	for _, i := range at {
		if i < 0 || left <= 0 {
			continue
		}
		if marked := withMark(v.order[i].bytes(), d); marked != nil {
			out[i] = marked
			left--
		}
	}
	parts += kept - first
	x.named, v.naming = append(x.named, v.naming...), nil
	v.sent, v.reached = x.at, len(v.order)
	if parts == 0 && len(whole) == 0 && !stepped {
		return d.body
	}
	body := d.with(out, by, first, kept)
	x.reduced = &ledger.Reduced{Bytes: int64(len(d.body) - len(body)), Messages: parts, Step: stepped,
		Whole: whole, Seq: v.seq, Named: x.named}
	return body
}
