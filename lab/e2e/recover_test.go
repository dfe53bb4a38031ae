package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	model "ctxledger.dev/lab/scriptedmodel"
	"ctxledger.dev/ledger"
	"ctxledger.dev/workspace"
)

// narrow is a provider whose window is as large as one of its requests, in tokens of four bytes.
type narrow struct {
	*model.Server
	at int // the number of that request

	mu      sync.Mutex
	asked   int // guarded by mu; requests with tools
	limit   int // guarded by mu; tokens
	refused int // guarded by mu
}

// ServeHTTP implements http.Handler.
func (n *narrow) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 32<<20))
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if tokens := n.over(body); tokens > 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: %d tokens > %d `+
			`maximum"}}`, tokens, n.limit)
		return
	}
	n.Server.ServeHTTP(w, r)
}

// over returns how many tokens a request has that is refused.
func (n *narrow) over(body []byte) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !bytes.Contains(body, []byte(`"tools":[{`)) {
		return 0
	}
	tokens := len(body) / 4
	if n.asked++; n.asked == n.at {
		n.limit = tokens - 1
	}
	if n.limit == 0 || tokens <= n.limit {
		return 0
	}
	n.refused++
	return tokens
}

// TestARealAgentDoesNotNoticeAnOverflow: in the midst of a task of forty calls its provider refuses a request for its size. The
// task ends as without a proxy, and the ledger has learnt the limit.
func TestARealAgentDoesNotNoticeAnOverflow(t *testing.T) {
	claude := model.Agent(t, model.Claude)
	ctx, cancel := context.WithTimeout(t.Context(), 4*patience)
	defer cancel()
	s := newBox(t)
	furnish(t, s.Workspace)
	program := filepath.Join(s.Top, "behind.sh")
	script := "#!/bin/sh\nexec '" + s.Bin + "/ctxledger' with --reduce -- '" + claude + "' \"$@\"\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	provider := &narrow{Server: model.New(chore(false), model.Vars{"dir": s.Workspace}), at: 25}
	server := httptest.NewServer(provider)
	t.Cleanup(server.Close)
	result, err := model.Exec(ctx, program, model.Options{Dir: s.Workspace, ConfigDir: s.Config, URL: server.URL,
		Prompt: "Do the chore.", ExtraEnv: []string{workspace.StateVariable + "=" + s.State}})
	if err != nil || !strings.Contains(result.Text, "All done.") || strings.Contains(string(result.Raw), "too long") {
		t.Fatalf("%s, %v", result.Raw, err)
	}
	made, err := os.ReadFile(filepath.Join(s.Workspace, "all.txt"))
	if err != nil || string(made) != "made 0\nmade 1\nmade 2\nmade 3\nmade 4\nmade 5\n" {
		t.Errorf("%q, %v", made, err)
	}
	use, all := measured(ctx, t, open(t, s), ledger.SessionRequest{HostID: result.SessionID})
	recovered := 0
	for _, q := range all {
		if q.Reduced != nil && q.Reduced.Refused > 0 {
			recovered++
		}
		if q.Status != http.StatusOK {
			t.Errorf("the agent got status %d", q.Status)
		}
	}
	st, err := open(t, s).Status(ctx, ledger.StatusRequest{Session: all[0].Session})
	if provider.refused == 0 || recovered == 0 || err != nil || use.Failed > 0 {
		t.Errorf("%d refusals, %d recovered, %+v, %v", provider.refused, recovered, use, err)
	}
	t.Logf("%d refusals, %d requests recovered; window %+v", provider.refused, recovered, st.Limits)
}
