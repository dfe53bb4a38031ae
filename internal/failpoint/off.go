//go:build !failpoints

package failpoint

import "ctxledger.dev/internal/fault"

// Hit marks a failpoint.
func Hit(string) {}

// Arm makes the process kill itself when it next reaches a point.
// Errors: invalid for a point that is not in the table, or when this build has none.
func Arm(string) error {
	return fault.New(fault.Invalid, "failpoint.arm", "this program was built without failpoints").
		WithHint("build it with -tags failpoints")
}
