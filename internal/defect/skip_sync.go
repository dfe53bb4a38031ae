//go:build defect_skip_sync

package defect

// seeded names the defect of this build.
const seeded = "skip_sync"
