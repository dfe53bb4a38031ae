package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"ctxledger.dev/internal/limits"
	"ctxledger.dev/lab/sandbox"
)

// measureImport measures `ctxledger import` as a whole process with a running daemon, compared
// with the same in one process, a durable copy of the file, and only decoding its lines.
func measureImport(ctx context.Context, b *bench) error {
	var imports, alone, copies, decodes times
	var client []int64
	for range b.runs {
		if err := copies.clock(func() error { return copyDurably(b.big.path, filepath.Join(b.temp, "copy")) }); err != nil {
			return err
		}
		if err := decodes.clock(func() error { return decodeLines(b.big.path) }); err != nil {
			return err
		}
		err := b.inSandbox(ctx, func(s *sandbox.Sandbox) error {
			peak, err := importOnce(ctx, s, b.big, &imports)
			client = append(client, peak)
			return err
		})
		if err == nil {
			err = b.inSandbox(ctx, func(s *sandbox.Sandbox) error { return importAlone(ctx, s, b.big, &alone) })
		}
		if err != nil {
			return err
		}
	}
	runs := fmt.Sprint(b.runs)
	took, size := imports.median(), b.big.bytes
	what := fmt.Sprintf("import of a session of %s, %d records", megabytes(size), b.big.lines)
	b.report.add(what, rate(size, took), "decoding its lines with encoding/json: "+rate(size, decodes.median()), ratio(took, decodes.median())+" the time", runs)
	b.report.add("", millis(took), "copying the file and fsync: "+millis(copies.median()), ratio(took, copies.median())+" the time", runs)
	b.report.add("", millis(took), "without a daemon (`--in-process`): "+millis(alone.median()), ratio(took, alone.median())+" the time", runs)
	if peak := slices.Max(client); peak > 0 {
		b.report.add("peak memory of that import: client", megabytes(peak), "the file: "+megabytes(size), "", runs+", highest")
	}
	return nil
}

// importOnce imports a generated session, checks that all of it is there, and returns the peak
// memory of the client in bytes, 0 if the system does not report it.
func importOnce(ctx context.Context, s *sandbox.Sandbox, g generated, t *times) (client int64, err error) {
	cmd := s.Command(ctx, "import", g.path)
	cmd.Stderr = os.Stderr
	if err := t.clock(cmd.Run); err != nil {
		return 0, err
	}
	out, err := s.Run(ctx, "sessions", "--json")
	if err != nil {
		return 0, err
	}
	var list struct {
		Sessions []struct {
			Seq int `json:"seq"`
		} `json:"sessions"`
	}
	if err := json.Unmarshal(out, &list); err != nil {
		return 0, err
	}
	if len(list.Sessions) != 1 || list.Sessions[0].Seq != g.lines {
		return 0, fmt.Errorf("the ledger holds %+v after the import, not one session with %d records", list.Sessions, g.lines)
	}
	return peakOfChild(cmd.ProcessState), nil
}

// importAlone imports a generated session without a daemon.
func importAlone(ctx context.Context, s *sandbox.Sandbox, g generated, t *times) error {
	if _, err := s.Run(ctx, "daemon", "stop"); err != nil {
		return err
	}
	return t.clock(func() error { _, err := s.Run(ctx, "--in-process", "import", g.path); return err })
}

// copyDurably copies a file and waits until the copy is on disk.
func copyDurably(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

// decodeLines decodes each line of a file as JSON and drops it.
func decodeLines(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, limits.Line)
	for lines.Scan() {
		var v any
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return err
		}
	}
	return lines.Err()
}
