//go:build failpoints

package failpoint

import (
	"os"
	"slices"
	"sync/atomic"

	"ctxledger.dev/internal/fault"
)

// armed is the point at which this process is to die; nil: none.
var armed atomic.Pointer[countdown]

// countdown is an armed point.
type countdown struct {
	name string
	left atomic.Int64
}

// Hit marks a place where the process may be made to die.
func Hit(name string) {
	c := armed.Load()
	if c == nil || c.name != name || c.left.Add(-1) != 0 {
		return
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err) // no test may take this process for one that passed
	}
	select {} // the signal is on its way
}

// Arm makes the process kill itself when it comes to a point for the n-th time from now on.
// Errors: invalid for a point that is not in the table, or when this build has none.
func Arm(name string, n int64) error {
	if !known(name) || n < 1 {
		return fault.New(fault.Invalid, "failpoint.arm", "there is no failpoint %.80q, or not for the %d. time", name, n)
	}
	c := &countdown{name: name}
	c.left.Store(n)
	armed.Store(c)
	return nil
}

// known reports whether the table has a point.
func known(name string) bool {
	return slices.ContainsFunc(points, func(p Point) bool { return p.Name == name })
}
