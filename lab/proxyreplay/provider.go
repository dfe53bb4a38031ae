package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxledger.dev/engine/replay"
	"ctxledger.dev/tokens"
)

// provider answers requests of Anthropic's Messages API as far as their cost goes: it counts their blocks, keeps a prompt
// cache by replay.Anthropic, and reports usage. Time is told to it. It is an http.Handler, safe for concurrent use.
type provider struct {
	sizes  map[string]float64 // tokens of blocks, as recorded requests had them
	factor float64            // tokens of all others, for one of o200k_base
	// anywhere has the cache be read at the end of every block that an earlier request had, as no provider documents.
	anywhere bool
	keep     string // the directory that gets each request; "": none

	mu     sync.Mutex
	at     time.Time                // guarded by mu
	output int64                    // guarded by mu; of the next answer
	caches map[string]*replay.Cache // guarded by mu; by model
	known  map[string]block         // guarded by mu; counted blocks
	log    []answered               // guarded by mu
}

// answered is a request and what it used.
type answered struct {
	model  string
	used   tokens.Used
	blocks []block // with those before the messages
}

func newProvider(sizes map[string]float64, factor float64) *provider {
	return &provider{sizes: sizes, factor: factor, caches: map[string]*replay.Cache{}, known: map[string]block{}}
}

// next says when the next request comes, and how long its answer is.
func (p *provider) next(at time.Time, output int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at, p.output = at, output
}

// size says how many tokens a block has.
func (p *provider) size(id string, tokens float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sizes[id] = tokens
}

// newest returns the newest request.
func (p *provider) newest() answered {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log[len(p.log)-1]
}

// warm has another session of the user use the cache just now.
func (p *provider) warm(model string, at time.Time, tools [][]byte, system []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []replay.Block
	for _, b := range tools {
		all = append(all, p.cacheBlock("tool", b))
	}
	all = append(all, p.cacheBlock("system", system))
	p.cache(model).Use(at, all)
}

// cache returns the cache of a model. The caller has the lock.
func (p *provider) cache(model string) *replay.Cache {
	if p.caches[model] == nil {
		p.caches[model] = &replay.Cache{Rules: replay.Anthropic(model)}
		if p.anywhere {
			p.caches[model].Back = 0
		}
	}
	return p.caches[model]
}

// cacheBlock returns a block as the cache sees it. The caller has the lock.
func (p *provider) cacheBlock(role string, raw []byte) replay.Block {
	b := blockOf(role, raw)
	if _, counted := p.known[b.id]; !counted {
		p.known[b.id] = b.counted(role)
	}
	out := replay.Block{ID: b.id, Tokens: p.sizeOf(p.known[b.id])}
	if m := mark.Find(raw); m != nil {
		if out.Life = 5 * time.Minute; strings.Contains(string(m), `"1h"`) {
			out.Life = time.Hour
		}
	}
	return out
}

// sizeOf returns the tokens of a block. An agent's summary to which the proxy has appended something keeps its recorded size,
// which includes attachments that the session file does not show.
func (p *provider) sizeOf(b block) float64 {
	if size, known := p.sizes[b.id]; known {
		return size
	}
	if summary, _, added := strings.Cut(b.text, "\n\n[ctxledger has kept "); added {
		if size, known := p.sizes[earlier+strings.TrimSpace(summary)]; known {
			return size + p.factor*float64(b.tokens-tokens.O200kBase.CountString(summary))
		}
	}
	return p.factor * float64(b.tokens)
}

// asked is a request of the Messages API.
type asked struct {
	Model    string
	Tools    []json.RawMessage
	System   []json.RawMessage
	Messages []struct {
		Role    string
		Content blocks
	}
	Context struct {
		Edits []struct{ Type string }
	} `json:"context_management"`
}

// blocks are a content: a list of them, or a text, which is one.
type blocks []json.RawMessage

// UnmarshalJSON implements json.Unmarshaler.
func (b *blocks) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(raw, []byte(`"`)) {
		*b = blocks{slices.Concat([]byte(`{"type":"text","text":`), raw, []byte(`}`))}
		return nil
	}
	return json.Unmarshal(raw, (*[]json.RawMessage)(b))
}

// ServeHTTP implements http.Handler.
func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var q asked
	if err == nil {
		err = json.Unmarshal(body, &q)
	}
	w.Header().Set("Content-Type", "application/json")
	if err != nil || !strings.HasSuffix(r.URL.Path, "/messages") {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"type":"error","error":{"type":"invalid_request_error","message":%q}}`, fmt.Sprint(r.URL.Path, ": ", err))
		return
	}
	used, n := p.answer(q)
	if p.keep != "" {
		if err := os.WriteFile(filepath.Join(p.keep, fmt.Sprintf("%04d.json", n)), body, 0o600); err != nil {
			fmt.Fprintln(os.Stderr, "\rproxyreplay:", err)
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{ // the client may have gone: its loss
		"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant", "model": q.Model, "stop_reason": "end_turn",
		"content": []map[string]string{{"type": "text", "text": "as recorded"}},
		"usage": map[string]any{"input_tokens": used.Input, "output_tokens": used.Output,
			"cache_read_input_tokens": used.CacheRead, "cache_creation_input_tokens": used.Written(),
			"cache_creation": map[string]int64{"ephemeral_5m_input_tokens": used.CacheWrite,
				"ephemeral_1h_input_tokens": used.CacheWriteLong}},
	})
}

// answer answers a request and returns its number.
func (p *provider) answer(q asked) (tokens.Used, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var parts []block
	var all []replay.Block
	add := func(role string, raw json.RawMessage) {
		b := p.cacheBlock(role, raw)
		parts, all = append(parts, p.known[b.ID]), append(all, b)
	}
	for _, raw := range q.Tools {
		add("tool", raw)
	}
	for _, raw := range q.System {
		add("system", raw)
	}
	for _, m := range q.Messages {
		for _, raw := range m.Content {
			add(m.Role, raw)
		}
	}
	for _, e := range q.Context.Edits {
		if e.Type == clearToolUses {
			clearResults(all, parts)
		}
	}
	if p.anywhere {
		life := slices.MaxFunc(all, func(a, b replay.Block) int { return cmp.Compare(a.Life, b.Life) }).Life
		for i := range all {
			all[i].Life = life
		}
	}
	used := p.cache(q.Model).Use(p.at, all)
	used.Output = p.output
	p.log = append(p.log, answered{q.Model, used, parts})
	return used, len(p.log)
}

// clearToolUses is the edit of requests that Anthropic itself makes, with its documented defaults: above 100,000 tokens of
// input, all results but those of the newest three calls are replaced by a note.
const clearToolUses = "clear_tool_uses_20250919"

const (
	clearAbove = 100_000
	clearKept  = 3
	clearNote  = 10 // tokens of what stands for a result
)

// clearResults makes that edit.
func clearResults(all []replay.Block, blocks []block) {
	total := 0.0
	for _, b := range all {
		total += b.Tokens
	}
	if total <= clearAbove {
		return
	}
	kept := 0
	for i := len(all) - 1; i >= 0; i-- {
		if !blocks[i].result {
			continue
		}
		if kept++; kept <= clearKept || all[i].Tokens <= clearNote {
			continue
		}
		all[i].ID, all[i].Tokens = "cleared "+all[i].ID, clearNote
		blocks[i].id, blocks[i].text = all[i].ID, ""
	}
}
