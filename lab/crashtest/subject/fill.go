package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ctxledger.dev/lab/crashtest/script"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
)

// ballast is what fill gives back to a disk that it has filled: bytes in one file, and empty files.
const (
	ballastBytes = 256 << 10
	ballastFiles = 8
)

// fill writes into the ledger dir/state until the disk is full, frees space,
// and continues in the same process. It reports what failed as play does; its error says what is wrong.
func fill(ctx context.Context, dir string) error {
	if err := loadBallast(filepath.Join(dir, "ballast")); err != nil {
		return err
	}
	state := filepath.Join(dir, "state")
	var before script.State
	err := serve(ctx, state, func(api ledger.API, _ *script.Clock) error {
		f := filler{api: api, said: json.NewEncoder(os.Stdout)}
		if err := f.fill(ctx); err != nil {
			return err
		}
		if err := os.RemoveAll(filepath.Join(dir, "ballast")); err != nil {
			return err
		}
		if err := errors.Join(f.memory(ctx), f.blob(ctx)); err != nil {
			return fmt.Errorf("there is space again, and yet: %w", err)
		}
		var err error
		if before, err = script.Read(ctx, api); err != nil {
			return err
		}
		return f.check(before)
	})
	if err != nil {
		return err
	}
	return serve(ctx, state, func(api ledger.API, _ *script.Clock) error {
		after, err := script.Read(ctx, api)
		if lost := before.Differences(after); err == nil && len(lost) > 0 {
			return fmt.Errorf("opened again, it differs:\n%s", strings.Join(lost, "\n"))
		}
		return err
	})
}

func loadBallast(dir string) error {
	err := os.Mkdir(dir, 0o700)
	for n := range ballastFiles {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, fmt.Sprint(n)),
			make([]byte, ballastBytes/ballastFiles), 0o600))
	}
	return err
}

// filler puts memories and artifacts into a ledger, each different from all others.
type filler struct {
	api   ledger.API
	said  *json.Encoder
	tried int
	kept  []string // memories that were acknowledged
	arts  []string // artifacts that were acknowledged
}

// noise is text of the present attempt that hardly compresses.
func (f *filler) noise(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(sessions.Digest(fmt.Appendf(nil, "%d/%d", f.tried, i)))
	}
	return b.String()[:n]
}

func (f *filler) memory(ctx context.Context) error {
	f.tried++
	name := fmt.Sprint("filler-", f.tried)
	_, err := f.api.SaveMemory(
		ctx, ledger.SaveMemoryRequest{Entry: memory.Entry{Name: name, Source: "filler", Body: f.noise(4000)}})
	if err == nil {
		f.kept = append(f.kept, name)
	}
	return err
}

func (f *filler) blob(ctx context.Context) error {
	f.tried++
	ref, err := f.api.PutBlob(ctx, strings.NewReader(f.noise(20_000)))
	if err != nil {
		return err
	}
	a, err := f.api.PutArtifact(ctx, ledger.PutArtifactRequest{Blob: ref.Hash})
	if err == nil {
		f.arts = append(f.arts, a.ID)
	}
	return err
}

// fill stops when attempts have failed three times in a row.
func (f *filler) fill(ctx context.Context) error {
	const most = 500 // attempts: far more than fit on the disk
	for failures := 0; failures < 3; {
		if f.tried > most {
			return errors.New("the disk does not fill up")
		}
		err := f.blob(ctx)
		if err == nil {
			err = f.memory(ctx)
		}
		if err == nil {
			failures = 0
			continue
		}
		failures++
		if err := f.said.Encode(saidOf(f.tried, err)); err != nil {
			return err
		}
	}
	return nil
}

// check compares what was acknowledged with what the ledger answers.
func (f *filler) check(s script.State) error {
	for _, name := range f.kept {
		if a := s["memory "+name]; a == "" || a[0] == '!' {
			return fmt.Errorf("memory %s was acknowledged and is %q", name, a)
		}
	}
	for _, id := range f.arts {
		if a := s["content "+id]; a == "" || a[0] == '!' {
			return fmt.Errorf("artifact %s was acknowledged and is %q", id, a)
		}
	}
	return nil
}
