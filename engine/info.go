package engine

import (
	"context"
	"os"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// Info implements API. What only the owner knows (clients, idle time) is filled in by the daemon.
func (l *Local) Info(ctx context.Context, _ ledger.InfoRequest) (ledger.Info, error) {
	size, err := l.store.Size(ctx)
	if err != nil {
		return ledger.Info{}, err
	}
	return view(ctx, l, func(tx kv.Tx) (ledger.Info, error) {
		info := ledger.Info{
			Workspace: l.root, State: l.state, PID: os.Getpid(), Started: l.started, InProcess: true,
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
		if info.Memories, err = memory.Count(tx, l.scope); err != nil {
			return info, err
		}
		info.Event, err = newestEvent(tx)
		return info, err
	})
}
