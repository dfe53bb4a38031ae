package ledger

import (
	"context"
	"slices"

	"ctxledger.dev/sessions"
)

// StillRecorded says what is recorded where session files are not followed.
const StillRecorded = "what tools, hooks and the proxy are told is still recorded"

// NotFollowed says why what agents do is not recorded by itself, or not what one agent does; "": it is. host is that
// agent, "" for any. Where it says something, an empty list means that nothing is known, not that nothing happened.
func (i Info) NotFollowed(host string) string {
	switch {
	case i.FollowOff != "":
		return "session files are not followed here: " + i.FollowOff
	case !i.Following && i.InProcess:
		return "session files are not followed: no daemon is in use"
	case !i.Following && i.Workspace == "":
		return "session files are followed only in a project's directory (--workspace DIRECTORY)"
	case !i.Following:
		return "session files are not followed now: `ctxledger status` says why"
	case host != "" && !slices.Contains(i.Hosts, host):
		return "session files of " + host + " are not followed"
	}
	return ""
}

// stuckRead is how long one step of reading session files is waited for. On a busy disk some take longer than a step should.
const stuckRead = 30 // seconds

// Reading reports whether session files are being read, so that what is recorded of them is incomplete.
func (i Info) Reading() bool {
	return slices.ContainsFunc(i.Tasks, func(t TaskState) bool {
		return t.Name == TaskFollow && (t.State == TaskWorking || t.State == TaskStuck && t.Seconds < stuckRead)
	})
}

// Unmeasured reports whether a ledger's owner learns how the models of its sessions count, and has measured none of them yet:
// until then all figures are rough.
func (i Info) Unmeasured(ctx context.Context, api Calibration) bool {
	if i.Sessions == 0 || !slices.ContainsFunc(i.Tasks, func(t TaskState) bool {
		return t.Name == TaskMeasure && t.Trouble() == ""
	}) {
		return false
	}
	known, err := api.Estimators(ctx, EstimatorsRequest{})
	return err == nil && known.Event == 0
}

// Unread says why nothing is known of a session that a hook or a host has told of; "": something is recorded of it.
func (i Info) Unread(s sessions.Session) string {
	if s.Seq > 0 {
		return ""
	}
	if why := i.NotFollowed(s.Host); why != "" {
		return why
	}
	return "its session file has not been read yet"
}
