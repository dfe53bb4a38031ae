//go:build !defect_ack_before_sync && !defect_skip_sync && !defect_drop_checksum && !defect_lost_key && !defect_stale_owner

package defect

// seeded names the defect of this build: none.
const seeded = ""
