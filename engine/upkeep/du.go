package upkeep

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/held"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
	"ctxledger.dev/workspace"
)

// maxUsage is how many sessions a report of disk usage lists.
const maxUsage = 100

// DiskUsage implements ledger.Housekeeping. It reads every record and the size of every file.
func (l *Upkeep) DiskUsage(ctx context.Context, _ ledger.DiskUsageRequest) (ledger.DiskUsage, error) {
	u := usage{ledger.DiskUsage{State: l.core.State}}
	if err := workspace.EachFile(ctx, l.core.State, u.file); err != nil {
		return u.DiskUsage, fault.Wrap(fault.Unavailable, "engine.usage", err)
	}
	size, err := l.core.Store.Size(ctx)
	if err != nil {
		return u.DiskUsage, err
	}
	u.Records = size.Records
	u.Total += size.Records
	disk, err := l.blobSizes(ctx)
	if err != nil {
		return u.DiskUsage, err
	}
	for _, n := range disk {
		count(&u.Blobs, n, 0)
	}
	garbage, err := l.garbage(ctx)
	if err != nil {
		return u.DiskUsage, err
	}
	for _, b := range garbage {
		count(&u.Unnamed, b.Disk, 0)
	}
	err = l.core.Store.View(ctx, func(tx kv.Tx) error { return u.read(ctx, tx, l.core.Scope, disk) })
	return u.DiskUsage, err
}

// usage adds up what the ledger occupies.
type usage struct{ ledger.DiskUsage }

// blobSizes returns what each blob takes on disk, by hash.
func (l *Upkeep) blobSizes(ctx context.Context) (map[string]int64, error) {
	disk := map[string]int64{}
	for b, err := range l.core.Store.Blobs(ctx) {
		if err != nil {
			return nil, err
		}
		disk[b.Hash] = b.Disk
	}
	return disk, nil
}

// file takes one file of the state directory into account.
func (u *usage) file(name string, size int64) {
	if name == held.Ledger {
		return // its size on disk comes from the store
	}
	u.Total += size
	switch top, _, _ := strings.Cut(name, "/"); {
	case top == "exports":
		u.Exports += size
	case top == reserveName:
		u.Reserve += size
	case top == "log":
		u.Logs += size
	case strings.HasPrefix(top, copyPrefix):
		u.Kept += size
	}
}

// read adds up the records. disk is what each blob takes.
func (u *usage) read(ctx context.Context, tx kv.Tx, scope memory.Scope, disk map[string]int64) error {
	per, named, err := usageBySession(ctx, tx, disk)
	if err != nil {
		return err
	}
	for _, size := range named {
		u.Blobs.Content += size
	}
	u.Sessions, u.SessionTotal = per, len(per)
	slices.SortStableFunc(u.Sessions, func(a, b ledger.SessionUsage) int {
		return cmp.Compare(b.Log+b.Blobs.Disk, a.Log+a.Blobs.Disk)
	})
	u.Sessions = u.Sessions[:min(len(per), maxUsage)]
	return u.readRest(tx, scope)
}

// usageBySession returns what each session occupies, the newest first, and the content of every named
// blob by hash. disk is what each blob takes.
func usageBySession(
	ctx context.Context, tx kv.Tx, disk map[string]int64,
) ([]ledger.SessionUsage, map[string]int64, error) {
	all, err := sessions.List(tx)
	if err != nil {
		return nil, nil, err
	}
	list, at := make([]ledger.SessionUsage, len(all)), map[string]int{}
	for i, s := range all {
		if list[i], err = logUsage(ctx, tx, s); err != nil {
			return nil, nil, err
		}
		at[s.ID] = i
	}
	named := map[string]int64{}
	counted := map[[2]string]bool{} // session and hash
	for n, err := range core.BlobReferences(tx) {
		if err != nil {
			return nil, nil, err
		}
		named[n.Hash] = max(named[n.Hash], n.Size)
		if n.Seq == 0 || counted[[2]string{n.Session, n.Hash}] {
			continue
		}
		counted[[2]string{n.Session, n.Hash}] = true
		count(&list[at[n.Session]].Blobs, disk[n.Hash], n.Size)
	}
	return list, named, nil
}

// count adds one blob to a sum.
func count(u *ledger.BlobUsage, disk, content int64) {
	u.Count++
	u.Disk += disk
	u.Content += content
}

// logUsage adds up the log of a session.
func logUsage(ctx context.Context, tx kv.Tx, s sessions.Session) (ledger.SessionUsage, error) {
	u := ledger.SessionUsage{ID: s.ID, Title: s.Heading(), Updated: s.Updated}
	for e, err := range sessions.Scan(tx, s.ID, 0, 0) {
		if err = errors.Join(err, ended(ctx)); err != nil {
			return u, err
		}
		u.Entries++
		u.Log += int64(e.HeaderSize + len(e.Original))
	}
	return u, nil
}

// readRest adds up what does not belong to a session.
func (u *usage) readRest(tx kv.Tx, scope memory.Scope) error {
	counts, err := artifacts.Count(tx)
	if err != nil {
		return err
	}
	u.Artifacts = ledger.CountedBytes{Count: counts.Live, Bytes: counts.Bytes}
	list, _, err := memory.List(tx, scope, "", 0)
	for _, m := range list {
		u.Memories.Count++
		u.Memories.Bytes += int64(len(m.Name) + len(m.Description) + len(m.Body))
	}
	for r, wrong := range tx.Scan(core.BucketRequests, kv.Range{}) {
		if err = errors.Join(err, wrong); err != nil {
			return err
		}
		u.Requests.Count++
		u.Requests.Bytes += int64(len(r.Key) + len(r.Value))
	}
	return err
}

// ended is the error of work whose context has ended.
func ended(ctx context.Context) error {
	return fault.Wrap(fault.Unavailable, "engine.housekeeping", ctx.Err())
}
