// Package env is the one door to the process environment: the clock, random numbers,
// variables and directories.
//
// Everything that depends on them takes an Env, so that tests decide the time and the
// identifiers, and nothing else in the product asks the operating system on its own.
// Start with System in a command and with a literal Env in a test.
package env

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"os"
	"time"
)

// Env is what a component may know of the process it runs in.
type Env struct {
	Now    func() time.Time         // the clock, in any location; stored times are UTC
	Random func(p []byte)           // fills p with random bytes
	Lookup func(name string) string // the value of an environment variable, or ""
	Dir    string                   // the working directory
	Home   string                   // the user's home directory, or ""
	Temp   string                   // the directory for temporary files
}

// System returns the environment of the running process.
func System() Env {
	dir, _ := os.Getwd() // a deleted working directory is not fatal: callers see ""
	home, _ := os.UserHomeDir()
	return Env{
		Now:    time.Now,
		Random: func(p []byte) { _, _ = rand.Read(p) }, // crypto/rand.Read never fails
		Lookup: lookup,
		Dir:    dir,
		Home:   home,
		Temp:   os.TempDir(),
	}
}

// Sleep waits for a time, or until ctx ends.
func Sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// ID returns 2·n random lower-case hex digits.
func (e Env) ID(n int) string {
	p := make([]byte, n)
	e.Random(p)
	return hex.EncodeToString(p)
}

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
