package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	model "ctxledger.dev/lab/scriptedmodel"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// TestARealCallIsOneRecord: hooks, the session file and a proxy see the same calls and answers of the real Claude Code. Nothing is
// recorded twice, and all say the same of what it cost.
func TestARealCallIsOneRecord(t *testing.T) {
	claude := model.Agent(t, model.Claude)
	for name, c := range map[string]struct {
		line string
		all  bool // hooks replace these results, too
	}{"observed": {"with", true}, "reduced": {"with --reduce", false}, "reduced by hooks": {"with --reduce", true}} {
		t.Run(name, func(t *testing.T) {
			s := newBox(t)
			if hookSettings(t, s, hookEvents, ownHook(s)); c.all {
				allHooks(t, s)
			}
			large := strings.Repeat("a line of a file that is large\n", 2_000)
			write(t, filepath.Join(s.Workspace, "large.txt"), large)
			read := model.Call{Tool: "Read", Input: map[string]any{"file_path": "{{dir}}/large.txt", "limit": 900}}
			count := model.Call{Tool: "Bash", Input: map[string]any{"command": "seq 9000", "description": "count"}}
			server := model.New(model.Script{model.Do("", count), model.Do("", read), model.Do("", count, read),
				model.Say("Done.")}, model.Vars{"dir": s.Workspace})
			program := filepath.Join(s.Top, "behind.sh")
			script := "#!/bin/sh\nexec '" + s.Bin + "/ctxledger' " + c.line + " -- '" + claude + "' \"$@\"\n"
			if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
			defer cancel()
			result, err := model.Exec(ctx, program, withHooks(s, server.Start(t), "Count."))
			if err != nil {
				t.Fatal(err)
			}
			api := open(t, s)
			id := follow(ctx, t, api, result.SessionID, []string{"Bash", "Read", "Bash", "Read"})
			if all, err := api.Sessions(ctx, ledger.SessionsRequest{}); err != nil || all.Total != 1 {
				t.Errorf("%+v, %v", all, err)
			}
			checkOnce(ctx, t, api, id)
			_, asked := measured(ctx, t, api, ledger.SessionRequest{HostID: result.SessionID})
			checkCosts(ctx, t, api, id, asked)
			if n := len(server.Log()); n != len(asked) {
				t.Errorf("%d requests are recorded of %d", len(asked), n)
			}
		})
	}
}

// checkOnce finds what is recorded twice of a session.
func checkOnce(ctx context.Context, t *testing.T, api ledger.API, id string) {
	t.Helper()
	page, err := api.Log(ctx, ledger.LogRequest{Session: id})
	if err != nil {
		t.Fatal(err)
	}
	calls, results := map[string]int{}, map[string]int{}
	for _, e := range page.Entries {
		for _, c := range e.Calls {
			calls[c.ID]++
		}
		for _, r := range e.Results {
			results[r.CallID]++
		}
	}
	for call, n := range calls {
		if n != 1 || results[call] != 1 {
			t.Errorf("call %s is recorded %d times, with %d results", call, n, results[call])
		}
	}
	all, err := api.Artifacts(ctx, ledger.ArtifactsRequest{})
	if err != nil || all.Total != 2 { // what the command printed, and the file
		t.Errorf("%+v, %v", all, err)
	}
}

// checkCosts compares what the session file says of each answer with what the proxy measured.
func checkCosts(ctx context.Context, t *testing.T, api ledger.API, id string, asked []ledger.ModelRequest) {
	t.Helper()
	page, err := api.Log(ctx, ledger.LogRequest{Session: id})
	if err != nil {
		t.Fatal(err)
	}
	file, proxy := map[string]sessions.Usage{}, map[string]sessions.Usage{}
	for _, e := range page.Entries {
		if e.Measured() {
			file[e.Group] = file[e.Group].Add(*e.Usage)
		}
	}
	var bill sessions.Bill
	for _, q := range asked {
		if _, twice := proxy[q.Reply]; twice {
			t.Errorf("answer %s was measured twice", q.Reply)
		}
		if proxy[q.Reply] = q.Usage; file[q.Reply] != (sessions.Usage{}) {
			for _, c := range q.Bill {
				bill.Add(c)
			}
		}
	}
	for reply, usage := range file {
		if proxy[reply] != usage {
			t.Errorf("of answer %s the file says %+v, the proxy %+v", reply, usage, proxy[reply])
		}
	}
	s, err := api.Session(ctx, ledger.SessionRequest{Name: id})
	if err != nil || len(file) == 0 || bill.Sum() != s.Billed().Sum() {
		t.Errorf("the session cost %+v by its file, %+v by the proxy, %v", s.Billed(), bill, err)
	}
}
