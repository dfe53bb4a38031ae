package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/lab/sandbox"
)

// Flags that make this program one of several writers: on our ledger, or on a bbolt file that each
// opens for every record, as programs without an owner have to.
const (
	appendFlag = "-append-child"
	boltFlag   = "-bolt-child"
)

const writers = 8 // processes that write at once

// measureSharing measures durable appends of 1 KB by eight concurrent processes through the daemon, compared with
// eight that open a bbolt file, put a record of 1 KB and close it, each waiting for bbolt's own lock.
func measureSharing(ctx context.Context, b *bench) error {
	each := 200 * b.runs // of both: in a short run of the second kind the processes do not overlap
	return b.inSandbox(ctx, func(s *sandbox.Sandbox) error {
		place, err := s.Place()
		if err != nil {
			return err
		}
		ours, err := together(ctx, appendFlag, place.State, each)
		if err != nil {
			return err
		}
		plain, err := together(ctx, boltFlag, filepath.Join(s.Top, "plain.db"), each)
		if err != nil {
			return err
		}
		x, y := float64(writers*each)/ours.Seconds(), float64(writers*each)/plain.Seconds()
		b.report.add(fmt.Sprintf("durable appends of 1 KB by %d processes at once", writers), fmt.Sprintf("%.0f/s", x),
			fmt.Sprintf("open, put, close under bbolt's own lock: %.0f/s", y), fmt.Sprintf("%.1f × as many", x/y),
			fmt.Sprintf("%d each", writers*each))
		return nil
	})
}

// together runs eight children of this program concurrently and returns the elapsed time.
func together(ctx context.Context, role, path string, each int) (time.Duration, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	var children []*exec.Cmd
	began := time.Now()
	for i := range writers {
		cmd := exec.CommandContext(ctx, self, role, path, strconv.Itoa(i), strconv.Itoa(each))
		cmd.Stderr = os.Stderr
		if err = cmd.Start(); err != nil {
			break
		}
		children = append(children, cmd)
	}
	for _, cmd := range children {
		err = errors.Join(err, cmd.Wait())
	}
	return time.Since(began), err
}

// writer is a child of together: args are its role, the path, its number and how often it writes.
func writer(ctx context.Context, args []string) error {
	n, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	if args[0] == boltFlag {
		return putAlone(args[1], args[2], n)
	}
	api, err := daemon.Open(ctx, daemon.Options{State: args[1], Env: env.System(), Version: "benchmark", NoSpawn: true})
	if err != nil {
		return err
	}
	a := appender{api: api, name: "benchmark-" + args[2], now: time.Now().UTC()}
	for range n {
		if err := a.append(ctx, a.line()); err != nil {
			return errors.Join(err, api.Close())
		}
	}
	return api.Close()
}

// putAlone puts records of 1 KB into a bbolt file, opening and closing it for each.
func putAlone(path, name string, n int) error {
	for i := range n {
		db, err := bbolt.Open(path, fs.FileMode(0o600), &bbolt.Options{NoFreelistSync: true, FreelistType: bbolt.FreelistMapType})
		if err != nil {
			return err
		}
		err = db.Update(func(tx *bbolt.Tx) error {
			bucket, err := tx.CreateBucketIfNotExists([]byte("log"))
			if err != nil {
				return err
			}
			return bucket.Put(fmt.Appendf(nil, "%s/%08d", name, i), make([]byte, 1<<10))
		})
		if err = errors.Join(err, db.Close()); err != nil {
			return err
		}
	}
	return nil
}
