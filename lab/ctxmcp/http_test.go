package ctxmcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"ctxledger.dev/hosting/access"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/lab/hosted"
	"ctxledger.dev/lab/programtest"
)

// web is a running server, and a token for one of its workspaces.
type web struct {
	*hosted.Server
	token  string
	client *http.Client
}

func serve(t *testing.T) *web {
	t.Helper()
	s, err := hosted.Start(t.Context(), programtest.NewPlace(t).Forever(binary, "--http", "127.0.0.1:0"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("%v; the end of its log: %s", err, s.Log)
		}
	})
	token, err := s.Token("shop", access.Write)
	if err != nil {
		t.Fatal(err)
	}
	return &web{s, token, &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}}
}

// post sends a message and returns the status, and the answer if it is one.
func (w *web) post(t *testing.T, message string) (status int, a answer) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.MCP(), strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.token)
	r.Header.Set("Content-Type", "application/json")
	got, err := w.client.Do(r)
	if err != nil {
		t.Fatalf("%v; the end of the log: %s", err, w.Log)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got.Header.Get("Content-Type") == "application/json" && got.StatusCode != http.StatusRequestEntityTooLarge { // which is the guard's
		if err := json.Unmarshal(body, &a); err != nil {
			t.Fatalf("%v: %.300s", err, body)
		}
	}
	return got.StatusCode, a
}

// good sends a call that has to be answered.
func (w *web) good(t *testing.T, id string) {
	t.Helper()
	status, a := w.post(t, call(id, "memory", map[string]any{"action": "list"}))
	if status != 200 {
		t.Fatalf("a good call: %d", status)
	}
	has(t, a.text(t), "no memory found")
}

// TestEveryHostileMessageOverHTTPIsAnsweredByItsRule: the rules of standard input, each message followed by a good call.
func TestEveryHostileMessageOverHTTPIsAnsweredByItsRule(t *testing.T) {
	w := serve(t)
	_, list := w.post(t, request("0", "tools/list", map[string]any{}))
	cases := append(append(frames(), envelopes()...), arguments(t, list.Result)...)
	if len(cases) < 300 {
		t.Errorf("only %d cases", len(cases))
	}
	for i, c := range cases {
		status, a := w.post(t, c.line)
		switch {
		case len(c.line) > limits.MCPMessage:
			if status != http.StatusRequestEntityTooLarge {
				t.Errorf("%s: %d", c.name, status)
			}
		case c.id == "":
			if status != http.StatusAccepted || a.ID != nil {
				t.Errorf("%s: %d %+v", c.name, status, a)
			}
		case canonical(a.ID) != canonical(json.RawMessage(c.id)):
			t.Errorf("%s: answered under %s, not %s", c.name, a.ID, c.id)
		default:
			c.judge(t, a)
		}
		if i%10 == 0 {
			w.good(t, strconv.Itoa(i))
		}
	}
}

// perHTTP is how many messages of the flag stand for one over HTTP, which takes longer.
const perHTTP = 10

// TestGeneratedGarbageOverHTTPHurtsNobody sends malformed messages between good calls, and malformed requests.
func TestGeneratedGarbageOverHTTPHurtsNobody(t *testing.T) {
	w := serve(t)
	dice := rand.New(rand.NewPCG(*seed, 1))
	before := int64(0)
	for n := range *messages / perHTTP {
		id := strconv.Quote(fmt.Sprintf("m%d", n))
		message := strings.Replace(seeds[dice.IntN(len(seeds))], "%s", id, 1)
		if status, a := w.post(t, programtest.Mutate(dice, message)); status >= 500 || a.Error != nil &&
			strings.Contains(a.Error.Message, "incident") {
			t.Fatalf("seed %d, message %d: %d %+v", *seed, n, status, a.Error)
		}
		if n%batch == 0 {
			w.raw(t, programtest.Mutate(dice, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
				"Authorization: Bearer "+w.token+"\r\nContent-Length: "+strconv.Itoa(len(message))+"\r\n\r\n"+message))
			w.good(t, id)
		}
		if n == *messages/perHTTP/10 {
			before = resident(t, w.PID)
		}
	}
	if after := resident(t, w.PID); after-before > mostGrowth {
		t.Errorf("the memory grew from %d to %d bytes", before, after)
	}
}

// dial opens a connection, which is closed with the test.
func (w *web) dial(t *testing.T) net.Conn {
	t.Helper()
	var d net.Dialer
	c, err := d.DialContext(t.Context(), "tcp", strings.TrimPrefix(w.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // the server may have closed it
	return c
}

// raw sends bytes that need not be a request, and leaves.
func (w *web) raw(t *testing.T, bytes string) {
	t.Helper()
	c := w.dial(t)
	_, _ = io.WriteString(c, bytes) // the server may have closed it
	_ = c.Close()
}

// TestSlowClientsHoldNobodyUp: those that send half of a request, those that do not read, and many at once.
func TestSlowClientsHoldNobodyUp(t *testing.T) {
	w := serve(t)
	w.good(t, "0")
	before := resident(t, w.PID)
	head := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer " + w.token
	ask := request("1", "tools/list", map[string]any{})
	whole := head + "\r\nContent-Length: " + strconv.Itoa(len(ask)) + "\r\n\r\n" + ask
	for i := range 300 {
		c := w.dial(t)
		text := []string{"", "POST", head, head + "\r\nContent-Length: 1000000\r\n\r\n{", strings.Repeat(whole, 50)}[i%5]
		_, _ = io.WriteString(c, text) // what it does not take is what is tested
		if i%30 == 0 {
			w.good(t, strconv.Itoa(i))
		}
	}
	var work sync.WaitGroup
	for i := range 64 {
		work.Go(func() { w.good(t, strconv.Itoa(i)) })
	}
	work.Wait()
	if after := resident(t, w.PID); after-before > mostGrowth {
		t.Errorf("the memory grew from %d to %d bytes", before, after)
	}
}

// TestALineOfTheLogNamesItsToken: by the id that `ctxledger token ls` shows, which nothing masks.
func TestALineOfTheLogNamesItsToken(t *testing.T) {
	w := serve(t)
	w.good(t, "1")
	if err := w.Stop(); err != nil { // all is written then
		t.Fatal(err)
	}
	if log := w.Log.String(); !regexp.MustCompile(`"by":"[0-9a-f]{8}"`).MatchString(log) || strings.Contains(log, "masked") {
		t.Error(log)
	}
}
