package proxy_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window/overflow"
)

// narrow answers as a provider whose window has so many tokens, each of four bytes.
func (s *scene) narrow(limit int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		tokens := len(body) / 4
		if tokens > limit {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: %d tokens `+
				`> %d maximum"}}`, tokens, limit)
			return
		}
		var b struct {
			Messages []json.RawMessage `json:"messages"`
		}
		if err := json.Unmarshal(body, &b); err != nil {
			s.Errorf("%v: %.300s", err, body)
		}
		var messages [][]byte
		for _, m := range b.Messages {
			messages = append(messages, m)
		}
		if err := transcript.Sendable(transcript.Anthropic, messages); err != nil {
			s.Errorf("%v: %.300s", err, body)
		}
		answerJSON(message(tokens, 0, 0))(w, r)
	}
}

// with has another provider answer.
func (k *talk) with(handler http.HandlerFunc) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.handler = handler
}

// grown is a conversation with so many results of about 20,000 characters.
func grown(t *testing.T, results int) *talk {
	t.Helper()
	k := newTalk(t)
	k.grow(results)
	return k
}

func (k *talk) grow(results int) {
	for range results {
		k.call("Read", fmt.Sprintf(`{"file_path":"/w/%d.go"}`, k.calls), lines(400))
	}
}

// TestARefusalForSizeIsNotNoticed: the agent gets an answer, the conversation is compacted in the ledger, and the next request
// is sent as it then is, and taken at once.
func TestARefusalForSizeIsNotNoticed(t *testing.T) {
	k := grown(t, 16)
	k.policy.Compact.Off = true // nothing is due before
	k.file()                    // as it was when the proxy began
	k.with(k.narrow(60_000))
	k.ask()
	first := len(k.asked)
	k.call("Bash", `{"command":"ls"}`, "a b")
	k.ask()
	if n := len(k.asked); first < 2 || n != first+1 {
		t.Errorf("%d requests were sent for the first one, %d for the second", first, n-first)
	}
	k.stop()
	all := k.live("claude-code", session)
	if len(all) != 2 || all[0].Status != http.StatusOK || all[0].Reduced == nil || all[0].Reduced.Refused != first-1 ||
		all[1].Reduced == nil || all[1].Reduced.Refused != 0 {
		t.Errorf("%+v", all)
	}
	st := k.spent(session)
	if st.Limits == nil || st.Limits.Learned == nil || st.Limits.Learned.Limit != 60_000 {
		t.Errorf("%+v", st.Limits)
	}
}

// TestWithoutARecordCopiesAreSent: of a session that the ledger does not have. What is then known of the limit keeps the next
// request from being refused, and both are said not to begin as the one before.
func TestWithoutARecordCopiesAreSent(t *testing.T) {
	for _, limit := range []int{40_000, 10_000, 3_000} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			k := grown(t, 12)
			k.with(k.narrow(limit))
			for _, want := range []int{2, 3} {
				if resp, _ := k.post(); resp.StatusCode != http.StatusOK || len(k.asked) != want {
					t.Errorf("status %d after %d requests", resp.StatusCode, len(k.asked))
				}
				k.call("Bash", `{"command":"ls"}`, "a b")
			}
			k.stop()
			q := k.live("claude-code", session)
			if len(q) != 2 || q[0].Reduced.Refused != 1 || !q[0].Reduced.Step || q[1].Reduced.Refused != 0 ||
				!q[1].Reduced.Trimmed || !q[1].Reduced.Step {
				t.Errorf("%+v, %+v", q[0].Reduced, q[1].Reduced)
			}
		})
	}
}

