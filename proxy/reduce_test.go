package proxy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ctxledger.dev/ledger"
	"ctxledger.dev/proxy"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// session is the id that the agent of a talk gives to its session.
const session = "5c5c5c5c-0000-4000-8000-000000000001"

// talk plays an agent: it keeps the messages of a conversation, sends them all with each request, and writes its session file
// behind the answer.
type talk struct {
	*scene
	speech
	tools    string
	messages []string
	source   string // of what the ledger reads: the session file
	written  int    // messages that the ledger has of it
	calls    int
	bodies   []string // as the agent wrote them
	sent     []string // as the provider got them
}

// newTalk returns a conversation of Claude Code.
func newTalk(t *testing.T) *talk { return newTalkOf(t, claude) }

func newTalkOf(t *testing.T, of speech) *talk {
	s := newScene(t, answerJSON(of.answer))
	s.stop()
	s.reduce = true
	s.start()
	return &talk{scene: s, speech: of, tools: of.tools, messages: []string{of.first}}
}

func quoted(text string) string {
	raw, _ := json.Marshal(text)
	return string(raw)
}

// call adds a call and its result to the conversation, and returns the id of the call.
func (k *talk) call(tool, args, result string) string {
	k.calls++
	id := fmt.Sprintf("toolu_%03d", k.calls)
	k.messages = append(k.messages, k.speech.call(k.calls, id, tool, args, result)...)
	return id
}

// ask sends the conversation and returns the body that the provider got. Then the session file has what was said.
func (k *talk) ask() string {
	k.Helper()
	if resp, got := k.post(); resp.StatusCode != http.StatusOK {
		k.Fatalf("%s: %.300s", resp.Status, got)
	}
	k.file()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.sent = append(k.sent, string(k.asked[len(k.asked)-1].body))
	return k.sent[len(k.sent)-1]
}

// post sends the conversation and returns the answer.
func (k *talk) post(headers ...string) (*http.Response, []byte) {
	k.Helper()
	body := fmt.Sprintf(k.frame, k.model, k.tools, strings.Join(k.messages, ", "))
	k.bodies = append(k.bodies, body)
	return k.send("/"+token+k.path, body, append(headers, k.headers...)...)
}

// named is what finds the session: of an agent without session files, the only one.
func (k *talk) named() ledger.SessionRequest {
	if k.files {
		return ledger.SessionRequest{HostID: session}
	}
	return ledger.SessionRequest{Latest: true}
}

// measured returns the requests of the session.
func (k *talk) measured() []ledger.ModelRequest {
	k.Helper()
	s, err := k.ledger.Session(k.Context(), k.named())
	if err != nil || s.Host != k.host {
		k.Fatalf("%+v, %v", s, err)
	}
	return k.requests(s.ID)
}

// file writes what was said into the session file, which the ledger follows, if the agent has one.
func (k *talk) file() {
	k.Helper()
	if !k.files {
		k.served.Recorded()
		return
	}
	to := int64(len(k.messages))
	r := ledger.AppendEntriesRequest{Import: k.host + ":" + k.source, Offset: int64(k.written), Next: to, Line: to,
		Done: true, Session: sessions.Session{Host: k.host, HostID: session}}
	for _, m := range k.messages[k.written:] {
		e := sessions.NewEntry{Kind: sessions.KindMessage, Format: k.format, Time: time.Now(),
			Original: []byte(m)}
		if strings.Contains(m, `"assistant"`) {
			e.Model, e.Usage = k.model, &sessions.Usage{Input: 10, CacheRead: 90, CacheWrite: 5,
				Output: 7}
		}
		r.Entries = append(r.Entries, e)
	}
	if _, err := k.ledger.AppendEntries(k.Context(), r); err != nil {
		k.Fatal(err)
	}
	k.written = len(k.messages)
}

