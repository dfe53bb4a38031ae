package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"ctxledger.dev/internal/sandbox"
)

const (
	readSize  = 8 << 10 // bytes of one answer
	readCalls = 2000    // calls of each server
	readBlock = 100     // calls of one server before the other gets its turn
	readWhole = 1 << 20 // bytes of the artifact
)

// measureRead measures calls of read_artifact over stdio, beside a tool that does nothing but return
// as much. Both are asked in turns, so that they share whatever else the machine does.
func measureRead(ctx context.Context, b *bench) error {
	return b.inSandbox(ctx, func(s *sandbox.Sandbox) (err error) {
		id, err := putSample(ctx, s, filepath.Join(b.temp, "sample.txt"))
		if err != nil {
			return err
		}
		ours, err := s.Connect(ctx, "benchmark")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, ours.Close()) }()
		self, err := os.Executable()
		if err != nil {
			return err
		}
		bare, err := sandbox.Dial(ctx, "benchmark", exec.Command(self, echoFlag))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, bare.Close()) }()
		return b.readInTurns(ctx, id, ours, bare)
	})
}

// putSample keeps a text as an artifact and returns its handle.
func putSample(ctx context.Context, s *sandbox.Sandbox, path string) (string, error) {
	if err := os.WriteFile(path, sample(readWhole), 0o600); err != nil {
		return "", err
	}
	out, err := s.Run(ctx, "artifact", "put", "--json", path)
	if err != nil {
		return "", err
	}
	var a struct {
		ID string `json:"id"`
	}
	return a.ID, json.Unmarshal(out, &a)
}

// readInTurns makes the calls, each for another part of the artifact.
func (b *bench) readInTurns(ctx context.Context, id string, ours, bare *sandbox.Client) error {
	var read, echo times
	calls := readCalls / 5 * b.runs
	for i := -readBlock; i < calls; i++ { // the first block only warms up
		from := (i + readBlock) * readSize % (readWhole - readSize)
		part := fmt.Sprintf("%d-%d", from, from+readSize-1)
		for _, server := range []struct {
			client *sandbox.Client
			tool   string
			args   map[string]any
			took   *times
		}{
			{ours, "read_artifact", map[string]any{"id": id, "bytes": part, "limit": readSize}, &read},
			{bare, "echo", map[string]any{"bytes": part}, &echo},
		} {
			var answer struct {
				Text string `json:"text"`
			}
			err := server.took.clock(func() error {
				_, err := server.client.Call(ctx, server.tool, server.args, &answer)
				return err
			})
			if err != nil {
				return err
			}
			if len(answer.Text) != readSize {
				return fmt.Errorf("%s answered with %d bytes, not %d", server.tool, len(answer.Text), readSize)
			}
		}
		if i == -1 {
			read, echo = nil, nil
		}
	}
	for _, q := range quantiles {
		x, y := read.at(q.at), echo.at(q.at)
		b.report.add("`read_artifact` of 8 KB over stdio, "+q.name, millis(x), "a bare echo tool of mcp-go: "+millis(y), ratio(x, y), fmt.Sprint(calls))
	}
	return nil
}
