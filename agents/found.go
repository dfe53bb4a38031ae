package agents

import (
	"slices"
	"time"

	"ctxledger.dev/agents/sessionfile"
)

// Found are the sessions that an agent left for a workspace.
type Found struct {
	Agent    sessionfile.Agent `json:"agent"`
	Sessions int               `json:"sessions"`          // subagents' not counted
	Resumed  int               `json:"resumed,omitempty"` // of these, those that ctxledger wrote
	Newest   time.Time         `json:"newest"`            // when its file was changed
	File     string            `json:"file"`              // that of the newest
	Old      bool              `json:"old,omitempty"`     // all are too old to be read automatically
	More     bool              `json:"more,omitempty"`    // there are older files, which were not looked at
}

// Find counts the sessions that agents left for a workspace, by the beginnings of the newest 200 files of each agent. It
// writes nothing. Only the first three fields of the options are used.
func Find(o FollowOptions) (list []Found) {
	for _, f := range followers(nil, o) {
		found := f.found()
		i := slices.IndexFunc(list, func(other Found) bool { return other.Agent == found.Agent })
		switch {
		case found.Sessions == 0:
		case i < 0:
			list = append(list, found)
		default: // in its archive
			list[i].Sessions, list[i].More = list[i].Sessions+found.Sessions, list[i].More || found.More
			list[i].Resumed += found.Resumed
			if found.Newest.After(list[i].Newest) {
				list[i].Newest, list[i].File, list[i].Old = found.Newest, found.File, found.Old
			}
		}
	}
	return list
}

// found counts the sessions of the followed trees.
func (f *follower) found() Found {
	out := Found{Agent: f.adapter.Agent}
	files := slices.DeleteFunc(f.left(), func(l leftFile) bool { return f.adapter.Identify(l.path, "").Subagent })
	slices.SortStableFunc(files, func(a, b leftFile) int { return b.modified.Compare(a.modified) })
	if out.More = len(files) > maxPastFiles; out.More {
		files = files[:maxPastFiles]
	}
	for _, file := range files {
		about := f.head(file.path)
		if dir := about.Session.Dir; dir == "" || about.Identity.Subagent || !f.ours(dir) {
			continue
		}
		if about.Session.Continues != "" {
			out.Resumed++
		}
		if out.Sessions++; out.Newest.IsZero() {
			out.Newest, out.File = file.modified, file.path
			out.Old = file.modified.Before(f.o.Env.Now().Add(-recent))
		}
	}
	return out
}
