package core

import (
	"context"
	"os"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// Info implements API. What only the owner knows (clients, idle time) is filled in by the daemon.
func (l *Ledger) Info(ctx context.Context, _ ledger.InfoRequest) (ledger.Info, error) {
	size, err := l.Store.Size(ctx)
	if err != nil {
		return ledger.Info{}, err
	}
	return View(ctx, l, func(tx kv.Tx) (ledger.Info, error) {
		info := ledger.Info{
			Workspace: l.root, State: l.State, PID: os.Getpid(), Started: l.started, InProcess: true,
			Bytes: size.Records + size.Blobs,
		}
		all, err := visible(tx)
		if err != nil {
			return info, err
		}
		info.Sessions = len(all)
		counts, err := artifacts.Count(tx)
		if err != nil {
			return info, err
		}
		info.Artifacts = counts.Live
		if info.Memories, err = memory.Count(tx, l.Scope); err != nil {
			return info, err
		}
		info.Event, err = NewestEvent(tx)
		return info, err
	})
}
