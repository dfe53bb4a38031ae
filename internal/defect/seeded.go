//go:build defects

package defect

// seeded names the defect of this program. The linker sets it.
var seeded string

// Seeded reports whether this program has the defect.
func (d Defect) Seeded() bool { return string(d) == seeded }
