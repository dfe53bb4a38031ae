// Package installed finds programs that are not ours, which targets of make install for tests: editors, a browser, coding
// agents. Start with Directory. It installs nothing.
package installed

import (
	"strings"
	"testing"

	"ctxledger.dev/internal/env"
)

// Real is in the name of every test that needs a program which is not ours: an editor, a browser, a coding agent. `make
// test` leaves these tests out; `make integration`, which installs the programs, runs some and `make whole` all of them.
const Real = "Real"

// Directory returns the directory of installed programs that an environment variable names. Without the variable the test
// is left out; part is the target of make that installs the programs and sets it. A test that is not named as Real says
// fails, for then no target would run it with the programs.
func Directory(t testing.TB, variable, part string) string {
	t.Helper()
	if !strings.Contains(t.Name(), Real) {
		t.Fatalf("%s needs what `make %s` installs: give it a name with %q, by which make finds it", t.Name(), part, Real)
	}
	dir := env.System().Lookup(variable)
	if dir == "" {
		t.Skipf("%s is not set: `make %s` installs what this test needs, and runs it", variable, part)
	}
	return dir
}
