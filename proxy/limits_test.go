package proxy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"ctxledger.dev/config"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/proxy"
	"ctxledger.dev/window/overflow"
)

// set is a limit that stands in line 3 of a configuration.
func set(key string, most float64) config.LimitSet {
	return config.LimitSet{Key: key, Most: most, From: "ctxledger.yaml:3"}
}

// errorOf returns the message of an error in the form of a dialect.
func errorOf(t *testing.T, dialect string, body []byte) string {
	t.Helper()
	var e struct {
		Type  string `json:"type"`
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
			Status  string `json:"status"`
			Code    any    `json:"code"`
		} `json:"error"`
	}
	err := json.Unmarshal(body, &e)
	x := e.Error
	form := map[string]bool{
		"anthropic": e.Type == "error" && x.Type == "invalid_request_error",
		"chat":      x.Type == "invalid_request_error" && x.Code == "ctxledger_limit",
		"responses": x.Type == "invalid_request_error" && x.Code == "ctxledger_limit",
		"gemini":    x.Status == "FAILED_PRECONDITION" && x.Code == 400.0,
	}
	if err != nil || !form[dialect] {
		t.Errorf("%v: %s", err, body)
	}
	return x.Message
}

// TestALimitStopsRequests in each dialect, whether a stream was asked for or not: the provider is not asked, and the agent gets
// an error of its provider's form with the way out, which nobody takes for a refusal for size. Raising the limit counts at once.
func TestALimitStopsRequests(t *testing.T) {
	for _, d := range dialects {
		for i, how := range []string{"plain", "stream"} {
			t.Run(d.name+"/"+how, func(t *testing.T) {
				s := newScene(t, func(w http.ResponseWriter, _ *http.Request) {
					_, _ = io.WriteString(w, said[d.name][i])
				})
				s.limit(set("limits.session.tokens", 130)) // an answer uses 134
				path, first := asking(d.name, hi[d.name][0])
				_, second := asking(d.name, hi[d.name][0]+","+hi[d.name][1])
				if resp, _ := s.send(path, first); resp.StatusCode != http.StatusOK {
					t.Fatalf("the first request got status %d", resp.StatusCode)
				}
				resp, got := s.send(path, second)
				text := errorOf(t, d.name, got)
				if resp.StatusCode != http.StatusBadRequest || len(s.asked) != 1 {
					t.Errorf("status %d after %d requests", resp.StatusCode, len(s.asked))
				}
				for _, want := range []string{"used 134 tokens of the 130 tokens",
					"limits.session.tokens in ctxledger.yaml:3", "--beyond-limits"} {
					if !strings.Contains(text, want) {
						t.Errorf("%q is not in %q", want, text)
					}
				}
				v := overflow.Classify(overflow.Response{Status: resp.StatusCode, Body: got}, overflow.Request{})
				if v.Class != overflow.None {
					t.Errorf("%+v", v)
				}
				s.limit(set("limits.session.tokens", 1000))
				if resp, _ := s.send(path, second); resp.StatusCode != http.StatusOK {
					t.Errorf("status %d after the limit was raised", resp.StatusCode)
				}
				s.stop()
				session, _ := s.recorded()
				if n := len(s.requests(session)); n != 2 || len(s.asked) != 2 {
					t.Errorf("%d requests are recorded, %d were sent", n, len(s.asked))
				}
				if len(s.said) != 1 || !strings.HasPrefix(s.said[0], "this session has used 134 tokens") {
					t.Errorf("%q", s.said)
				}
			})
		}
	}
}

// TestGeminiStopsAnArray: where it streams an array, its errors are in one.
func TestGeminiStopsAnArray(t *testing.T) {
	s := newScene(t, answerJSON(said["gemini"][0]))
	s.limit(set("limits.day.tokens", 1))
	path := "/" + token + "/gemini/v1beta/models/g:streamGenerateContent"
	s.send(path, body("gemini", hi["gemini"][0]))
	s.stop()
	s.start()
	_, got := s.send(path, body("gemini", hi["gemini"][0]))
	text := bytes.TrimSpace(got)
	if text[0] != '[' || errorOf(t, "gemini", text[1:len(text)-1]) == "" {
		t.Errorf("%s", got)
	}
}

