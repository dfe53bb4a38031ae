package daemon

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/pulse"
	"ctxledger.dev/ledger"
)

// deaf returns a task that does not end with its context, as one in a system call, and what ends it.
func deaf(t *testing.T, inside func(context.Context, ledger.API)) Task {
	t.Helper()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	return Task{Name: ledger.TaskFollow, Step: time.Nanosecond,
		Run: func(ctx context.Context, api ledger.API, p *pulse.Pulse) error {
			p.Beat()
			inside(ctx, api)
			<-release
			return nil
		}}
}

// stuckReader is content that never comes.
type stuckReader struct{ release chan struct{} }

func (r stuckReader) Read([]byte) (int, error) { <-r.release; return 0, context.Canceled }

// A task that does not end must not keep the ledger: its owner says that it is stuck, answers the others,
// leaves, and the next one begins. Once, a follower that waited for a pipe kept daemon stop and the ledger.
func TestAStuckTaskIsToldAndLeftBehind(t *testing.T) {
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	for name, inside := range map[string]func(context.Context, ledger.API){
		"outside the ledger": func(context.Context, ledger.API) {},
		"while it stores content": func(_ context.Context, api ledger.API) {
			_, _ = api.PutBlob(context.Background(), stuckReader{release})
		},
	} {
		t.Run(name, func(t *testing.T) {
			state := stateDir(t)
			r := run(t, Config{State: state, Background: tasks(deaf(t, inside))})
			o := optionsFor(t, state)
			o.NoSpawn = true
			api := open(t, o)
			var info ledger.Info
			until(t, "the task is called stuck", func() bool {
				var err error
				if info, err = api.Info(deadlined(t), ledger.InfoRequest{}); err != nil {
					t.Fatal(err)
				}
				for _, x := range info.Tasks {
					if x.Name == ledger.TaskFollow && x.State == ledger.TaskStuck &&
						strings.HasPrefix(x.Trouble(), "following session files: no progress for ") {
						return true
					}
				}
				return false
			})
			if info.Following {
				t.Error("Info says that session files are followed")
			}
			save(t, api, "meanwhile")
			if err := link.Stop(deadlined(t), state); err != nil {
				t.Fatal(err)
			}
			err := r.wait(t)
			if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), ledger.TaskFollow) {
				t.Errorf("the owner left with %v", err)
			}
			next, err := engine.Open(t.Context(), engine.Options{State: state, Env: env.System()})
			if err != nil {
				t.Fatal(err)
			}
			defer next.Close() // only read
			if _, err := next.Memory(t.Context(), ledger.MemoryRequest{Name: "meanwhile"}); err != nil {
				t.Errorf("what was acknowledged: %v", err)
			}
		})
	}
}

func TestWhatIsSaidOfATask(t *testing.T) {
	start := time.Unix(1e9, 0)
	for _, x := range []struct {
		step  time.Duration
		sign  func(*pulse.Pulse)
		after time.Duration
		want  string
	}{
		{0, (*pulse.Pulse).Beat, 0, ledger.TaskWorking},
		{0, (*pulse.Pulse).Beat, limits.TaskStep - 1, ledger.TaskWorking},
		{0, (*pulse.Pulse).Beat, limits.TaskStep, ledger.TaskStuck},
		{0, (*pulse.Pulse).Rest, 24 * time.Hour, ledger.TaskWaiting},
		{time.Hour, (*pulse.Pulse).Beat, limits.TaskStep, ledger.TaskWorking},
		{time.Hour, (*pulse.Pulse).Beat, time.Hour, ledger.TaskStuck},
	} {
		now := start
		j := &job{Task: Task{Name: "a task", Step: x.step}, pulse: pulse.New(func() time.Time { return now })}
		x.sign(j.pulse)
		now = start.Add(x.after)
		if got := j.state(now); got.State != x.want || got.Seconds != x.after.Seconds() {
			t.Errorf("%v after a sign of life, of steps of %v: %+v, want %s", x.after, x.step, got, x.want)
		}
	}
}

// tasks returns what a Config has of background tasks.
func tasks(all ...Task) func(*slog.Logger) []Task { return func(*slog.Logger) []Task { return all } }
