package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	model "ctxledger.dev/lab/scriptedmodel"
	"ctxledger.dev/ledger"
	"ctxledger.dev/workspace"
)

// measured returns what a proxy measured of a session, by the agent's id of it.
func measured(
	ctx context.Context, t *testing.T, api ledger.API, of ledger.SessionRequest,
) (ledger.ProxyUse, []ledger.ModelRequest) {
	t.Helper()
	s, err := ledger.FindSession(ctx, api, of)
	if err != nil {
		t.Fatal(err)
	}
	st, err := api.Status(ctx, ledger.StatusRequest{Session: s.ID})
	if err != nil || st.Proxy == nil {
		t.Fatalf("%+v, %v", st.Proxy, err)
	}
	all, err := api.Requests(ctx, ledger.RequestsRequest{Session: s.ID})
	if err != nil {
		t.Fatal(err)
	}
	return *st.Proxy, all.Requests
}

// TestARealAgentsRequestsAreMeasured runs Claude Code behind a proxy. Its session is recorded once, from its file, and each
// request of the conversation is measured in it.
func TestARealAgentsRequestsAreMeasured(t *testing.T) {
	claude := model.Agent(t, model.Claude) // skips without one
	s := newBox(t)
	api := open(t, s)
	server := model.New(visit, model.Vars{"dir": s.Workspace})
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	result, err := model.Exec(ctx, started(t, s, "with", claude), model.Options{Dir: s.Workspace, ConfigDir: s.Config,
		URL: server.Start(t), Prompt: "Write a note.", ExtraEnv: []string{workspace.StateVariable + "=" + s.State}})
	if err != nil {
		t.Fatal(err)
	}
	follow(ctx, t, api, result.SessionID, []string{"Write", "Read", "Edit", "Bash"})
	use, all := measured(ctx, t, api, ledger.SessionRequest{HostID: result.SessionID})
	found, err := api.Session(ctx, ledger.SessionRequest{HostID: result.SessionID})
	if err != nil {
		t.Fatal(err)
	}
	// What the proxy measured is what the session file says, and requests for a title besides.
	if use.Requests < len(visit) || use.Missed+use.Failed+use.Breaks > 0 || use.Hits < len(visit)-1 || len(use.Tools) == 0 ||
		use.Usage.Prompt() < found.Usage.Prompt() || found.Usage.Prompt() == 0 {
		t.Errorf("%+v, %+v in the file", use, found.Usage)
	}
	replies := map[string]bool{}
	for _, q := range all {
		replies[q.Reply] = true
	}
	page, err := api.Log(ctx, ledger.LogRequest{Session: found.ID})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range page.Entries {
		if e.Measured() && !replies[e.Group] {
			t.Errorf("nothing was measured of answer %s", e.Group)
		}
	}
	for _, command := range []string{"status", "audit"} {
		out, err := s.Run(ctx, command)
		if err != nil || !strings.Contains(string(out), fmt.Sprintf("%d requests by the proxy", use.Requests)) {
			t.Errorf("%v: %s", err, out)
		}
	}
}
