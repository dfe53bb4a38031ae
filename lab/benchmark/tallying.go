package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/tokens"
)

// measureCountWorkspace counts the source of Go's standard library in the server, compared with the
// command line.
func (b *bench) measureCountWorkspace(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "src")
	var served, alone times
	var counted struct{ Files, Bytes, Tokens int64 }
	for range b.runs {
		s, err := b.startServer(ctx, map[string]any{"rootUri": "file://" + filepath.ToSlash(dir)})
		if err != nil {
			return err
		}
		err = served.clock(func() error {
			return s.Call(ctx, "workspace/executeCommand", map[string]any{"command": "ctxledger.server.countWorkspace"}, &counted)
		})
		if err != nil {
			return err
		}
		if err := s.stop(ctx); err != nil {
			return err
		}
		if err := alone.clock(func() error { return exec.CommandContext(ctx, b.bin+"/ctxledger", "count", "--json", dir).Run() }); err != nil {
			return err
		}
	}
	b.report.add(fmt.Sprintf("editor: counting a workspace of %s in %d files, with progress", megabytes(counted.Bytes), counted.Files),
		millis(served.median())+", best "+millis(served.at(0)), "`ctxledger count`: "+millis(alone.median())+", best "+millis(alone.at(0)), ratio(served.at(0), alone.at(0)), fmt.Sprint(len(served)))
	return b.tallyReference(ctx, counted.Bytes, served.at(0))
}

// tallyReference lets npm's reference count a part of the same source, as one text in memory.
func (b *bench) tallyReference(ctx context.Context, size int64, took time.Duration) error {
	if _, err := os.Stat(countersPath); err != nil {
		return nil // make counters has not been run: the row is left out
	}
	source, err := goSource(ctx, b.text)
	if err != nil {
		return err
	}
	c, err := b.corpus("Go source", source)
	if err != nil {
		return err
	}
	process, err := b.startCounter(ctx, reference, tokens.O200kBase.String())
	if err != nil {
		return err
	}
	found, err := process.ask("count", c.path, b.rounds(), enough, 0)
	if err = errors.Join(err, process.close()); err != nil {
		return err
	}
	best := found.took.at(0)
	b.report.add("″: a second of it", rate(size, took), fmt.Sprintf("npm `%s`, %s of it, in memory: %s", reference, megabytes(c.size), rate(c.size, best)),
		fmt.Sprintf("%.0f × as fast", float64(size)/took.Seconds()/(float64(c.size)/best.Seconds())), fmt.Sprint(len(found.took)))
	return nil
}
