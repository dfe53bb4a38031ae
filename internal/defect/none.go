//go:build !defects

package defect

// Seeded reports whether this program has the defect: no.
func (Defect) Seeded() bool { return false }
