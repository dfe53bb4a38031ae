//go:build defect_ack_before_sync

package defect

// seeded names the defect of this build.
const seeded = "ack_before_sync"
