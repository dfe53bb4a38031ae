package daemon

import (
	"io/fs"

	"ctxledger.dev/internal/env"
)

// listen opens the listener of this platform.
func listen(env.Env, string) (listener, error) { return listenLoopback() }

// privateName names the directory for sockets whose path in the state directory would be too long.
func privateName() string { return "ctxledger" }

// ownedByUs is not used on Windows, where the listener is a port.
func ownedByUs(fs.FileInfo) bool { return true }
