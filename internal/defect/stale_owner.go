//go:build defect_stale_owner

package defect

// seeded names the defect of this build.
const seeded = "stale_owner"
