package e2e

import (
	"context"
	"slices"
	"testing"
	"time"

	"ctxledger.dev/changes"
	"ctxledger.dev/intents"
	model "ctxledger.dev/lab/scriptedmodel"
	"ctxledger.dev/ledger"
)

// visit is what the real agent does: it writes a file, changes it, runs a command, and fails once.
var visit = model.Script{
	model.Do("I write it down.",
		model.Call{Tool: "Write", Input: map[string]any{"file_path": "{{dir}}/note.txt", "content": "one\n"}}),
	model.Do("", model.Call{Tool: "Read", Input: map[string]any{"file_path": "{{dir}}/note.txt"}}),
	model.Do("", model.Call{Tool: "Edit",
		Input: map[string]any{"file_path": "{{dir}}/note.txt", "old_string": "one", "new_string": "two"}}),
	model.Do("", model.Call{Tool: "Bash", Input: map[string]any{"command": "cat missing.txt"}}),
	model.Say("Written."),
}

// TestARealAgentIsFollowedWithoutInstallation lets the real Claude Code work in a workspace where
// nothing of ctxledger but the daemon runs. What it does has to be in the ledger, as calls, intents
// and changes.
func TestARealAgentIsFollowedWithoutInstallation(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	s := newBox(t)
	api := open(t, s)
	url := model.New(visit, model.Vars{"dir": s.Workspace}).Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	seen := make(chan time.Time, 1) // when the first event of the session came
	go func() {
		defer close(seen)
		r := ledger.WaitEventsRequest{Kinds: []string{ledger.EventEntries}, WaitMS: patience.Milliseconds() / 2}
		if _, err := api.WaitEvents(ctx, r); err == nil {
			seen <- time.Now()
		}
	}()
	result := model.Run(ctx, t, model.Options{Dir: s.Workspace, ConfigDir: s.Config, URL: url, Prompt: "Write a note."})
	ended := time.Now()
	if at := <-seen; at.IsZero() || at.After(ended) {
		t.Error("nothing was known of the session while the agent worked")
	}

	session := follow(ctx, t, api, result.SessionID, []string{"Write", "Read", "Edit", "Bash"})
	h, err := api.FileHistory(ctx, ledger.FileHistoryRequest{Path: "note.txt"})
	if err != nil {
		t.Fatal(err)
	}
	var ops []string
	for _, c := range h.Changes {
		if ops = append(ops, string(c.Op)); c.Session != session {
			t.Errorf("%s by %q", c.Op, c.Session)
		}
	}
	// reported by the session or observed
	if want := []string{string(changes.Modified), string(changes.Created)}; !slices.Equal(ops, want) {
		t.Errorf("changes of note.txt: %q, want %q: %+v", ops, want, h.Changes)
	}
	if len(h.Intents) != 2 || h.Intents[0].Status != intents.Applied || h.Intents[1].Status != intents.Applied {
		t.Errorf("intents of note.txt: %+v", h.Intents)
	}
	if len(h.Reads) != 1 || h.Reads[0].Session != session {
		t.Errorf("reads of note.txt: %+v", h.Reads)
	}
}

// TestAForkOfARealAgentCountsNothingTwice forks the session of the real Claude Code, which copies its history.
func TestAForkOfARealAgentCountsNothingTwice(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	s := newBox(t)
	api := open(t, s)
	url := model.New(visit, model.Vars{"dir": s.Workspace}).Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	o := model.Options{Dir: s.Workspace, ConfigDir: s.Config, URL: url, Prompt: "Write a note."}
	first := model.Run(ctx, t, o)
	trunk := follow(ctx, t, api, first.SessionID, []string{"Write", "Read", "Edit", "Bash"})
	o.Resume, o.ExtraArgs = first.SessionID, []string{"--fork-session"}
	second := model.Run(ctx, t, o)
	fork := follow(ctx, t, api, second.SessionID, // its script begins anew
		[]string{"Write", "Read", "Edit", "Bash", "Write", "Read", "Edit", "Bash"})
	got, err := api.Session(ctx, ledger.SessionRequest{Name: fork})
	if err != nil || got.Fork == nil || got.Fork.Session != trunk {
		t.Fatalf("the fork is %+v, %v", got, err)
	}
	h, err := api.FileHistory(ctx, ledger.FileHistoryRequest{Path: "note.txt"})
	if err != nil || len(h.Intents) != 4 || len(h.Changes) != 4 {
		t.Errorf("note.txt was written twice by each: %d intents, changes %+v, %v", len(h.Intents), h.Changes, err)
	}
}

// follow waits until the ledger knows the calls of the agent's session and all their results, and
// returns our id of it.
func follow(ctx context.Context, t *testing.T, api ledger.API, hostID string, want []string) string {
	t.Helper()
	for after := int64(0); ; {
		session, calls, results := known(ctx, t, api, hostID)
		if slices.Equal(calls, want) && results == len(want) {
			return session
		}
		r, err := api.WaitEvents(ctx, ledger.WaitEventsRequest{After: after, WaitMS: poll})
		if err != nil || len(r.Events) == 0 {
			t.Fatalf("the ledger knows the calls %q with %d results, not %q: %v", calls, results, want, err)
		}
		after = r.Next
	}
}

// known returns what the ledger knows of the agent's session.
func known(ctx context.Context, t *testing.T, api ledger.API, hostID string) (session string, calls []string,
	results int) {
	t.Helper()
	list, err := api.Sessions(ctx, ledger.SessionsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range list.Sessions {
		if x.HostID != hostID {
			continue
		}
		log, err := api.Log(ctx, ledger.LogRequest{Session: x.ID})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range log.Entries {
			for _, c := range e.Calls {
				calls = append(calls, c.Name)
			}
			results += len(e.Results)
		}
		session = x.ID
	}
	return session, calls, results
}
