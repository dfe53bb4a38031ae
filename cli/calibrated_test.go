package cli

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// TestACountAsksARunningDaemonForWhatItLearnt: the user ledger's daemon runs and knows a model; without it
// the count is the prior's, and nothing is started.
func TestACountAsksARunningDaemonForWhatItLearnt(t *testing.T) {
	base, err := os.MkdirTemp("", "cl") // short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(base)
	root := t.TempDir()
	e := env.System()
	e.Dir = root
	e.Lookup = func(name string) string { return map[string]string{"CTXLEDGER_STATE": base}[name] }
	a := &action{masks: redact.New(nil), Config: Config{Env: e, Version: "test"}, workspace: root}
	ws, err := a.find()
	if err != nil {
		t.Fatal(err)
	}
	const model = "claude-opus-4-7"
	quality := func() string {
		c, err := counterOf(t.Context(), a, model, "")
		if err != nil {
			t.Fatal(err)
		}
		return c.Quality()
	}
	if q := quality(); q != "prior" {
		t.Errorf("without a daemon: %s", q)
	}
	if left, _ := filepath.Glob(filepath.Join(base, "*")); len(left) != 0 {
		t.Errorf("counting made %v", left)
	}

	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- daemon.Run(ctx, daemon.Config{State: ws.UserState, Env: e, Version: "test"}) }()
	o := daemon.Options{State: ws.UserState, Env: e, Version: "test", NoSpawn: true}
	api, err := daemon.Open(ctx, o)
	for err != nil && len(ended) == 0 { // it is about to listen
		api, err = daemon.Open(ctx, o)
	}
	if err != nil {
		t.Fatal(err)
	}
	learn := ledger.LearnRequest{Host: "h", HostID: "s", Measurements: []ledger.Measurement{
		{Request: 1, Model: model, Before: 100, After: 2100,
			Features: tokens.Features{1000, 400, 3000, 300, 50, 0, 500, 90, 1}},
	}}
	if _, err := api.Learn(ctx, learn); err != nil {
		t.Fatal(err)
	}
	if q := quality(); q != "calibrated(1)" {
		t.Errorf("with a daemon: %s", q)
	}
	if err := api.Close(); err != nil {
		t.Error(err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