// claude sends a request of a session of Claude Code, of a subagent unless that is "", and returns its status and answer.
func (s *scene) claude(session, agent string) (int, string) {
	s.Helper()
	headers := []string{"X-Claude-Code-Session-Id", session}
	if agent != "" {
		headers = append(headers, "X-Claude-Code-Agent-Id", agent)
	}
	resp, got := s.send("/"+token+"/anthropic/v1/messages", body("anthropic", hi["anthropic"][0]), headers...)
	return resp.StatusCode, string(got)
}

// spent returns what was used of the limits of a session.
func (s *scene) spent(id string) ledger.Status {
	s.Helper()
	found, err := s.ledger.Session(s.Context(), ledger.SessionRequest{HostID: id})
	if err != nil {
		s.Fatal(err)
	}
	st, err := s.ledger.Status(s.Context(), ledger.StatusRequest{Session: found.ID})
	if err != nil {
		s.Fatal(err)
	}
	return st
}

// TestWhatLimitsCount: a session with its subagents, one agent, all sessions of a day, in tokens and in dollars. A proxy that is
// started again goes on from what the ledger has.
func TestWhatLimitsCount(t *testing.T) {
	s1, s2, none := [2]string{"s1"}, [2]string{"s2"}, [2]string{}
	// 5 tokens, 100 read, 20 written, 9 of output: $0.000255
	price := strings.Replace(said["anthropic"][0], `"mm"`, `"claude-sonnet-4-5"`, 1)
	for _, c := range []struct {
		name, answer string
		limit        config.LimitSet
		sent         [][2]string // sessions and subagents, whose requests pass
		stopped      [2]string
		passes       [2]string // what else passes then
	}{
		{"session", price, set("limits.session.tokens", 200), [][2]string{s1, {"s1", "a1"}}, [2]string{"s1", "a2"}, s2},
		{"agent", price, set("limits.agent.tokens", 200), [][2]string{{"s1", "a1"}, {"s1", "a1"}, s1},
			[2]string{"s1", "a1"}, s1},
		{"day", price, set("limits.day.tokens", 200), [][2]string{s1, s2}, [2]string{"s3"}, none},
		{"money", price, set("limits.session.usd", 0.0005), [][2]string{s1, s1}, s1, s2},
		{"cache reads cost less", price, set("limits.session.usd", 0.0008), [][2]string{s1, s1, s1}, none, s1},
		{"no price", said["anthropic"][0], set("limits.session.usd", 0.000001), [][2]string{s1, s1}, none, s1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t, answerJSON(c.answer))
			s.limit(c.limit)
			for _, x := range c.sent {
				if status, got := s.claude(x[0], x[1]); status != http.StatusOK {
					t.Fatalf("%v: status %d: %s", x, status, got)
				}
			}
			for range 2 {
				if c.stopped[0] != "" {
					if status, got := s.claude(c.stopped[0], c.stopped[1]); status != http.StatusBadRequest ||
						!strings.Contains(got, c.limit.Key) {
						t.Errorf("%v: status %d: %s", c.stopped, status, got)
					}
				}
				s.stop()
				s.start()
			}
			if c.passes[0] != "" {
				if status, got := s.claude(c.passes[0], c.passes[1]); status != http.StatusOK {
					t.Errorf("%v: status %d: %s", c.passes, status, got)
				}
			}
		})
	}
}

// TestWhatHasNoPriceIsSaid, beside a limit in dollars, which it cannot reach.
func TestWhatHasNoPriceIsSaid(t *testing.T) {
	s := newScene(t, answerJSON(said["anthropic"][0]))
	s.limit(set("limits.session.usd", 1))
	s.claude("s1", "")
	s.stop()
	st := s.spent("s1")
	if len(st.Spent) != 1 || st.Spent[0].Used != 0 || st.Spent[0].Unpriced != 134 ||
		!strings.Contains(st.Spent[0].String(), "without 134 tokens that have no known price") {
		t.Errorf("%+v", st.Spent)
	}
}