// messagesOf returns the messages of a body.
func messagesOf(t *testing.T, body string) []json.RawMessage {
	t.Helper()
	var b struct{ Messages, Input, Contents []json.RawMessage }
	if err := json.Unmarshal([]byte(body), &b); err != nil {
		t.Fatal(err)
	}
	return slices.Concat(b.Messages, b.Input, b.Contents)
}

func rawMessages(t *testing.T, body string) (out [][]byte) {
	t.Helper()
	for _, m := range messagesOf(t, body) {
		out = append(out, m)
	}
	return out
}

// results returns the texts of the results in a body by their calls.
func (k *talk) results(body string) map[string]string {
	k.Helper()
	out := map[string]string{}
	for _, raw := range messagesOf(k.T, body) {
		m, err := transcript.Decode(k.format, raw)
		if err != nil {
			k.Fatal(err)
		}
		for _, p := range m.Parts {
			if p.Kind == transcript.KindResult {
				out[p.ID] = p.Text
			}
		}
	}
	return out
}

// steps ends the proxy and returns how many requests changed what was sent before. It fails unless all others begin
// with the
// messages of the request before them, byte by byte.
func (k *talk) steps() (n int) {
	k.Helper()
	k.stop()
	all := k.measured()
	if len(all) != len(k.sent) {
		k.Fatalf("%d requests are recorded of %d", len(all), len(k.sent))
	}
	for i, body := range k.sent {
		if err := transcript.Sendable(k.format, rawMessages(k.T, body)); err != nil {
			k.Fatalf("request %d: %v", i, err)
		}
		k.reasoned(body, k.bodies[i])
	}
	k.reads()
	for i, q := range all[1:] {
		if q.Reduced != nil && q.Reduced.Step {
			n++
			continue
		}
		k.goesOn(i)
	}
	return n
}

// reasoned fails unless items of reasoning in a body are followed by what they led to, and signed messages are the agent's.
func (k *talk) reasoned(body, written string) {
	k.Helper()
	all := messagesOf(k.T, body)
	for i, raw := range all {
		if bytes.Contains(raw, []byte("thoughtSignature")) && !strings.Contains(written, string(raw)) {
			k.Errorf("a signed message became %s", raw)
		}
		var item struct{ Type, ID string }
		if json.Unmarshal(raw, &item) != nil || item.Type != "reasoning" {
			continue
		}
		step := "Step " + strings.TrimPrefix(item.ID, "rs_") + "."
		if i+1 == len(all) || !strings.Contains(string(all[i+1]), step) {
			k.Errorf("behind %s there is no %s", raw, step)
		}
	}
}

// handle finds what reads back the rest of a text that shows less.
var handle = regexp.MustCompile(`(?:Artifact: |read_artifact\(id=")([0-9a-f]{12}[0-9.]*)`)

// reads fails unless each result that the provider got as another text names what reads back the one that the agent
// wrote.
func (k *talk) reads() {
	k.Helper()
	read := map[string]bool{}
	for i, body := range k.sent {
		now := k.results(body)
		for call, was := range k.results(k.bodies[i]) {
			shown, there := now[call]
			if !there || shown == was || read[call+shown] {
				continue
			}
			read[call+shown] = true
			m := handle.FindStringSubmatch(shown)
			if m == nil {
				k.Fatalf("request %d: nothing reads %s back: %.300s", i, call, shown)
			}
			page, err := k.ledger.ReadArtifact(k.Context(), ledger.ReadArtifactRequest{ID: m[1]})
			if err != nil || page.TotalBytes != int64(len(was)) || !strings.HasPrefix(was, page.Text) {
				k.Errorf("request %d: %s reads %.99q of %d bytes, %v; it was %.99q", i, m[1], page.Text,
					page.TotalBytes, err, was)
			}
		}
	}
	if len(read) > 0 {
		k.Logf("%d texts that show less were read back", len(read))
	}
}

