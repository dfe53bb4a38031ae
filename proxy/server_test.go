package proxy_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/ledger"
)

var exchanges = flag.Int("exchanges", 100, "how many exchanges of each dialect pass")

// dialects are paths of each dialect, with what their bodies may be like.
var dialects = []struct{ name, path string }{
	{"anthropic", "/anthropic/v1/messages?beta=true"}, {"chat", "/openai/chat/completions"},
	{"responses", "/openai/responses"}, {"gemini", "/gemini/v1beta/models/g:streamGenerateContent?alt=sse"},
}

// noise returns a body: JSON of the dialects, events, or any bytes.
func noise(dice *rand.Rand) []byte {
	pieces := []string{`{"model":"m","messages":[`, `{"role":"user","content":"`, `"}`, `]}`, "data: ", "\n\n", "[",
		"event: x\n", `"usage":{"input_tokens":`, "\x00", "\xff\xfe", "\r\n", `,"tools":[{"name":"t"}]`, "[DONE]", "}"}
	var b bytes.Buffer
	for range dice.IntN(60) {
		if dice.IntN(4) > 0 {
			b.WriteString(pieces[dice.IntN(len(pieces))])
			continue
		}
		p := make([]byte, dice.IntN(3000))
		for i := range p {
			p[i] = byte(dice.Uint32())
		}
		b.Write(p)
	}
	return b.Bytes()
}

// TestBodiesPassAsTheyAre: whatever a client sends reaches the provider byte by byte, and the other way round, with status
// and headers. `go test ./proxy -run BodiesPass -exchanges 10000` does so at length.
func TestBodiesPassAsTheyAre(t *testing.T) {
	for n, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			dice := rand.New(rand.NewPCG(uint64(n), 1))
			var answer []byte
			status, encoding := 200, ""
			s := newScene(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header()["X-Many"] = []string{"a", "b"}
				if encoding != "" {
					w.Header().Set("Content-Encoding", encoding)
				}
				w.WriteHeader(status)
				for rest := answer; len(rest) > 0; {
					n := min(len(rest), 1+len(rest)/3)
					_, _ = w.Write(rest[:n])
					if rest = rest[n:]; len(rest)%2 == 0 {
						w.(http.Flusher).Flush()
					}
				}
			})
			for i := range *exchanges {
				body := noise(dice)
				answer = noise(dice)
				status = []int{200, 200, 200, 400, 429, 529, 302}[dice.IntN(7)]
				encoding = []string{"", "", "gzip", "br"}[dice.IntN(4)]
				s.asked = nil
				resp, got := s.send("/"+token+d.path, string(body), "Authorization", "Bearer x",
					"Anthropic-Beta", "a,b", "User-Agent", "", "Content-Type", "application/json",
					"Accept-Encoding", "br")
				if len(s.asked) != 1 || !bytes.Equal(s.asked[0].body, body) || !bytes.Equal(got, answer) {
					t.Fatalf("exchange %d: of %d bytes %d, of %d came back %d", i, len(body), len(s.asked[0].body),
						len(answer), len(got))
				}
				if resp.StatusCode != status || !slices.Equal(resp.Header["X-Many"], []string{"a", "b"}) ||
					resp.Header.Get("Content-Encoding") != encoding {
					t.Fatalf("exchange %d: status %d, %v", i, resp.StatusCode, resp.Header)
				}
				_, rest, _ := strings.Cut(d.path[1:], "/")
				h := s.asked[0].header
				if s.asked[0].uri != "/base/"+rest || h.Get("Authorization") != "Bearer x" ||
					h.Get("Anthropic-Beta") != "a,b" || h.Get("X-Forwarded-For") != "" || h.Get("User-Agent") != "" {
					t.Fatalf("the provider got %s %v", s.asked[0].uri, h)
				}
			}
		})
	}
}

