package mcp

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/changes"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/paths"
	"ctxledger.dev/ledger"
)

// Limits of the changes tool.
const (
	changesDefault = 30
	changesMost    = 200
)

func changesTool() tool {
	return tool{
		name: "changes",
		description: "What happened to files, whoever did it, newest first, " +
			"and which files others changed after this chat read them (stale).",
		does:  "lists what happened to files, and which files have changed since they were read",
		hints: hints{readOnly: true, idempotent: true},
		input: `{"type":"object","properties":{` +
			`"session":{"type":"string","description":"default: all"},` +
			`"path":{"type":"string","description":"a file, or a directory tree"},` +
			`"since":{"type":"string","description":"a time, an age (2h, 3d) or the id of a change"},` +
			`"limit":{"type":"integer"}}}`,
		output: `{"type":"object","properties":{"entries":{"type":"array"},` +
			`"total":{"type":"integer"},"stale":{"type":"array"}},"required":["entries","stale"]}`,
		forms:   map[string]string{"path": `"src/app.go"`, "since": `"2h"`, "limit": "30"},
		secrets: "exact", why: toOwner,
		calls: []string{`{}`, `{"session":"SESSION","limit":200}`},
		run:   takes(listChanges),
	}
}

// changesArgs are the arguments of changes.
type changesArgs struct {
	Session string `json:"session"`
	Path    string `json:"path"`
	Since   string `json:"since"`
	Limit   int    `json:"limit"`
}

// changesResult is the result of changes.
type changesResult struct {
	Session string      `json:"session,omitempty"` // whose changes alone Entries are; absent: of all
	Entries []changed   `json:"entries"`
	Total   int         `json:"total"` // that match, also beyond the limit
	Stale   []staleFile `json:"stale"`
	Outside string      `json:"outside,omitempty"` // the path that was asked for, if it is not in the workspace
	// NotFollowed says why there may be changes that are not recorded; "": what agents do is.
	NotFollowed string `json:"not_followed,omitempty"`
}

// changed is a change to one file.
type changed struct {
	ID      int64  `json:"id"`
	Path    string `json:"path"`
	Tree    string `json:"tree,omitempty"` // the root that path is relative to, if not this chat's
	Op      string `json:"op"`             // created, modified, deleted
	Source  string `json:"source"`         // observed, transcript, inferred
	Time    string `json:"time"`
	Session string `json:"session,omitempty"` // absent: unknown
	Outside bool   `json:"outside,omitempty"` // of the workspace
	// Candidates are the sessions that may have changed it.
	Candidates []string `json:"candidates,omitempty"`
}

// staleFile is a file that changed after the session had read it.
type staleFile struct {
	Path    string `json:"path"`
	Changed string `json:"changed"`
	Seen    bool   `json:"seen,omitempty"`  // Changed is when that was first seen
	By      string `json:"by"`              // the session that changed it, "external", "several" or "after"
	Wrote   bool   `json:"wrote,omitempty"` // the session has only written it
	Gone    bool   `json:"gone,omitempty"`  // it was deleted
}

// listChanges runs the tool.
func listChanges(ctx context.Context, c *call, a changesArgs) (reply, error) {
	if a.Limit < 0 || a.Limit > changesMost {
		return reply{}, fault.New(fault.Invalid, "mcp.changes",
			`argument "limit" is a number from 0 to %d`, changesMost).WithHint(`the right form: {"limit": 30}`)
	}
	a.Limit = cmp.Or(a.Limit, changesDefault)
	r, err := changesOf(ctx, c, a)
	return reply{r, r.String()}, err
}

