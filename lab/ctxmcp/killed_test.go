package ctxmcp

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/engine/upkeep"
	"ctxledger.dev/hosting/access"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/lab/hosted"
	"ctxledger.dev/lab/programtest"
)

var (
	kills     = flag.Int("kills", 3, "how many `times` a hosting server is killed")
	killEvery = flag.Duration("kill-every", 600*time.Millisecond, "the `time` between two kills, on average")
)

const (
	tenants   = 3
	perTenant = 4 // programs of one tenant
	patience  = 2 * time.Minute
)

// TestNothingAcknowledgedOverHTTPIsLostWhenItIsKilled: again and again, under programs of several workspaces that record,
// compact and remember. Each program knows what every answer must be: a request that was not answered is repeated until it
// is, with the same id, and answered ones are repeated now and then. -kills and -kill-every make it long.
func TestNothingAcknowledgedOverHTTPIsLostWhenItIsKilled(t *testing.T) {
	place := programtest.NewPlace(t)
	run := &killing{t: t, up: make(chan struct{})}
	run.ctx, run.stop = context.WithCancel(t.Context())
	defer run.stop()
	var work sync.WaitGroup
	var programs []*program
	dice := rand.New(rand.NewPCG(*seed, 44))
	for n := range *kills + 1 {
		s, err := hosted.Start(t.Context(), place.Forever(binary, "--http", "127.0.0.1:0"))
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			programs = newPrograms(t, run, s)
			for _, p := range programs {
				work.Go(p.work)
			}
		}
		run.begin(s)
		if n == *kills {
			run.over.Store(true) // the programs check all they know, with a server that stays
			work.Wait()
			if err := s.Stop(); err != nil {
				t.Errorf("%v; the end of its log: %s", err, s.Log)
			}
			break
		}
		select {
		case <-time.After(time.Duration(dice.Int64N(int64(2 * *killEvery)))):
		case <-run.ctx.Done(): // a program has failed
		}
		run.end()
		s.Kill()
	}
	total := map[string]int{}
	for _, p := range programs {
		for what, n := range p.counts {
			total[what] += n
		}
	}
	t.Logf("%d kills, %d programs of %d workspaces: %v; seed %d", *kills, len(programs), tenants, total, *seed)
	for i := range tenants {
		found, err := upkeep.Check(t.Context(), engine.Options{Env: env.System(),
			State: filepath.Join(place.State, "hosted", "workspaces", fmt.Sprint("w", i))})
		if err != nil || len(found.Damage) > 0 {
			t.Errorf("workspace %d: %v %v", i, found.Damage, err)
		}
	}
}

// killing is the server that runs now, if one does.
type killing struct {
	t    *testing.T
	ctx  context.Context
	stop func()
	over atomic.Bool
	mu   sync.Mutex
	url  string        // guarded by mu
	up   chan struct{} // guarded by mu; closed while a server runs
}

func (k *killing) begin(s *hosted.Server) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.url = s.URL
	close(k.up)
}

func (k *killing) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.up = make(chan struct{})
}

