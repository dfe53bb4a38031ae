package daemon

import "ctxledger.dev/internal/env"

// listen opens the listener of this platform.
func listen(env.Env, string) (listener, error) { return listenLoopback() }

// privateName names the directory for sockets whose path in the state directory would be too long.
func privateName() string { return "ctxledger" }
