package taint

import (
	"flag"
	"os"
	"testing"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
)

var (
	canaries = flag.Int("canaries", 24, "how many secrets are planted")
	seed     = flag.Uint64("seed", 1, "of the secrets")
)

// TestMain plays the roles that commands start this program again for: `check` and `repair` read a ledger in a child.
func TestMain(m *testing.M) {
	if handled, exit := daemon.Main(os.Args, role); handled {
		os.Exit(exit)
	}
	os.Exit(m.Run())
}

// role is what the daemon of this program does.
func role() daemon.Role { return daemon.Role{Version: "test", Env: env.System()} }
