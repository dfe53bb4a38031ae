package poison

import (
	"os"
	"testing"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
)

// TestMain plays the roles that commands start this program again for (`check`, `repair`, the daemon): a test program
// that did not would run all its tests again in each of them, and so on without end.
func TestMain(m *testing.M) {
	if handled, exit := daemon.Main(os.Args, role); handled {
		os.Exit(exit)
	}
	os.Exit(m.Run())
}

// role is what the daemon of this program does.
func role() daemon.Role { return daemon.Role{Version: "test", Env: env.System()} }
