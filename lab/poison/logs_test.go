//go:build linux

package poison_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/logcap"
	"ctxledger.dev/internal/logtest"
	"ctxledger.dev/internal/pulse"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/lab/poison"
	"ctxledger.dev/ledger"
)

// logs are what a daemon writes to its log for a workspace with the text as its name, and for tasks that fail with it:
// by an error, and by a defect.
func logs(s *scene, look looker) {
	hostile := planted(s.text.Value, s.form)
	root := filepath.Join(s.t.TempDir(), "x"+strings.NewReplacer("/", "_", "\x00", "_").Replace(s.cut(hostile, 200)))
	s.do(os.Mkdir(root, 0o700))
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	var failing sync.WaitGroup
	fails := func(how func() error) func(context.Context, ledger.API, *pulse.Pulse) error {
		failing.Add(1)
		return func(context.Context, ledger.API, *pulse.Pulse) error {
			defer failing.Done()
			return how()
		}
	}
	tasks := []daemon.Task{
		{Name: hostile, Run: fails(func() error { return errors.New(hostile) })},
		{Name: "broken", Run: fails(func() error { panic(hostile) })},
	}
	go func() {
		failing.Wait()
		cancel()
	}()
	state := stateDir(s.t)
	s.do(daemon.Run(ctx, daemon.Config{State: state, Workspace: root, Env: s.env, Version: "test",
		Background: func(*slog.Logger) []daemon.Task { return tasks }}))
	written, err := os.ReadFile(filepath.Join(state, "log", "daemon.log"))
	s.do(err)
	const least = 4 // what it owns, two failures, and that it leaves
	look("log of a daemon", string(written), func(out string) error { return recorded(out, least) })
}

// A serverLog is the log of a server, as its program has it: what is masked goes through Records.
type serverLog struct{ logtest.Buffer }

// logger returns a logger that writes to the log.
func (l *serverLog) logger(s *scene) *slog.Logger {
	masked := redact.New([]byte(s.env.ID(32))).Lines(logcap.Records(l))
	return slog.New(logcap.New(slog.NewTextHandler(masked, &slog.HandlerOptions{Level: slog.LevelDebug})))
}

// see has what was logged looked at.
func (l *serverLog) see(name string, look looker) {
	look("log of "+name, l.String(), func(out string) error { return recorded(out, 0) })
}

// record is the beginning of a line of a log.
var record = regexp.MustCompile(`^time=\S+ level=[A-Z]+ msg=`)

// recorded says what in a log is not a record in a line, safe to show and of bounded length, or that there are too few.
func recorded(out string, least int) error {
	const most = 100 << 10 // bytes: 16 KiB, each of them escaped
	n := 0
	for line := range strings.Lines(out) {
		n++
		if !record.MatchString(line) || len(line) > most {
			return fmt.Errorf("%d bytes, which are no record: %.200q", len(line), line)
		}
	}
	if n < least {
		return fmt.Errorf("%d records", n)
	}
	return poison.Terminal(out, nil)
}