// changesOf returns changes and the stale files of the session: the named one, else this chat's if it is known.
func changesOf(ctx context.Context, c *call, a changesArgs) (changesResult, error) {
	r := changesResult{Entries: []changed{}, Stale: []staleFile{}}
	own, err := c.session(ctx, a.Session)
	unnamed := a.Session == "" && (fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict))
	if err != nil && !unnamed {
		return r, err
	}
	session := ""
	if a.Session != "" {
		session = own.ID
	}
	r.Session = session
	info, err := c.api.Info(ctx, ledger.InfoRequest{})
	if err != nil {
		return r, err
	}
	if r.NotFollowed = info.NotFollowed(own.Host); r.NotFollowed == "" && own.ID == "" {
		r.NotFollowed = errUnknownChat.Error()
	}
	since, from, err := changes.ParseSince(a.Since, c.o.Env.Now())
	if err != nil {
		return r, err
	}
	list, err := c.api.Changes(ctx, ledger.ChangesRequest{
		Session: session, Path: relative(a.Path, info.Workspace), Since: since, From: from, Limit: a.Limit,
	})
	if err != nil {
		return r, err
	}
	r.Total = list.Total
	if list.Outside {
		r.Outside = inline(a.Path)
	}
	for _, x := range list.Changes {
		r.Entries = append(r.Entries, changed{
			ID: x.ID, Path: inline(x.Path), Tree: inline(info.Elsewhere(x.Tree, x.Path)), Op: string(x.Op),
			Source: string(x.Source), Time: x.Time.UTC().Format(time.RFC3339),
			Session: x.Session, Outside: x.Outside, Candidates: candidates(x),
		})
	}
	if own.ID != "" && session == "" {
		if list, err = c.api.Changes(ctx, ledger.ChangesRequest{Session: own.ID, Limit: 1}); err != nil {
			return r, err
		}
	}
	for _, x := range list.Stale[:min(len(list.Stale), a.Limit)] {
		if tree := info.Elsewhere(list.Tree, x.Path); tree != "" {
			x.Path = paths.Abs(tree, x.Path)
		}
		r.Stale = append(r.Stale, staleFile{inline(x.Path), x.Changed.UTC().Format(time.RFC3339), x.Seen, x.By, x.Wrote,
			x.Gone})
	}
	return r, nil
}

// candidates returns the sessions that may have made a change.
func candidates(c changes.Change) []string {
	var names []string
	for _, x := range c.Candidates {
		if !slices.Contains(names, x.Session) {
			names = append(names, x.Session)
		}
	}
	return names
}

// relative returns a path as the ledger stores it: relative to the workspace. Agents use absolute paths.
func relative(path, workspace string) string {
	if path == "" {
		return ""
	}
	if !paths.IsAbs(path) {
		path = filepath.ToSlash(path)
	}
	path = paths.Abs("", path)
	if rel, ok := paths.Below(workspace, path); ok && paths.IsAbs(path) {
		path = rel
	}
	if path == "." {
		return ""
	}
	return path
}

// String returns the changes as prose.
func (r changesResult) String() string {
	var b chars.Prose
	none := len(r.Entries) == 0
	b.SayIf(none && r.NotFollowed != "", "no changes are known: %s\n", r.NotFollowed)
	b.SayIf(none && r.NotFollowed == "" && r.Session != "", "no changes by session %s itself recorded\n", r.Session)
	b.SayIf(none && r.NotFollowed == "" && r.Session == "", "no changes recorded\n")
	b.SayIf(r.Outside != "", "%s is outside the workspace: only what agents report about such files is recorded\n", r.Outside)
	b.SayIf(!none, "%d of %d changes", len(r.Entries), r.Total)
	b.SayIf(!none && r.Session != "", " by session %s", r.Session)
	b.SayIf(!none, ", newest first:\n")
	for _, x := range r.Entries {
		b.Say("- %d %s %s (%s, %s", x.ID, x.Op, x.Path, x.Source, x.Time)
		b.SayIf(x.Tree != "", ", in %s", x.Tree)
		switch {
		case x.Session != "":
			b.Say(", session %s", x.Session)
		case len(x.Candidates) > 0:
			b.Say(", perhaps session %s", strings.Join(x.Candidates, " or "))
		case x.Source == string(changes.Observed):
			b.WriteString(", external")
		}
		b.WriteString(")\n")
	}
	for _, x := range r.Stale {
		happened, knew := changes.Stale{Wrote: x.Wrote, Gone: x.Gone}.Words()
		b.Say("stale: %s was %s %s", x.Path, happened, changes.Who(x.By, false))
		b.SayIf(x.Seen, ", seen")
		b.Say(" at %s, after %s %s it\n", x.Changed, r.reader(), knew)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// reader names the session that stale files were read by.
func (r changesResult) reader() string {
	if r.Session == "" {
		return "this chat"
	}
	return "session " + r.Session
}
