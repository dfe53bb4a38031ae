//go:build defect_drop_checksum

package defect

// seeded names the defect of this build.
const seeded = "drop_checksum"
