package e2e

import (
	"context"
	"os"
	"testing"
	"time"

	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/ledger"
)

// patience is how long a test waits for what must happen.
const patience = 60 * time.Second

// recording is a session that the real Claude Code recorded, see testdata/sessions/README.md.
const recording = "../../testdata/sessions/shop.jsonl"

// bin is the directory of the built programs; TestMain sets it.
var bin string

func TestMain(m *testing.M) {
	os.Exit(programtest.Run(m, func(dir string) error {
		bin = dir
		return programtest.Build(bin, programtest.Programs)
	}))
}

// newBox returns a sandbox that is closed when the test ends.
func newBox(t *testing.T) *sandbox.Sandbox { return programtest.NewBox(t, bin) }

// deadlined returns a context for one test.
func deadlined(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// connect starts a ctxmcp in a directory and closes it when the test ends.
func connect(t *testing.T, s *sandbox.Sandbox, dir, name string) *sandbox.Client {
	t.Helper()
	c, err := s.ConnectIn(deadlined(t), dir, name, "--structured")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	})
	return c
}

// open returns the ledger through its daemon and closes it when the test ends.
func open(t *testing.T, s *sandbox.Sandbox) ledger.API {
	t.Helper()
	api, err := s.Open(deadlined(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := api.Close(); err != nil {
			t.Error(err)
		}
	})
	return api
}

// run runs a command of ctxledger that must succeed.
func run(t *testing.T, s *sandbox.Sandbox, args ...string) []byte {
	t.Helper()
	out, err := s.Run(deadlined(t), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// read returns the content of a file.
func read(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
