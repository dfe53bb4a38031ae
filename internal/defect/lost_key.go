//go:build defect_lost_key

package defect

// seeded names the defect of this build.
const seeded = "lost_key"
