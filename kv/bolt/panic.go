package bolt

import (
	"errors"
	"fmt"
	"runtime/debug"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// panicError is a panic of an update function. Stack is for the log, not for users.
type panicError struct {
	value any
	stack []byte
}

// Error omits the stack: users see the message.
func (p *panicError) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// Stack returns the stack of the goroutine that panicked.
func (p *panicError) Stack() []byte { return p.stack }

func panicked(err error) bool {
	_, ok := errors.AsType[*panicError](err)
	return ok
}

// guardFn runs fn and turns a panic into an error of code internal.
func guardFn(fn func(kv.Tx) error, t *tx) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			err = &fault.Error{Code: fault.Internal, Op: "kv.update", Message: "the update function failed",
				Err: &panicError{value: v, stack: debug.Stack()}}
		}
	}()
	return fn(t)
}