// TestWhoMayCall: the token, the address, and no web page.
func TestWhoMayCall(t *testing.T) {
	s := newScene(t, answerJSON(message(1, 0, 0)))
	path := "/" + token + "/anthropic/v1/messages"
	for _, c := range []struct {
		name, path string
		headers    []string
		want       int
	}{
		{"the agent", path, nil, 200},
		{"by the name of this machine", path, []string{"Host", "localhost:" + port(s.front.URL)}, 200},
		{"no token", "/anthropic/v1/messages", nil, 403},
		{"another token", "/" + strings.ToUpper(token) + "/anthropic/v1/messages", nil, 403},
		{"a beginning of the token", "/" + token[:8] + "/anthropic/v1/messages", nil, 403},
		{"the token somewhere else", "/anthropic/" + token + "/v1/messages", nil, 403},
		{"a name that leads here", path, []string{"Host", "evil.example:" + port(s.front.URL)}, 403},
		{"no port", path, []string{"Host", "127.0.0.1"}, 403},
		{"a web page", path, []string{"Origin", "https://evil.example"}, 403},
		{"a web page of this machine", path, []string{"Origin", s.front.URL}, 403},
		{"a page without an origin", path, []string{"Origin", "null"}, 403},
		{"no provider", "/" + token + "/other/v1/messages", nil, 404},
		{"only the token", "/" + token, nil, 404},
		{"a WebSocket", path, []string{"Connection", "Upgrade", "Upgrade", "websocket"}, 426},
		{"h2c", path, []string{"Connection", "Upgrade", "Upgrade", "h2c"}, 426},
	} {
		s.asked = nil
		resp, body := s.send(c.path, `{"model":"m"}`, c.headers...)
		if resp.StatusCode != c.want || (c.want == 200) != (len(s.asked) == 1) ||
			c.want != 200 && !bytes.Contains(body, []byte("ctxledger proxy: ")) {
			t.Errorf("%s: status %d, %d requests passed, %s", c.name, resp.StatusCode, len(s.asked), body)
		}
	}
}

func port(url string) string { return url[strings.LastIndexByte(url, ':')+1:] }

// TestAnswersComeAsTheyAreWritten: the second event is written when the client has the first one.
func TestAnswersComeAsTheyAreWritten(t *testing.T) {
	next := make(chan bool)
	s := newScene(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, text := range []string{": a comment\n\n", "event: ping\ndata: {}\n\n", "data: x\n\n"} {
			_, _ = io.WriteString(w, text)
			w.(http.Flusher).Flush()
			if !<-next {
				return
			}
		}
	})
	defer close(next)
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.front.URL+"/"+token+"/anthropic/v1/messages",
		strings.NewReader("{}"))
	resp, err := s.front.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	for _, want := range []string{": a comment\n", "\n", "event: ping\n", "data: {}\n", "\n", "data: x\n", "\n"} {
		got, err := lines.ReadString('\n')
		if got != want || err != nil {
			t.Fatalf("got %q, %v, not %q", got, err, want)
		}
		if got == "\n" {
			next <- true
		}
	}
}

// TestNobodyElseIsAsked: a redirect goes to the client, and an answer that breaks off breaks off there.
func TestNobodyElseIsAsked(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("another host was asked")
	}))
	defer other.Close()
	s := newScene(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/v1/messages", http.StatusTemporaryRedirect)
	})
	resp, _ := s.send("/"+token+"/anthropic/v1/messages", "{}")
	if resp.StatusCode != 307 || resp.Header.Get("Location") != other.URL+"/v1/messages" {
		t.Errorf("status %d, %v", resp.StatusCode, resp.Header)
	}
}