// TestALimitWarnsOnce when it is near, and once when it is reached, wherever warnings are shown; and again when it was raised.
func TestALimitWarnsOnce(t *testing.T) {
	s := newScene(t, answerJSON(said["anthropic"][0]))
	warned := func() (texts []string) {
		s.Helper()
		for _, w := range s.spent("s1").Warned {
			texts = append(texts, w.String())
		}
		return texts
	}
	for _, step := range []struct {
		most float64
		want string // in the newest warning
		n    int    // warnings since the session began
	}{{300, "", 0}, {300, "268 tokens of the 300 tokens", 1}, {300, "402 tokens of the 300 tokens", 2}, {600, "536", 3},
		{600, "670", 4}} {
		s.limit(set("limits.session.tokens", step.most))
		if status, got := s.claude("s1", ""); status != http.StatusOK {
			t.Fatalf("%+v: status %d: %s", step, status, got)
		}
		s.stop()
		texts := warned()
		s.start()
		if len(texts) != step.n || step.n > 0 && !strings.Contains(texts[step.n-1], step.want) {
			t.Errorf("%+v: %q", step, texts)
		}
	}
}

// TestWithoutALedgerRequestsPass: what limits say is not known then, and that is said.
func TestWithoutALedgerRequestsPass(t *testing.T) {
	s := newScene(t, answerJSON(said["anthropic"][0]))
	s.limit(set("limits.session.tokens", 1))
	s.claude("s1", "")
	s.stop()
	s.open = func(context.Context) (proxy.Ledger, error) { return nil, errors.New("no ledger") }
	s.start()
	if status, got := s.claude("s1", ""); status != http.StatusOK {
		t.Errorf("status %d: %s", status, got)
	}
	s.stop()
	if len(s.said) == 0 || !strings.Contains(strings.Join(s.said, "\n"), "without checking the limits") {
		t.Errorf("%q", s.said)
	}
}

// TestYesterdayDoesNotCount among what was used today.
func TestYesterdayDoesNotCount(t *testing.T) {
	s := newScene(t, answerJSON(said["anthropic"][0]))
	s.limit(set("limits.day.tokens", 1000))
	for i, hours := range []int{-48, -25, 0} {
		_, err := s.ledger.NoteRequest(t.Context(), ledger.NoteRequestRequest{
			LiveSession: ledger.LiveSession{Host: "claude-code", HostID: []string{"s1", "s2", "s1"}[i]},
			Request:     measuredAt(env.System(), hours)})
		if err != nil {
			t.Fatal(err)
		}
	}
	if st := s.spent("s2"); len(st.Spent) != 1 || st.Spent[0].Used != 10 {
		t.Errorf("%+v", st.Spent)
	}
}

// TestAProxiedConversationIsWarned of its input, as a followed one is: what was read from the cache is not new.
func TestAProxiedConversationIsWarned(t *testing.T) {
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			s := newScene(t, answerJSON(said[d.name][0]))
			s.policy.Compact.WarnAt, s.policy.Compact.CutoverAt = 40, 60 // an answer has 25 that are new
			answer := strings.TrimSuffix(hi[d.name][1], resultOf[d.name])
			path, first := asking(d.name, hi[d.name][0])
			_, second := asking(d.name, hi[d.name][0]+","+hi[d.name][1])
			_, third := asking(d.name, hi[d.name][0]+","+hi[d.name][1]+","+answer+hi[d.name][3])
			for _, text := range []string{first, second, third} {
				s.send(path, text)
			}
			s.stop()
			session, _ := s.recorded()
			st, err := s.ledger.Status(t.Context(), ledger.StatusRequest{Session: session})
			if err != nil || len(st.Warned) != 2 || st.Warned[0].Input != 50 || st.Warned[1].Input != 75 {
				t.Errorf("%+v, %v", st.Warned, err)
			}
		})
	}
}
