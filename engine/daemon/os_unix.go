//go:build unix

package daemon

import (
	"os"
	"strconv"

	"ctxledger.dev/internal/env"
)

// listen opens the listener of this platform.
func listen(e env.Env, state string) (listener, error) { return listenUnix(e, state) }

// privateName names the directory for sockets whose path in the state directory would be too long.
func privateName() string { return "ctxledger-" + strconv.Itoa(os.Getuid()) }
