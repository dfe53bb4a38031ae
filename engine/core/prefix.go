package core

import (
	"slices"
	"strings"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
)

// maxAlike is how many handles that begin alike an error lists.
const maxAlike = 8

// starting returns the ids of one kind that begin with a prefix, at most limit of them.
type starting func(tx kv.Tx, prefix string, limit int) ([]string, error)

// Whole returns the only handle of an artifact, summary, session or message that begins with a prefix. A prefix that is too
// short, or begins none, is returned as it is. Errors: conflict if there are several, which are listed.
func Whole(tx kv.Tx, prefix string) (string, error) {
	return only(tx, prefix, artifacts.Starting, summariesStarting, sessions.Starting)
}

// WholeSummary is Whole for summaries alone.
func WholeSummary(tx kv.Tx, prefix string) (string, error) {
	return only(tx, prefix, summariesStarting)
}

func summariesStarting(tx kv.Tx, prefix string, limit int) ([]string, error) {
	return kv.Starting(tx, BucketSummaries, prefix, limit)
}

func only(tx kv.Tx, prefix string, kinds ...starting) (string, error) {
	if len(prefix) < sessions.MinPrefix || len(prefix) >= sessions.HandleDigits {
		return prefix, nil
	}
	var hits []string
	for _, kind := range kinds {
		more, err := kind(tx, prefix, maxAlike+1)
		if err != nil {
			return "", err
		}
		hits = append(hits, more...)
	}
	slices.Sort(hits)
	switch hits = slices.Compact(hits); {
	case len(hits) == 0:
		return prefix, nil
	case len(hits) == 1:
		return hits[0], nil
	case len(hits) > maxAlike:
		hits = append(hits[:maxAlike:maxAlike], "…")
	}
	return "", fault.New(fault.Conflict, "engine.handle", "handle %s is ambiguous: %s", prefix,
		strings.Join(hits, ", ")).WithHint("give more of its digits")
}
