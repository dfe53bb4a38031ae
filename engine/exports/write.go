package exports

import (
	"context"
	"io"
	"slices"

	"ctxledger.dev/changes"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// maxExternal bounds the external changes in a document: the newest are kept.
const maxExternal = 10_000

// Written says what was exported.
type Written struct {
	Dir      string `json:"dir"`
	Sessions int    `json:"sessions"`
	Turns    int    `json:"turns"`   // entries of changes.json
	Intents  int    `json:"intents"` // entries of intents.json
	Bytes    int64  `json:"bytes"`
}

// Write writes changes.json and intents.json of some sessions, oldest first, into a directory, which it makes if needed.
// Errors: denied for a directory that cannot be written; those of the API.
func Write(ctx context.Context, api ledger.API, e env.Env, dir string, all []sessions.Session) (Written, error) {
	w := Written{Dir: dir, Sessions: len(all)}
	root, err := openDir(dir)
	if err != nil {
		return w, err
	}
	defer root.Close() // only a handle on the directory
	active := activeOf(all)
	size, err := writeFile(ctx, api, e, root, ChangesFile, func(out io.Writer) error {
		doc := writer{w: out}
		for _, s := range all {
			err := turns(ctx, api, s, func(t Turn) error {
				w.Turns++
				doc.entry(t)
				return nil
			})
			if err != nil {
				return err
			}
		}
		external, err := external(ctx, api, maxExternal)
		if err != nil {
			return err
		}
		return doc.close(Changes{Entries: []Turn{}, ActiveSessionID: active, External: external})
	}, always)
	if err != nil {
		return w, err
	}
	w.Bytes = size
	size, err = writeFile(ctx, api, e, root, IntentsFile, func(out io.Writer) error {
		doc := writer{w: out}
		for _, s := range all {
			err := eachIntent(ctx, api, s.ID, func(in intents.Intent) error {
				w.Intents++
				doc.entry(entryOf(in, s.Host))
				return nil
			})
			if err != nil {
				return err
			}
		}
		return doc.close(Intents{Entries: []Intent{}, ActiveSessionID: active})
	}, always)
	w.Bytes += size
	return w, err
}

// always keeps what was written.
func always() (bool, error) { return true, nil }

// activeOf returns the id of the most recently active session that is neither a subagent's nor a copy of ours that nobody
// went on with.
func activeOf(all []sessions.Session) string {
	var newest sessions.Session
	for _, s := range all {
		if s.Main() && !s.Unused() && !s.Updated.Before(newest.Updated) {
			newest = s
		}
	}
	return newest.ID
}

// external returns the newest changes that no session made, oldest first.
func external(ctx context.Context, api ledger.API, most int) ([]ExternalChange, error) {
	var list []ExternalChange
	err := eachChange(ctx, api, "", func(c changes.Change) {
		if c.Session == "" && len(list) < most {
			list = append(list, ExternalChange{Path: c.Path, Operation: string(c.Op), Timestamp: stamp(c.Time)})
		}
	})
	slices.Reverse(list)
	return list, err
}
