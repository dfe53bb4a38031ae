//go:build !failpoints

package failpoint

import "ctxledger.dev/internal/fault"

// Hit marks a place where the process may be made to die.
func Hit(string) {}

// Arm makes the process kill itself when it comes to a point for the n-th time from now on.
// Errors: invalid for a point that is not in the table, or when this build has none.
func Arm(string, int64) error {
	return fault.New(fault.Invalid, "failpoint.arm", "this program was built without failpoints").
		WithHint("build it with -tags failpoints")
}
