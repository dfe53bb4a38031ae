package script

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"
	"time"

	"ctxledger.dev/internal/env"
)

// Clock is the time and the randomness of a run: both follow from the number of the step, so that a
// step which is repeated, in this process or another, gets the same again. It is safe for
// concurrent use.
type Clock struct {
	mu    sync.Mutex
	step  int // guarded by mu
	draws int // guarded by mu; random blocks taken in this step
}

// Enter begins a step, also one that was begun before.
func (c *Clock) Enter(step int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.step, c.draws = step, 0
}

// Env returns the environment of this process with this clock.
func (c *Clock) Env() env.Env {
	e := env.System()
	e.Now, e.Random = c.now, c.random
	return e
}

// now is a second for each step.
func (c *Clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Date(2026, 11, 21, 8, 0, c.step, 0, time.UTC)
}

func (c *Clock) random(p []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(p) > 0 {
		var seed [16]byte
		binary.BigEndian.PutUint64(seed[:8], uint64(c.step))
		binary.BigEndian.PutUint64(seed[8:], uint64(c.draws))
		c.draws++
		sum := sha256.Sum256(seed[:])
		p = p[copy(p, sum[:]):]
	}
}