// TestWhatCannotBeRecoveredIsPassedOn: the first refusal, byte by byte, compressed or not, whatever came of the others.
func TestWhatCannotBeRecoveredIsPassedOn(t *testing.T) {
	refusal := `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 100000 ` +
		`maximum"},"request_id":"req_1"}`
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, refusal)
	_ = z.Close()
	for name, c := range map[string]struct {
		encoding string
		body     []byte
		others   int // status of the answers to what is sent then
		most     int // requests
		off      bool
		sealed   bool
	}{
		"always refused":    {"", []byte(refusal), 400, 5, false, false},
		"compressed":        {"gzip", packed.Bytes(), 400, 5, false, false},
		"then overloaded":   {"", []byte(refusal), 529, 2, false, false},
		"switched off":      {"", []byte(refusal), 200, 1, true, false},
		"signed reasoning":  {"", []byte(refusal), 400, 4, false, true},
		"another error":     {"", []byte(`{"error":{"message":"no"}}`), 200, 1, false, false},
		"a limit of speed":  {"", []byte(`{"error":{"message":"rate limit: too long"}}`), 200, 1, false, false},
		"too long an error": {"", []byte(strings.Repeat("x", 300_000)), 200, 1, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			k := grown(t, 4)
			k.policy.Compact.NoRecovery = c.off
			if c.sealed {
				k.messages[1] = strings.Replace(k.messages[1], `"content":[`,
					`"content":[{"type":"thinking","thinking":"so","signature":"c2ln"},`, 1)
			}
			k.file()
			n := 0
			k.with(func(w http.ResponseWriter, r *http.Request) {
				if n++; n > 1 && c.others == http.StatusOK {
					t.Error("it was sent again")
				}
				if n > 1 && c.others != http.StatusBadRequest {
					w.WriteHeader(c.others)
					return
				}
				if w.Header().Set("Content-Type", "application/json"); c.encoding != "" {
					w.Header().Set("Content-Encoding", c.encoding)
				}
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write(c.body)
			})
			resp, got := k.post("Accept-Encoding", "gzip")
			if resp.StatusCode != http.StatusBadRequest || !bytes.Equal(got, c.body) || n > c.most {
				t.Errorf("status %d after %d requests: %.300q", resp.StatusCode, n, got)
			}
			k.stop()
			if q := k.live("claude-code", session); len(q) != 1 || q[0].Status != http.StatusBadRequest {
				t.Errorf("%+v", q)
			}
		})
	}
}

// TestTheOutputIsLowered where the prompt fits, and only what was asked for does not fit beside it.
func TestTheOutputIsLowered(t *testing.T) {
	k := grown(t, 1)
	k.file()
	k.with(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte(`"max_tokens":9,`)) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"type":"error","error":{"type":"invalid_request_error","message":"input length and `+
				"`max_tokens`"+` exceed context limit: 195000 + 9000 > 200000"}}`)
			return
		}
		answerJSON(message(1, 0, 0))(w, r)
	})
	if got := k.ask(); got != strings.Replace(k.bodies[0], `"max_tokens":9,`, `"max_tokens":3000,`, 1) {
		t.Errorf("%.300s", got)
	}
	if k.steps() != 0 {
		t.Error("what was sent before did not change")
	}
}

// TestTheLedgerHearsOfARefusalOnce, however often the request is sent until it is taken; here no error names a limit.
func TestTheLedgerHearsOfARefusalOnce(t *testing.T) {
	k := grown(t, 12)
	k.file()
	n := 0
	k.with(func(w http.ResponseWriter, r *http.Request) {
		if n++; n < 3 {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long"}}`)
			return
		}
		answerJSON(message(1, 0, 0))(w, r)
	})
	k.ask()
	k.stop()
	n = 0
	page, err := k.ledger.WaitEvents(t.Context(), ledger.WaitEventsRequest{Kinds: []string{ledger.EventOverflow}})
	for _, e := range page.Events {
		if strings.Contains(string(e.Data), string(overflow.PromptOverflow)) {
			n++
		}
	}
	if err != nil || n != 1 {
		t.Errorf("%d refusals are recorded, %v", n, err)
	}
}
