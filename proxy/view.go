package proxy

import (
	"bytes"
	"context"
	"hash/maphash"
	"strings"
	"sync"
	"time"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// cacheLife is how long providers keep a prompt in their cache at least.
const cacheLife = 5 * time.Minute

// view is what a conversation is sent as. What it shows less of stays so: it changes only where nothing was sent yet, and by
// steps.
type view struct {
	live ledger.LiveSession
	used time.Time // guarded by the reducer's lock
	seed maphash.Seed

	mu       sync.Mutex              // held while a request is made ready
	sent     time.Time               // the newest request
	pieces   map[uint64]*piece       // messages of the newest request, by a hash of their bytes
	order    []*piece                // the same, in order
	shown    map[part]string         // what stands for a part
	edits    map[part]window.Edit    // decided, and not applied yet
	decided  map[string]bool         // calls whose results were sent, as they are or as a stub
	resumed  *job[sentBefore]        // what an earlier proxy has sent
	known    bool                    // that was taken
	deciding *job[ledger.EditedView] // the next step
	cold     bool                    // the provider's cache has expired with this request
	// What came too late for its request, and waits for a step.
	late    []*job[map[part]string]
	waiting []window.Edit
}

// part is a part of a message that belongs to a call: its arguments, or the text of its result.
type part struct {
	call string
	kind transcript.Kind
}

// piece is a message of a request.
type piece struct {
	raw    []byte // in the body of the newest request that has it
	role   transcript.Role
	parts  []transcript.Part // calls and results of the agent
	sealed bool              // it has reasoning, which its provider signs: it is never edited
	out    []byte            // what is sent in its place; nil: the message as it is
	fresh  bool              // out is up to date
}

func newView(live ledger.LiveSession, agent string) *view {
	if agent != "" {
		live.Parent, live.HostID = live.HostID, live.HostID+"/agent-"+agent
	}
	return &view{live: live, seed: maphash.MakeSeed(), shown: map[part]string{}, edits: map[part]window.Edit{},
		decided: map[string]bool{}}
}

// read takes in the messages of a request. Those of the request before are known.
func (v *view) read(d draft) {
	before := v.pieces
	v.pieces, v.order = make(map[uint64]*piece, len(d.spans)), make([]*piece, len(d.spans))
	for i, span := range d.spans {
		raw := span.In(d.body)
		h := maphash.Bytes(v.seed, raw)
		p := before[h]
		if p == nil {
			p = pieceOf(raw)
		}
		p.raw = raw
		v.pieces[h], v.order[i] = p, p
	}
}

func pieceOf(raw []byte) *piece {
	p := &piece{}
	m, err := transcript.Decode(transcript.Anthropic, raw)
	if err != nil {
		return p // it stays as it is
	}
	p.role = m.Role
	for _, x := range m.Parts {
		p.sealed = p.sealed || x.Kind == transcript.KindReasoning
		if (x.Kind == transcript.KindCall || x.Kind == transcript.KindResult) && !x.Sealed {
			p.parts = append(p.parts, x)
		}
	}
	return p
}

// show has a text stand for a part from now on.
func (v *view) show(p part, text string) {
	v.shown[p] = text
	v.stale(p)
}

// stale has the messages with a part written again.
func (v *view) stale(p part) {
	for _, x := range v.order {
		for _, own := range x.parts {
			x.fresh = x.fresh && (part{own.ID, own.Kind}) != p
		}
	}
}

// shows returns what stands for a part of a message, and whether that is something else.
func (v *view) shows(x transcript.Part) (string, bool) {
	p := part{x.ID, x.Kind}
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
	out, err := transcript.Edit(transcript.Anthropic, p.raw, transcript.Edits{Shorten: v.shows})
	if err == nil && !bytes.Equal(out, p.raw) {
		p.out = out
	}
}

// send returns the body that is sent, and says in the exchange what became of it.
func (v *view) send(d draft, x *exchange, stepped bool, whole []string) []byte {
	out := make([][]byte, len(v.order))
	parts := 0
	for i, p := range v.order {
		if v.write(p); p.out != nil {
			out[i] = p.out
			parts++
		}
	}
	v.sent = x.at
	for _, p := range v.order {
		for i := range p.parts {
			p.parts[i].Text = "" // it is in the body
		}
	}
	if parts == 0 && len(whole) == 0 {
		return d.body
	}
	body := d.with(out)
	x.reduced = &ledger.Reduced{Bytes: int64(len(d.body) - len(body)), Messages: parts, Step: stepped, Whole: whole}
	return body
}

// newest returns the results of a request that were not sent before, with their calls by id: they follow the newest answer.
func (v *view) newest() (results []transcript.Part, calls map[string]transcript.Part) {
	at := len(v.order) - 1
	for at >= 0 && v.order[at].role != transcript.RoleAssistant {
		at--
	}
	calls = map[string]transcript.Part{}
	for i := max(at, 0); i < len(v.order); i++ {
		for _, x := range v.order[i].parts {
			switch {
			case x.Kind == transcript.KindCall:
				calls[x.ID] = x
			case !v.decided[x.ID]:
				results = append(results, x)
			}
		}
	}
	return results, calls
}

// decide brings the view up to date. stepped says that something that was sent becomes another one; whole are the calls
// whose results are sent as they are because their stubs come too late.
func (v *view) decide(r *reducer, at time.Time) (stepped bool, whole []string) {
	v.cold = v.sent.IsZero() || at.Sub(v.sent) > cacheLife
	stepped = v.resume(r)
	soon, cancel := context.WithTimeout(r.life, r.patience)
	defer cancel()
	results, calls := v.newest()
	taking := v.take(r, results, calls)
	stepped = v.step(r, soon, func(call string) bool {
		_, made := calls[call]
		return made && !v.decided[call]
	}) || stepped
	for _, x := range results {
		v.decided[x.ID] = true
	}
	if taking != nil {
		if taking.within(soon) {
			for p, text := range taking.out {
				v.show(p, text)
			}
		} else {
			v.late = append(v.late, taking)
			for _, x := range results {
				whole = append(whole, x.ID)
			}
		}
	}
	if stepped || v.cold {
		stepped = v.catchUp() || stepped
	}
	return stepped, whole
}

// catchUp takes what came too late.
func (v *view) catchUp() (changed bool) {
	for _, e := range v.waiting {
		v.edit(e)
	}
	changed, v.waiting = len(v.waiting) > 0, nil
	waiting := v.late[:0]
	for _, j := range v.late {
		if !j.ended() {
			waiting = append(waiting, j)
			continue
		}
		for p, text := range j.out {
			v.show(p, text)
			changed = true
		}
	}
	v.late = waiting
	return changed
}

// take begins to store the results that are worth a stub; nil: none is.
func (v *view) take(r *reducer, results []transcript.Part, calls map[string]transcript.Part) *job[map[part]string] {
	var asked []ledger.TakeResultRequest
	for _, x := range results {
		call, known := calls[x.ID]
		large := len(x.Text) > limits.OffloadChars || len(x.Text) > limits.TerminalChars && strings.ContainsAny(x.Text, "\x1b\r\b")
		if known && large && !x.IsError && !artifacts.IsStub(x.Text) {
			asked = append(asked, ledger.TakeResultRequest{LiveSession: v.live, CallID: x.ID, Tool: call.Name, Args: call.Args,
				Text: []byte(x.Text), Limits: ledger.ResultLimits{Above: limits.OffloadChars, Terminal: limits.TerminalChars}})
		}
	}
	if len(asked) == 0 {
		return nil
	}
	return begin(r, func(ctx context.Context, api Ledger) (map[part]string, error) {
		stubs := map[part]string{}
		for _, q := range asked {
			if len(q.Text) > maxInline {
				blob, err := api.PutBlob(ctx, bytes.NewReader(q.Text))
				if err != nil {
					return stubs, err
				}
				q.Text, q.Blob = nil, blob.Hash
			}
			taken, err := api.TakeResult(ctx, q)
			if err != nil {
				return stubs, err
			}
			if taken.Stub != "" {
				stubs[part{q.CallID, transcript.KindResult}] = taken.Stub
			}
		}
		return stubs, nil
	})
}

// maxInline is how much of a result travels inside a request to the ledger, in bytes.
const maxInline = 2 << 20

// step asks for the next step and takes what was decided: at once what pays for the cache that it breaks, and what is about
// parts that were not sent yet.
func (v *view) step(r *reducer, soon context.Context, fresh func(call string) bool) bool {
	late := v.deciding != nil
	if !late {
		sent := v.sent
		v.deciding = begin(r, func(ctx context.Context, api Ledger) (ledger.EditedView, error) {
			s, err := api.Session(ctx, ledger.SessionRequest{Host: v.live.Host, HostID: v.live.HostID})
			if err != nil {
				return ledger.EditedView{}, err
			}
			return api.EditView(ctx, ledger.EditViewRequest{Session: s.ID, Sent: sent})
		})
	}
	if !v.deciding.within(soon) {
		return false
	}
	made := v.deciding.out
	v.deciding = nil
	for _, e := range made.Edits {
		if made.Rewritten > 0 || !late && (v.cold || fresh(e.Call)) {
			v.edit(e)
		} else {
			v.waiting = append(v.waiting, e)
		}
	}
	return made.Rewritten > 0
}

// edit takes in an edit of a part of a call.
func (v *view) edit(e window.Edit) {
	p := part{e.Call, transcript.KindResult}
	switch e.Part {
	case window.PartResult:
	case window.PartArguments:
		p.kind = transcript.KindCall
	default:
		return
	}
	v.edits[p] = e
	v.stale(p)
}
