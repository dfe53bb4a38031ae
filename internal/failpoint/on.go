//go:build failpoints

package failpoint

import (
	"os"
	"slices"
	"sync/atomic"

	"ctxledger.dev/internal/fault"
)

// armed is the point at which this process kills itself; nil: none.
var armed atomic.Pointer[string]

// Hit marks a failpoint.
func Hit(name string) {
	if a := armed.Load(); a == nil || *a != name {
		return
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err) // a test must not mistake this process for one that survived
	}
	select {} // the signal is on its way
}

// Arm makes the process kill itself when it next reaches a point.
// Errors: invalid for a point that is not in the table, or when this build has none.
func Arm(name string) error {
	if !known(name) {
		return fault.New(fault.Invalid, "failpoint.arm", "unknown failpoint %.80q", name)
	}
	armed.Store(&name)
	return nil
}

// known reports whether the table has a point.
func known(name string) bool {
	return slices.ContainsFunc(points, func(p Point) bool { return p.Name == name })
}
