package crashtest

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"

	"ctxledger.dev/agents"
	"ctxledger.dev/artifacts"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// importer imports a session file of a real agent that grows, cut anywhere.
type importer struct {
	path    string // of the growing file
	content []byte // of the whole file
	size    int    // what of it has been written
	offset  int64  // what the ledger has acknowledged
}

// maxPiece is how much a session file grows at once, in bytes: one batch, which is imported at once
// or not at all.
const maxPiece = 6_000

func (m *importer) next(r *rand.Rand) *operation {
	if m.size == len(m.content) {
		return nil
	}
	grown := 1 + r.IntN(maxPiece)
	if m.size == 0 {
		grown = 5 * maxPiece // enough to identify the owner of the file
	}
	m.size = min(m.size+grown, len(m.content))
	size := m.size
	op := mutation("import", func(ctx context.Context, api ledger.API) (agents.Report, error) {
		if err := os.WriteFile(m.path, m.content[:size], 0o600); err != nil {
			return agents.Report{}, err
		}
		return agents.Import(ctx, api, agents.Source{Path: m.path}, nil)
	}, func(report agents.Report) {
		m.offset = report.Offset
	})
	op.keyed = false // sent again it imports nothing, and says so
	return op
}

func (m *importer) expect() facts {
	if m.offset == 0 {
		return facts{}
	}
	return factsOf(m.content[:m.offset])
}

// factsOf describes what was imported. The ledger does not show whether the newest line has
// ended.
func factsOf(imported []byte) facts {
	imported = bytes.TrimSuffix(imported, []byte("\n"))
	return facts{"bytes": strconv.Itoa(len(imported)), "content": digest(imported)}
}

func (m *importer) observe(ctx context.Context, api ledger.API, all *inventory) (facts, error) {
	i := slices.IndexFunc(all.sessions, func(s sessions.Session) bool { return s.Host != host && s.HostID != "" })
	if i < 0 {
		return facts{}, nil
	}
	s := all.sessions[i]
	all.claim("session", s.ID)
	for _, a := range all.artifacts {
		if slices.ContainsFunc(a.Refs, func(r artifacts.Ref) bool { return r.Session == s.ID }) {
			all.claim("artifact", a.ID)
		}
	}
	var imported bytes.Buffer
	_, err := ledger.WriteOriginals(ctx, api, &imported, s.ID, 0, 0)
	return factsOf(imported.Bytes()), err
}
