// Package forgetting removes content from a ledger: on request, and by age or size.
package forgetting

import "ctxledger.dev/engine/upkeep"

// Forgetting implements ledger.Erasure except Mask, which package core has.
type Forgetting struct{ *upkeep.Upkeep }

// New returns the forgetting of an open ledger.
func New(u *upkeep.Upkeep) *Forgetting { return &Forgetting{u} }
