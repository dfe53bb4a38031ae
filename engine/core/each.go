package core

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// each runs do for 0 to n-1 on as many goroutines as there are processors, and returns the error of the lowest index
// that has one. After an error no further index starts. A panic continues on the caller's goroutine.
func each(n int, do func(i int) error) error {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		for i := range n {
			if err := do(i); err != nil {
				return err
			}
		}
		return nil
	}
	var (
		next   atomic.Int64
		failed atomic.Bool
		wait   sync.WaitGroup
		panics = make(chan any, workers)
		errs   = make([]error, n)
	)
	for range workers {
		wait.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					failed.Store(true)
					panics <- p
				}
			}()
			for !failed.Load() {
				i := int(next.Add(1) - 1)
				if i >= n {
					return
				}
				if errs[i] = do(i); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	wait.Wait()
	select {
	case p := <-panics:
		panic(p)
	default:
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
