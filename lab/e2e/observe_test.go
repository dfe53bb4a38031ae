package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/changes"
	"ctxledger.dev/ledger"
)

// TestTheDaemonObservesTheFilesOfASession changes a file that a followed session has read, while only
// the daemon runs: the change has no author, and what the session read is stale.
func TestTheDaemonObservesTheFilesOfASession(t *testing.T) {
	const name = "order/order.go"
	s := newBox(t)
	api := open(t, s)
	path := filepath.Join(s.Workspace, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	f, lines := createSession(t, s), bytes.Join(linesFor(t, s.Workspace), nil)
	if _, err := f.Write(lines); err != nil {
		t.Fatal(err)
	}
	var session string
	for i, after := 0, int64(0); session == ""; i++ {
		if i == int(patience/time.Second) {
			t.Fatal("the change of the file was not observed")
		}
		if err := os.WriteFile(path, fmt.Appendln(nil, "package order //", i), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := api.WaitEvents(
			deadlined(t), ledger.WaitEventsRequest{After: after, Kinds: []string{ledger.EventChange}, WaitMS: 1000})
		if err != nil {
			t.Fatal(err)
		}
		after = r.Next
		list, err := api.Changes(deadlined(t), ledger.ChangesRequest{Path: name, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		seen := slices.ContainsFunc(list.Changes, func(c changes.Change) bool {
			return c.Source == changes.Observed && c.Session == "" && c.HashTo != ""
		})
		all, err := api.Sessions(deadlined(t), ledger.SessionsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if seen && len(all.Sessions) == 1 { // it is listed when it has been read whole
			session = all.Sessions[0].ID
		}
	}
	for _, x := range []struct {
		args []string
		want string
	}{
		{[]string{"changes", "--limit", "1", name}, "external        modified  " + name + "  observed"},
		{[]string{"changes", "--limit", "1", "--session", session},
			"stale: " + name + " was changed outside the session after the session read it"},
		{[]string{"why", name}, "source: observed"},
	} {
		out, err := s.Run(deadlined(t), x.args...)
		if err != nil || !strings.Contains(string(out), x.want) {
			t.Errorf("%v: %v\n%s\nwant %q", x.args, err, out, x.want)
		}
	}
}