// goesOn fails unless a request begins with the messages of the one before.
func (k *talk) goesOn(i int) {
	k.Helper()
	a, b := messagesOf(k.T, k.sent[i]), messagesOf(k.T, k.sent[i+1])
	for at := range a {
		if at >= len(b) || !bytes.Equal(a[at], b[at]) {
			k.Fatalf("request %d: message %d of %d was %.300s\nand is %.300s", i+1, at, len(a), a[at], b[at])
		}
	}
}

// lines returns so many lines of a log, each of its own.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of the log says that part %d of it is fine\n", i, i*7)
	}
	return b.String()
}

// TestALargeResultIsNeverSent: its stub goes out with the request that would have brought it, stays as it is in all
// others,
// and reads back what it stands for; it is the artifact of the session file. All other bytes are the agent's.
func TestALargeResultIsNeverSent(t *testing.T) { eachAgent(t, aLargeResultIsNeverSent) }

func aLargeResultIsNeverSent(k *talk) {
	k.ask()
	large := lines(2_000)
	id := k.call("Bash", `{"command":"cat log"}`, large)
	first := k.ask()
	stub := k.results(first)[id]
	if !strings.HasPrefix(stub, "[result offloaded") || len(first) > 10_000 {
		k.Fatalf("%d bytes were sent: %.200s", len(first), stub)
	}
	if want := strings.Replace(k.bodies[1], quoted(large), quoted(stub), 1); first != want {
		k.Errorf("more was changed than the result: %.300s", first)
	}
	k.call("Read", `{"file_path":"/w/a.go"}`, "package a")
	k.ask()
	all, err := k.ledger.Artifacts(k.Context(), ledger.ArtifactsRequest{})
	if err != nil || all.Total != 1 {
		k.Errorf("%+v, %v", all, err)
	}
	if n := k.steps(); n != 0 {
		k.Errorf("%d steps", n)
	}
	q := k.measured()[1]
	if q.Reduced == nil || q.Reduced.Bytes < 50_000 || q.Reduced.Tokens < 10_000 || q.Reduced.Step ||
		q.Sent != int64(len(first)) {
		k.Errorf("%+v, %+v", q, q.Reduced)
	}
}

// TestNothingIsCutThatCannotBeRead: a request whose model is not offered our tool passes as it is.
func TestNothingIsCutThatCannotBeRead(t *testing.T) {
	for _, tools := range []string{"", `{"name":"read_artifact"}`,
		strings.Replace(claude.tools, "{", `{"defer_loading":true,`, 1)} {
		k := newTalk(t)
		k.tools = tools
		k.call("Bash", `{"command":"cat log"}`, lines(2_000))
		if got := k.ask(); got != k.bodies[0] {
			t.Errorf("with %s it sends %d of %d bytes", tools, len(got), len(k.bodies[0]))
		}
	}
}

// TestAProxyGoesOnWithTheViewOfAnother sends what the one before it sent, with stubs and with the edits of steps.
func TestAProxyGoesOnWithTheViewOfAnother(t *testing.T) {
	eachAgent(t, aProxyGoesOnWithTheViewOfAnother)
}

func aProxyGoesOnWithTheViewOfAnother(k *talk) {
	k.ask()
	k.call("Bash", `{"command":"cat log"}`, lines(2_000))
	k.ask()
	for i := range 40 {
		path := fmt.Sprintf("/w/%d.go", i)
		k.call("Read", `{"file_path":"`+path+`"}`, lines(400))
		k.ask()
		if i%4 == 3 {
			k.call("Write", `{"file_path":"/w/`+fmt.Sprint(i-3)+`.go","content":"x"}`, "written")
			k.ask()
		}
		if i%3 == 0 {
			k.stop()
			k.start()
		}
	}
	steps, last := k.steps(), len(k.bodies)-1
	if steps < 2 || steps > 20 || len(k.sent[last]) > len(k.bodies[last])*3/4 {
		k.Errorf("%d steps: %d of %d bytes", steps, len(k.sent[last]), len(k.bodies[last]))
	}
	k.Log(steps, "steps", len(k.sent[last]), "of", len(k.bodies[last]))
}

