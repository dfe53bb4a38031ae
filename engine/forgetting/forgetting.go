// Package forgetting removes content from a ledger: on request, and by age or size.
package forgetting

import "ctxledger.dev/engine/upkeep"

// Forgetting implements ledger.Erasure except Mask, which package core has.
type Forgetting struct {
	*upkeep.Upkeep
	rest func() // drops the caches of this process
}

// New returns the forgetting of an open ledger. rest drops the caches of this process, which may hold what is forgotten.
func New(u *upkeep.Upkeep, rest func()) *Forgetting { return &Forgetting{u, rest} }
