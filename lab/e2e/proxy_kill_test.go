package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/ledger"
)

// half answers with the first half of a stream, and with the rest when it is told to.
func half(rest <-chan bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `data: {"type":"message_start","message":{"id":"m1","model":"m","usage":{"input_tokens":7}}}`+"\n\n")
		w.(http.Flusher).Flush()
		select {
		case <-rest:
			_, _ = io.WriteString(w, `data: {"type":"message_stop"}`+"\n\n")
		case <-r.Context().Done():
		}
	}
}

// startProxy starts a proxy for a provider and returns the address for agents.
func startProxy(ctx context.Context, t *testing.T, s *sandbox.Sandbox, provider string) (*exec.Cmd, string) {
	t.Helper()
	cmd := s.Command(ctx, "proxy", "--json", "--upstream", "anthropic="+provider)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	var served struct {
		Providers []struct {
			URL string `json:"base_url"`
		}
	}
	if err == nil {
		err = json.NewDecoder(out).Decode(&served)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, served.Providers[0].URL
}

// TestKilledInTheMiddleOfAnAnswer: the client sees a network error if it is the proxy, and nothing if it is the daemon; what
// passed before and behind that is in the ledger.
func TestKilledInTheMiddleOfAnAnswer(t *testing.T) {
	s := newBox(t)
	ctx := deadlined(t)
	rest := make(chan bool)
	provider := httptest.NewServer(half(rest))
	defer provider.Close()
	cmd, url := startProxy(ctx, t, s, provider.URL)
	ask := func(url string, meanwhile func()) error {
		body := `{"model":"m","messages":[{"role":"user","content":"hi"}]}`
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/messages", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Claude-Code-Session-Id", "killed")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if _, err := io.ReadFull(resp.Body, make([]byte, 10)); err != nil {
			return err
		}
		meanwhile()
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
	recorded := func(want int) {
		t.Helper()
		api := open(t, s)
		for n := 0; n < want; {
			found, err := api.Session(ctx, ledger.SessionRequest{HostID: "killed"})
			if page, wrong := api.Requests(ctx, ledger.RequestsRequest{Session: found.ID}); err == nil && wrong == nil {
				n = len(page.Requests)
			}
			if ctx.Err() != nil {
				t.Fatalf("%d requests are recorded, not %d", n, want)
			}
		}
	}
	finish := func() { rest <- true }
	if err := ask(url, finish); err != nil {
		t.Fatal(err)
	}
	recorded(1)
	err := ask(url, func() {
		pid, err := s.Owner(ctx)
		if err == nil && pid > 0 {
			err = exec.CommandContext(ctx, "kill", "-9", fmt.Sprint(pid)).Run()
		}
		if err != nil {
			t.Error(err)
		}
		finish()
	})
	if err != nil {
		t.Errorf("the daemon was killed, and the client got %v", err)
	}
	recorded(2)
	if err := ask(url, func() { _ = cmd.Process.Kill() }); err == nil {
		t.Error("the proxy was killed, and the client got no error")
	}
	_, url = startProxy(ctx, t, s, provider.URL)
	if err := ask(url, finish); err != nil {
		t.Error(err)
	}
	recorded(3)
}