// TestStepsShowLessOfOldResults: reads of files that were written since are shortened when that pays; nothing of an
// answer with
// reasoning, which is signed.
func TestStepsShowLessOfOldResults(t *testing.T) {
	k := newTalk(t)
	for i := range 24 {
		path := fmt.Sprintf("/w/%d.go", i%6)
		switch i % 3 {
		case 0:
			k.call("Grep", `{"pattern":"part","path":"/w"}`, lines(100))
		case 1:
			k.call("Read", `{"file_path":"`+path+`"}`, lines(240+i))
		case 2:
			k.call("Write", fmt.Sprintf(`{"file_path":"/w/%d.go","content":"x"}`, (i-1)%6), "written")
		}
		at := len(k.messages) - 2
		if i%2 == 0 {
			k.messages[at] = strings.Replace(k.messages[at], `"content":[`,
				`"content":[{"type":"thinking","thinking":"hm","signature":"s"},`, 1)
		}
		k.ask()
	}
	last := len(k.sent) - 1
	if n := k.steps(); n == 0 || n > 12 || len(k.sent[last]) > len(k.bodies[last])*4/5 {
		t.Errorf("%d steps: %d of %d bytes", n, len(k.sent[last]), len(k.bodies[last]))
	}
	written := messagesOf(t, k.bodies[last])
	for i, m := range messagesOf(t, k.sent[last]) {
		if strings.Contains(string(m), `"thinking"`) && !bytes.Equal(m, written[i]) {
			t.Errorf("message %d has reasoning and became %.300s", i, m)
		}
	}
	t.Log(len(k.sent[last]), "of", len(k.bodies[last]))
}

// undecided is a ledger that records requests and cannot decide about them.
type undecided struct{ proxy.Ledger }

func (undecided) Session(context.Context, ledger.SessionRequest) (sessions.Session, error) {
	return sessions.Session{}, errors.New("it cannot be read")
}

func (undecided) TakeResult(context.Context, ledger.TakeResultRequest) (ledger.TakenResult, error) {
	return ledger.TakenResult{}, errors.New("the disk is full")
}

// TestALedgerThatIsAwayChangesNothing: while it cannot be reached, or does not answer, requests go out at once as
// the view that
// was sent, with what is new as it is. What was missed is made good by a step that pays.
func TestALedgerThatIsAwayChangesNothing(t *testing.T) {
	for _, fails := range []bool{true, false} {
		t.Run(fmt.Sprint("fails ", fails), func(t *testing.T) {
			k := newTalk(t)
			var gone atomic.Bool
			back := make(chan struct{})
			k.open = func(ctx context.Context) (proxy.Ledger, error) {
				switch {
				case gone.Load() && fails:
					return undecided{k.ledger}, nil
				case gone.Load():
					<-back
				}
				return k.ledger, nil
			}
			k.call("Bash", `{"command":"cat a"}`, lines(2_000))
			k.ask()
			gone.Store(true)
			k.served.WaitAtMost(time.Nanosecond)
			id := k.call("Bash", `{"command":"cat b"}`, lines(2_001))
			if got := k.results(k.ask())[id]; got != lines(2_001) {
				t.Errorf("%.200s", got)
			}
			gone.Store(false)
			close(back)
			k.served.WaitAtMost(time.Minute)
			k.call("Read", `{"file_path":"/w/b.go"}`, "package b")
			k.ask()
			k.stop()
			k.start() // another proxy knows that it was sent whole
			k.call("Read", `{"file_path":"/w/c.go"}`, "package c")
			last := k.ask()
			if n := k.steps(); n != 1 || !strings.HasPrefix(k.results(last)[id], "[result offloaded") {
				t.Errorf("%d steps: %.300s", n, k.results(last)[id])
			}
			if q := k.measured(); len(q[1].Reduced.Whole) != 1 || q[1].Reduced.Whole[0] != id {
				t.Errorf("%+v", q[1].Reduced)
			}
		})
	}
}
