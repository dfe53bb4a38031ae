package live

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
)

// early is a ledger whose owner reads session files for some time after it was opened, and then measures how models count.
type early struct {
	ledger.API
	began              time.Time
	reading, measuring time.Duration
}

func (e early) Info(ctx context.Context, r ledger.InfoRequest) (ledger.Info, error) {
	info, err := e.API.Info(ctx, r)
	info.Sessions, info.Tasks = 1, []ledger.TaskState{{Name: ledger.TaskMeasure, State: ledger.TaskWaiting}}
	if time.Since(e.began) < e.reading {
		info.Tasks = append(info.Tasks, ledger.TaskState{Name: ledger.TaskFollow, State: ledger.TaskWorking})
	}
	return info, err
}

func (e early) Estimators(context.Context, ledger.EstimatorsRequest) (known ledger.Estimators, err error) {
	if time.Since(e.began) >= e.reading+e.measuring {
		known.Event = 1
	}
	return known, nil
}

func (early) Close() error { return nil }

// TestThatSessionFilesAreReadIsToldUntilTheyAre: hovers said that no model is known, while the files that name it were read;
// and the end of reading is no event.
func TestThatSessionFilesAreReadIsToldUntilTheyAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		local, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Workspace: "/ws", Env: env.System()})
		if err != nil {
			t.Fatal(err)
		}
		defer local.Close() // nothing is lost with a test's
		const reading = Patience + 10*time.Second
		began, first := time.Now(), time.Duration(0)
		ctx, stop := context.WithCancel(t.Context())
		Follow(ctx, Options{Env: env.System(),
			Open: func(context.Context) (Ledger, error) { return early{local, began, reading, 0}, nil },
			Tell: func(s State) {
				switch at := time.Since(began); {
				case first == 0:
					if first = at; !s.Reading {
						t.Error("the first state does not say that files are read")
					}
				case !s.Reading:
					stop()
					if at < reading || at > reading+2*readingPause {
						t.Errorf("told after %v", at)
					}
				}
			}})
	})
}

// TestTheFirstStateIsNotEarly: it came before the owner had read the session files, and each figure in an editor changed a
// second after it was shown, from 608 to ≈991.
func TestTheFirstStateIsNotEarly(t *testing.T) {
	for _, c := range []struct{ reading, measuring, least, most time.Duration }{
		{0, 0, 0, 0},
		{time.Second, 0, time.Second, time.Second + readAgain},
		{time.Second, time.Second / 2, 3 * time.Second / 2, 3*time.Second/2 + readAgain},
		{time.Second, time.Hour, Patience, Patience},
		{time.Hour, 0, Patience, Patience},
	} {
		synctest.Test(t, func(t *testing.T) {
			local, err := engine.Open(t.Context(),
				engine.Options{State: t.TempDir(), Workspace: "/ws", Env: env.System()})
			if err != nil {
				t.Fatal(err)
			}
			defer local.Close() // nothing is lost with a test's
			began := time.Now()
			ctx, stop := context.WithCancel(t.Context())
			took := time.Duration(0)
			Follow(ctx, Options{Env: env.System(),
				Open: func(context.Context) (Ledger, error) { return early{local, began, c.reading, c.measuring}, nil },
				Tell: func(State) { took = time.Since(began); stop() }})
			if took < c.least || took > c.most {
				t.Errorf("%v of reading, %v of measuring: told after %v", c.reading, c.measuring, took)
			}
		})
	}
}