// TestAProviderThatDies: in the middle of an answer the client sees a network error, and before it a refusal that says so.
func TestAProviderThatDies(t *testing.T) {
	s := newScene(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_9\","+
			"\"model\":\"m\",\"usage\":{\"input_tokens\":50}}}\n\n")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.front.URL+"/"+token+"/anthropic/v1/messages",
		strings.NewReader(`{"model":"m","messages":[]}`))
	r.Header.Set("X-Claude-Code-Session-Id", "s1")
	resp, err := s.front.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(resp.Body); err == nil || !bytes.HasSuffix(got, []byte("\n\n")) {
		t.Errorf("%q, %v", got, err)
	}
	resp.Body.Close()
	s.provider.CloseClientConnections()
	s.provider.Listener.Close()
	resp, body := s.send("/"+token+"/anthropic/v1/messages", `{"model":"m"}`, "X-Claude-Code-Session-Id", "s1")
	if resp.StatusCode != 502 || !bytes.Contains(body, []byte("cannot be reached")) {
		t.Errorf("status %d, %s", resp.StatusCode, body)
	}
	s.stop()
	all := s.live("claude-code", "s1")
	if len(all) != 2 || !all[0].Cut || all[0].Usage.Input != 50 || all[1].Status != 0 {
		t.Errorf("%+v, %q", all, s.said)
	}
}

// TestCredentialsAreNowhere: neither in the ledger nor in what is said.
func TestCredentialsAreNowhere(t *testing.T) {
	const secret = "hunter2-credential"
	state := ""
	s := newScene(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", secret)
		_, _ = io.WriteString(w, `{"id":"x","choices":[{"message":{"role":"assistant","content":"ok"}}],"usage":`+
			`{"prompt_tokens":3,"completion_tokens":1}}`)
	})
	info, err := s.ledger.Info(t.Context(), ledger.InfoRequest{})
	if err != nil {
		t.Fatal(err)
	}
	state = info.State
	s.send("/"+token+"/openai/chat/completions?key="+secret, body("chat", hi["chat"][0]),
		"Authorization", "Bearer "+secret, "X-Api-Key", secret, "Cookie", secret, "X-Goog-Api-Key", secret)
	s.provider.Listener.Close()
	s.provider.CloseClientConnections()
	s.send("/"+token+"/openai/chat/completions?key="+secret, `{}`, "Authorization", secret)
	s.stop()
	s.recorded()
	if said := fmt.Sprint(s.said); strings.Contains(said, secret) || !strings.Contains(said, "cannot be reached") {
		t.Errorf("said: %s", said)
	}
	found := 0
	err = filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if found++; bytes.Contains(raw, []byte(secret)) {
			t.Errorf("%s has the credential", path)
		}
		return err
	})
	if err != nil || found == 0 {
		t.Errorf("%d files, %v", found, err)
	}
}

// TestCompressedAnswersAreMeasured: the proxy accepts what it can read, if the client does.
func TestCompressedAnswersAreMeasured(t *testing.T) {
	s := newScene(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			t.Errorf("accepts %q", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, message(10, 20, 30))
		_ = z.Close()
	})
	s.send("/"+token+"/anthropic/v1/messages", `{"model":"m","messages":[]}`, "Accept-Encoding", "br, gzip, zstd",
		"X-Claude-Code-Session-Id", "s1")
	s.stop()
	if all := s.live("claude-code", "s1"); len(all) != 1 || all[0].Usage.Prompt() != 60 || all[0].Cut {
		t.Errorf("%+v", all)
	}
}

// TestWhatIsTooLargePassesUnrecorded, and the next record says so.
func TestWhatIsTooLargePassesUnrecorded(t *testing.T) {
	s := newScene(t, answerJSON(message(1, 0, 0)))
	large := `{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("x", 33<<20) + `"}]}`
	path := "/" + token + "/anthropic/v1/messages"
	s.send(path, large, "X-Claude-Code-Session-Id", "s1")
	if len(s.asked) != 1 || len(s.asked[0].body) != len(large) {
		t.Fatal("it did not pass")
	}
	s.send(path, `{"model":"m","messages":[]}`, "X-Claude-Code-Session-Id", "s1")
	s.stop()
	all := s.live("claude-code", "s1")
	if len(all) != 1 || all[0].Missed != 1 || !strings.Contains(all[0].MissedWhy, "bytes") {
		t.Errorf("%+v", all)
	}
}
