package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/workspace"
)

const (
	// audited is the total size of the audited session files in bytes: a person's after some months.
	audited = 350 << 20
	// auditedRounds is how often each file repeats the recorded session.
	auditedRounds = 4
)

// measureAudit measures `ctxledger audit` as a whole process over many session files, compared with
// only decoding their lines on as many processors; and its memory for them and for an eighth of them.
func measureAudit(ctx context.Context, b *bench) error {
	size := int64(audited)
	if b.runs < 5 {
		size = 4 * b.big.bytes
	}
	some, _, err := b.sessionFiles(filepath.Join(b.temp, "some"), size/8)
	if err != nil {
		return err
	}
	all, length, err := b.sessionFiles(filepath.Join(b.temp, "all"), size)
	if err != nil {
		return err
	}
	return b.inSandbox(ctx, func(s *sandbox.Sandbox) error {
		var audits, agains, decodes times
		var peak int64
		for range b.runs {
			highest, err := auditOnce(ctx, s, all, &audits)
			if err != nil {
				return err
			}
			peak = max(peak, highest)
			if _, err := auditOnce(ctx, s, all, &agains); err != nil {
				return err
			}
			if err := os.Remove(workspace.Figures(filepath.Join(s.State, "user"))); err != nil {
				return err
			}
			if err := decodes.clock(func() error { return decodeAll(all) }); err != nil {
				return err
			}
		}
		what := fmt.Sprintf("audit of %d session files, %s", len(all), megabytes(length))
		b.report.add(what, millis(audits.median()), "decoding their lines with encoding/json, as many at a time: "+millis(decodes.median()),
			ratio(audits.median(), decodes.median())+" the time", fmt.Sprint(b.runs))
		b.report.add("″ again, no file has changed", millis(agains.median()), "that audit: "+millis(audits.median()),
			ratio(agains.median(), audits.median())+" the time", fmt.Sprint(b.runs))
		var short times
		least, err := auditOnce(ctx, s, some, &short)
		if err == nil && least > 0 {
			b.report.add("peak memory of that audit", megabytes(peak), "of an eighth of the files: "+megabytes(least), fmt.Sprintf("%.2f ×", float64(peak)/float64(least)), fmt.Sprintf("%d, highest", b.runs))
		}
		return err
	})
}

// sessionFiles writes session files without common identifiers below dir, with that total size.
func (b *bench) sessionFiles(dir string, size int64) (paths []string, written int64, err error) {
	old := sessionRef.FindSubmatch(b.recorded)
	if old == nil {
		return nil, 0, errors.New("the recorded file names no session")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, 0, err
	}
	for n := 0; written < size; n++ {
		id := fmt.Sprintf("%08d-2222-4333-8444-555555555555", n)
		r := renamer{session: string(old[1]), as: id, round: n * auditedRounds}
		var text []byte
		for range auditedRounds {
			for line := range bytes.Lines(b.recorded) {
				text = append(text, r.line(line)...)
			}
			r.round++
		}
		path := filepath.Join(dir, id+".jsonl")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return nil, 0, err
		}
		paths, written = append(paths, path), written+int64(len(text))
	}
	return paths, written, nil
}

// auditOnce audits files, checks that each was counted once, and returns the peak memory of the process.
func auditOnce(ctx context.Context, s *sandbox.Sandbox, files []string, t *times) (peak int64, err error) {
	cmd := s.Command(ctx, "audit", "--json", filepath.Dir(files[0]))
	var out []byte
	if err := t.clock(func() (err error) { out, err = cmd.Output(); return err }); err != nil {
		return 0, err
	}
	var found struct {
		Sessions int `json:"sessions"`
		Total    struct {
			Requests int `json:"requests"`
		} `json:"total"`
	}
	if err := json.Unmarshal(out, &found); err != nil {
		return 0, err
	}
	if each := found.Total.Requests / len(files); found.Sessions != len(files) || each == 0 || found.Total.Requests != each*len(files) {
		return 0, fmt.Errorf("%d sessions with %d requests were counted in %d equal files", found.Sessions, found.Total.Requests, len(files))
	}
	return peakOfChild(cmd.ProcessState), nil
}

// decodeAll decodes the lines of files, as many files at a time as there are processors.
func decodeAll(files []string) error {
	errs := make([]error, len(files))
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	var workers sync.WaitGroup
	for i, f := range files {
		room <- struct{}{}
		workers.Go(func() {
			errs[i] = decodeLines(f)
			<-room
		})
	}
	workers.Wait()
	return errors.Join(errs...)
}
