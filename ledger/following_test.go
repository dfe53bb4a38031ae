package ledger_test

import (
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// TestWhatIsNotFollowedIsNotNothing: the one place that says why an empty list means that nothing is known.
func TestWhatIsNotFollowedIsNotNothing(t *testing.T) {
	on := ledger.Info{Following: true, Hosts: []string{"claude-code", "codex"}}
	const off = "ctxledger.yaml:1 says follow: false"
	for _, c := range []struct {
		name, host string
		info       ledger.Info
		want       string
	}{
		{"any agent", "", on, ""},
		{"an agent that is followed", "codex", on, ""},
		{"an agent that is not", "gemini", on, "session files of gemini are not followed"},
		{"a setting", "codex", ledger.Info{FollowOff: off, Hosts: on.Hosts},
			"session files are not followed here: " + off},
		{"no daemon", "", ledger.Info{InProcess: true}, "session files are not followed: no daemon is in use"},
		{"the user's ledger, where status says no more", "", ledger.Info{},
			"session files are followed only in a project's directory (--workspace DIRECTORY)"},
		{"a task that failed", "", ledger.Info{Workspace: "/w", Hosts: on.Hosts},
			"session files are not followed now: `ctxledger status` says why"},
	} {
		if got := c.info.NotFollowed(c.host); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		s := sessions.Session{Host: c.host}
		want := c.want
		if c.host != "" && want == "" {
			want = "its session file has not been read yet"
		}
		if got := c.info.Unread(s); c.host != "" && got != want {
			t.Errorf("%s: a session without records is unread: %q, want %q", c.name, got, want)
		}
		if s.Seq = 1; c.info.Unread(s) != "" {
			t.Errorf("%s: a session with records is called unread", c.name)
		}
	}
}

// TestASlowStepIsStillReading: on a busy disk a step of reading took more than ten seconds, and `status` said that there was
// no session of the name that it was given.
func TestASlowStepIsStillReading(t *testing.T) {
	for _, c := range []struct {
		task ledger.TaskState
		want bool
	}{
		{ledger.TaskState{Name: ledger.TaskFollow, State: ledger.TaskWorking}, true},
		{ledger.TaskState{Name: ledger.TaskFollow, State: ledger.TaskStuck, Seconds: 12}, true},
		{ledger.TaskState{Name: ledger.TaskFollow, State: ledger.TaskStuck, Seconds: 300}, false},
		{ledger.TaskState{Name: ledger.TaskFollow, State: ledger.TaskWaiting}, false},
		{ledger.TaskState{Name: ledger.TaskMeasure, State: ledger.TaskWorking}, false},
	} {
		if got := (ledger.Info{Tasks: []ledger.TaskState{c.task}}).Reading(); got != c.want {
			t.Errorf("%+v: reading %t", c.task, got)
		}
	}
}
