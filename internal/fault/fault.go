// Package fault is the one error type of ctxledger.
//
// Every error that crosses a package border is, or wraps, an *Error. Its Code says
// what kind of failure it is, so that each face maps failures to its own protocol in
// exactly one function. Build one with New or Wrap, ask for its kind with CodeOf.
//
// The text of an Error names the thing, the limit and, where there is one thing to do,
// the way out. The package deliberately knows no protocol and keeps no stack traces.
package fault

import (
	"context"
	"errors"
	"fmt"
)

// Code is the kind of a failure. Codes are stored and sent over the wire: append only.
type Code string

// The codes. A caller may branch on them; people read the message.
const (
	Invalid     Code = "invalid"     // the request is malformed or breaks a rule
	NotFound    Code = "not_found"   // the named thing does not exist, or was forgotten
	Conflict    Code = "conflict"    // it clashes with what is stored, or is ambiguous
	Stale       Code = "stale"       // the ledger has moved on since the request was planned
	TooLarge    Code = "too_large"   // it exceeds a documented limit
	Limited     Code = "limited"     // too much at once: try later
	Denied      Code = "denied"      // not allowed, by permission or by policy
	Corrupt     Code = "corrupt"     // stored bytes do not match their checksum
	Unavailable Code = "unavailable" // what is needed cannot be reached in time
	Internal    Code = "internal"    // a defect of ctxledger itself

	// Kinds of Unavailable that a caller acts on: Is takes each of them for Unavailable, too.
	Full   Code = "full"   // the disk is full, or the user's quota exceeded
	Moved  Code = "moved"  // the ledger is no longer where it was opened: its owner must leave
	Locked Code = "locked" // another owner has the ledger open
)

// Error is a failure with its kind. Op is the operation that failed ("kv.put"), Message a
// lower-case sentence without a period, Err the cause, which may be nil.
type Error struct {
	Code    Code   `json:"code"`
	Op      string `json:"op,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"` // the one thing to do about it, if there is one
	Err     error  `json:"-"`
}

// Error returns the message and, where it adds something, the cause.
func (e *Error) Error() string {
	switch {
	case e.Err == nil:
		return e.Message
	case e.Message == "":
		return e.Err.Error()
	default:
		return e.Message + ": " + e.Err.Error()
	}
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// New returns an Error with a formatted message.
func New(code Code, op, format string, args ...any) *Error {
	return &Error{Code: code, Op: op, Message: fmt.Sprintf(format, args...)}
}

// Wrap returns an Error for a cause, or nil when err is nil. Use it to give a foreign error
// (from the operating system or a library) a code at the place where it enters ctxledger.
func Wrap(code Code, op string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Code: code, Op: op, Err: err}
}

// WithHint returns e with the one thing that the reader can do about it.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// CodeOf returns the kind of err: the code of the outermost Error in its chain, Unavailable for
// a deadline or a cancellation, Internal for any other error, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return Unavailable
	}
	return Internal
}

// Is reports whether err is of the given kind.
func Is(err error, code Code) bool {
	own := CodeOf(err)
	return err != nil && (own == code ||
		code == Unavailable && (own == Full || own == Moved || own == Locked))
}

// HintOf returns the hint of the outermost Error in err's chain that has one.
func HintOf(err error) string {
	for e, ok := errors.AsType[*Error](err); ok; e, ok = errors.AsType[*Error](e.Err) {
		if e.Hint != "" {
			return e.Hint
		}
		if e.Err == nil {
			break
		}
	}
	return ""
}
