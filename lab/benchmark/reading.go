package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"ctxledger.dev/lab/sandbox"
)

const (
	readSize  = 8 << 10 // bytes of one answer
	readCalls = 2000    // calls of each server
	readBlock = 100     // warm-up calls
	readPage  = 40_000  // bytes of the longest answer
	readWhole = 1 << 20 // bytes of the artifact
)

// measureRead measures calls of read_artifact over stdio, compared with a tool that only returns as many
// bytes. Calls alternate, so that other load on the machine affects both.
func measureRead(ctx context.Context, b *bench) error {
	return b.inSandbox(ctx, func(s *sandbox.Sandbox) (err error) {
		id, err := putSample(ctx, s, filepath.Join(b.temp, "sample.txt"))
		if err != nil {
			return err
		}
		ours, err := speakTo(s.Server("--structured"))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, ours.close()) }()
		self, err := os.Executable()
		if err != nil {
			return err
		}
		bare, err := speakTo(exec.Command(self, echoFlag))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, bare.close()) }()
		return b.readInTurns(id, ours, bare)
	})
}

// putSample keeps a text as an artifact and returns its handle.
func putSample(ctx context.Context, s *sandbox.Sandbox, path string) (string, error) {
	if err := os.WriteFile(path, sample(readWhole), 0o600); err != nil {
		return "", err
	}
	out, err := s.Run(ctx, "artifact", "save", "--json", path)
	if err != nil {
		return "", err
	}
	var a struct {
		ID string `json:"id"`
	}
	return a.ID, json.Unmarshal(out, &a)
}

// textServer is an MCP server with the tool that returns a part of a text.
type textServer struct {
	*lineServer
	tool string
	args map[string]any
	took times
}

// part asks for the bytes from an offset on, checks that they come and returns how long that took.
func (s *textServer) part(from, size int) (time.Duration, error) {
	s.args["bytes"] = fmt.Sprintf("%d-%d", from, from+size-1)
	var answer struct {
		Text string `json:"text"`
	}
	took, err := s.call(s.tool, s.args, &answer)
	if err == nil && len(answer.Text) != size {
		err = fmt.Errorf("%s answered with %d bytes, not %d", s.tool, len(answer.Text), size)
	}
	return took, err
}

// whole asks for all of the text, in parts as long as they may be.
func (s *textServer) whole() error {
	var sum time.Duration
	for from := 0; from < readWhole; from += readPage {
		took, err := s.part(from, min(readPage, readWhole-from))
		if err != nil {
			return err
		}
		sum += took
	}
	s.took = append(s.took, sum)
	return nil
}

// readInTurns makes the calls, each for another part of the artifact, and then reads all of it.
func (b *bench) readInTurns(id string, ours, bare *lineServer) error {
	read := &textServer{lineServer: ours, tool: "read_artifact", args: map[string]any{"id": id, "limit": readPage}}
	echo := &textServer{lineServer: bare, tool: "echo", args: map[string]any{}}
	calls, wholes := readCalls/5*b.runs, 8*b.runs
	for i := -readBlock; i < calls; i++ { // the first block is a warm-up
		from := (i + readBlock) * readSize % (readWhole - readSize)
		for _, s := range []*textServer{read, echo} {
			took, err := s.part(from, readSize)
			if err != nil {
				return err
			}
			if i >= 0 {
				s.took = append(s.took, took)
			}
		}
	}
	for _, q := range quantiles {
		x, y := read.took.at(q.at), echo.took.at(q.at)
		b.report.add("`read_artifact` of 8 KB over stdio, "+q.name, millis(x), "a bare echo tool of mcp-go: "+millis(y), millis(x-y)+" more", fmt.Sprint(calls))
	}
	read.took, echo.took = nil, nil
	for range wholes {
		for _, s := range []*textServer{read, echo} {
			if err := s.whole(); err != nil {
				return err
			}
		}
	}
	x, y := read.took.median(), echo.took.median()
	b.report.add("`read_artifact` of 1 MiB, in pages of 40,000 bytes", millis(x), "the echo tool: "+millis(y), ratio(x, y), fmt.Sprint(wholes))
	return nil
}