// wait returns the address of a running server.
func (k *killing) wait() string {
	k.mu.Lock()
	up := k.up
	k.mu.Unlock()
	select {
	case <-up:
	case <-k.ctx.Done():
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.url
}

// program is a program of a tenant: what it did, and so what every answer must be.
type program struct {
	*killing
	name, token string
	client      *http.Client
	dice        *rand.Rand
	asked       int
	counts      map[string]int

	session string
	all     []string // what it recorded
	view    []string // what a model should see, as texts
	made    []string // compactions, oldest first
	newest  string   // body of its one memory, and the request that it was saved with before
	before  map[string]any
	kept    map[string]string // contents by handle
}

// newPrograms makes the programs of all tenants.
func newPrograms(t *testing.T, k *killing, s *hosted.Server) (all []*program) {
	for i := range tenants {
		token, err := s.Token(fmt.Sprint("w", i), access.Write)
		if err != nil {
			t.Fatal(err)
		}
		for j := range perTenant {
			all = append(all, &program{killing: k, name: fmt.Sprintf("w%dp%d", i, j), token: token,
				client: &http.Client{Transport: &http.Transport{}, Timeout: patience},
				dice:   rand.New(rand.NewPCG(*seed, uint64(i*perTenant+j))), counts: map[string]int{}, kept: map[string]string{}})
		}
	}
	return all
}

// work asks until it is over, or something is wrong, and then for all that it knows.
func (p *program) work() {
	defer p.client.CloseIdleConnections()
	for p.ctx.Err() == nil && !p.over.Load() {
		switch n := p.dice.IntN(20); {
		case n < 9:
			p.record()
		case n < 12:
			p.remember()
		case n < 15:
			p.keep()
		case n < 16 && len(p.view) > 8:
			p.compact()
		default:
			p.look()
		}
	}
	if p.session != "" && p.ctx.Err() == nil {
		p.everything()
	}
}

// wrong ends the test.
func (p *program) wrong(format string, args ...any) {
	if p.ctx.Err() == nil {
		p.t.Errorf("program %s: %s", p.name, fmt.Sprintf(format, args...))
		p.stop()
	}
}

// ask asks until it is answered.
func (p *program) ask(operation string, arguments map[string]any) (answer map[string]any) {
	body, err := json.Marshal(arguments)
	if err != nil {
		p.wrong("%v", err)
		return nil
	}
	for p.ctx.Err() == nil {
		status, text, err := p.send(p.wait()+"/v1/"+operation, body)
		switch {
		case err != nil || status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests:
			p.counts["unanswered"]++
			continue
		case status != http.StatusOK:
			p.wrong("%s: %d: %.500s", body, status, text)
			return nil
		}
		p.counts[operation]++
		if err := json.Unmarshal(text, &answer); err != nil {
			p.wrong("%s: %v: %.500s", body, err, text)
		}
		return answer
	}
	return nil
}

// send sends one request. An answer that does not arrive whole is none.
func (p *program) send(url string, body []byte) (status int, text []byte, err error) {
	r, err := http.NewRequestWithContext(p.ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	r.Header.Set("Content-Type", "application/json")
	got, err := p.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer got.Body.Close()
	text, err = io.ReadAll(got.Body)
	return got.StatusCode, text, err
}

// change asks for a change, under an id of its own. Now and then it asks twice, and wants the same answer.
func (p *program) change(operation string, arguments map[string]any) map[string]any {
	p.asked++
	arguments["request_id"] = fmt.Sprint(p.name, "-", p.asked)
	answer := p.ask(operation, arguments)
	if p.dice.IntN(4) == 0 {
		if again := p.ask(operation, arguments); !reflect.DeepEqual(again, answer) {
			p.wrong("%s %v is answered %.1000v, and then %.1000v", operation, arguments, answer, again)
		}
		p.counts["repeated"]++
	}
	return answer
}

// record appends messages to the conversation, the first one by a conversation that is new.
func (p *program) record() {
	text := fmt.Sprintf("%s says %d: ", p.name, len(p.all)) + strings.Repeat("and says why it has to be so ", 20) + "now."
	role := []string{"user", "assistant"}[len(p.all)%2]
	arguments := map[string]any{"messages": []any{map[string]any{"role": role, "content": text}}, "format": "anthropic"}
	if p.session != "" {
		arguments["session"], arguments["since"] = p.session, true
	}
	answer := p.change("append_messages", arguments)
	session, _ := answer["session"].(string)
	if p.session == "" {
		p.session = session
	}
	if session == "" || session != p.session || answer["added"] != 1.0 {
		p.wrong("message %d of session %s: %v", len(p.all), p.session, answer)
	}
	p.all, p.view = append(p.all, text), append(p.view, text)
}

// remember saves a memory under the same name, and repeats the request before it: it was answered, and must not be applied
// again.
func (p *program) remember() {
	body := fmt.Sprintf("%s knows %d", p.name, p.asked)
	arguments := map[string]any{"action": "save", "name": p.name, "body": body}
	p.change("memory", arguments)
	p.newest = body
	if p.before != nil && p.dice.IntN(2) == 0 {
		p.ask("memory", p.before)
		p.counts["repeated late"]++
	}
	p.before = arguments
}

// keep puts an artifact.
func (p *program) keep() {
	content := fmt.Sprintf("%s keeps %d\n", p.name, p.asked) + strings.Repeat("a line\n", p.dice.IntN(2000))
	handle, _ := p.change("put_artifact", map[string]any{"content": content, "title": "kept"})["id"].(string)
	if handle == "" || p.kept[handle] != "" {
		p.wrong("an artifact has the handle %q", handle)
	}
	p.kept[handle] = content
}

// compact compacts the conversation: the view is a summary, and the newest messages as they were.
func (p *program) compact() {
	answer := p.change("compact_conversation", map[string]any{"session": p.session, "keep_turns": 2, "return": "messages"})
	if answer["status"] != "compacted" {
		if why := answer["status"]; why != "nothing_to_do" && why != "refused" { // it would not pay off yet
			p.wrong("a compaction: %.1000v", answer)
		}
		return
	}
	summary, _ := answer["summary_id"].(string)
	view := texts(answer["messages"])
	kept := len(view) - 1
	if kept < 1 || kept >= len(p.view) || summary == "" || !slices.Equal(view[1:], p.view[len(p.view)-kept:]) {
		p.wrong("a compaction of %q shows %q", p.view, view)
	}
	p.view, p.made = view, append(p.made, summary)
}

// texts returns the texts of messages.
func texts(messages any) (all []string) {
	list, _ := messages.([]any)
	for _, m := range list {
		fields, _ := m.(map[string]any)
		switch c := fields["content"].(type) {
		case string:
			all = append(all, c)
		case []any:
			part, _ := c[0].(map[string]any)
			all = append(all, fmt.Sprint(part["text"]))
		}
	}
	return all
}

// look asks for something that it knows.
func (p *program) look() {
	switch n := p.dice.IntN(3); {
	case n == 0 && p.session != "":
		p.seen()
	case n == 1 && p.newest != "":
		p.recall()
	case n == 2 && len(p.kept) > 0:
		handles := slices.Sorted(maps.Keys(p.kept))
		p.read(handles[p.dice.IntN(len(handles))])
	}
}

// recall wants the newest body of its memory.
func (p *program) recall() {
	answer := p.ask("memory", map[string]any{"action": "get", "name": p.name})
	if entries, _ := answer["entries"].([]any); len(entries) == 1 {
		if fact, _ := entries[0].(map[string]any); fact["body"] == p.newest {
			return
		}
	}
	p.wrong("it saved %q, and is told %.1000v", p.newest, answer)
}

// seen wants the view to be the expected one.
func (p *program) seen() {
	if got := texts(p.ask("view", map[string]any{"session": p.session})["messages"]); !slices.Equal(got, p.view) {
		p.wrong("the view is %q, not %q", got, p.view)
	}
}

// read wants to get back what it put.
func (p *program) read(handle string) {
	answer := p.ask("read_artifact", map[string]any{"id": handle, "limit": 40_000})
	if got, _ := answer["text"].(string); got != p.kept[handle] {
		p.wrong("artifact %s is %.100q… of %d bytes, not %.100q… of %d", handle, got, len(got), p.kept[handle], len(p.kept[handle]))
	}
}

// everything wants all back: the view, all artifacts and, behind the compactions, every message once and in order.
func (p *program) everything() {
	p.seen()
	if p.newest != "" {
		p.recall()
	}
	for handle := range p.kept {
		p.read(handle)
	}
	for _, summary := range slices.Backward(p.made) {
		p.change("restore", map[string]any{"id": summary})
	}
	p.view = p.all
	p.seen()
}
