package crashtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// janitor collects garbage, of which it provides some, and makes backups.
type janitor struct {
	name    string
	now     func() time.Time
	state   string // state directory
	dir     string // for backups
	count   int
	garbage string // hash of an unreferenced blob that is old enough to go
	backups []ledger.BackedUp
}

func (j *janitor) next(r *rand.Rand) *operation {
	j.count++
	var op *operation
	switch {
	case r.IntN(3) == 0:
		op = j.backUp()
	case j.garbage == "":
		op = j.litter()
	default:
		op = mutation("collect garbage", func(ctx context.Context, api ledger.API) (ledger.Collected, error) {
			return api.CollectGarbage(ctx, ledger.CollectGarbageRequest{})
		}, func(ledger.Collected) { j.garbage = "" })
	}
	op.keyed = false
	return op
}

// litter stores a blob that no record will ever name, and makes it old.
func (j *janitor) litter() *operation {
	content := fmt.Sprintf("%s %d: garbage", j.name, j.count)
	hash := sessions.Digest([]byte(content))
	return mutation("put garbage", func(ctx context.Context, api ledger.API) (ledger.BlobRef, error) {
		ref, err := api.PutBlob(ctx, strings.NewReader(content))
		if err != nil {
			return ref, err
		}
		old := j.now().Add(-2 * limits.CollectGrace)
		return ref, os.Chtimes(filepath.Join(j.state, "blobs", hash[:2], hash), old, old)
	}, func(ledger.BlobRef) { j.garbage = hash })
}

// backUp makes a backup under a name of its own. One that was under way when its owner died may be
// there already: then it is not made again.
func (j *janitor) backUp() *operation {
	file := filepath.Join(j.dir, fmt.Sprintf("backup-%d.tar", j.count))
	return mutation("back up", func(ctx context.Context, api ledger.API) (ledger.BackedUp, error) {
		b, err := api.Backup(ctx, ledger.BackupRequest{File: file})
		if !fault.Is(err, fault.Conflict) {
			return b, err
		}
		info, err := os.Stat(file)
		if err != nil {
			return b, err
		}
		return ledger.BackedUp{File: file, Bytes: info.Size()}, nil
	}, func(b ledger.BackedUp) { j.backups = append(j.backups, b) })
}

func (j *janitor) expect() facts {
	f := facts{}
	if j.garbage != "" {
		f["garbage"] = j.garbage
	}
	for _, b := range j.backups {
		f[b.File] = fmt.Sprintf("%d bytes", b.Bytes)
	}
	return f
}

func (j *janitor) observe(ctx context.Context, api ledger.API, _ *inventory) (facts, error) {
	f := facts{}
	if j.garbage != "" {
		_, err := readBlob(ctx, api, ledger.ReadBlobRequest{Hash: j.garbage})
		if err == nil {
			f["garbage"] = j.garbage
		} else if !fault.Is(err, fault.NotFound) {
			return nil, err
		}
	}
	files, err := filepath.Glob(filepath.Join(j.dir, "backup-*.tar"))
	for _, file := range files {
		info, no := os.Stat(file)
		if err = errors.Join(err, no); err == nil {
			f[file] = fmt.Sprintf("%d bytes", info.Size())
		}
	}
	return f, err
}
