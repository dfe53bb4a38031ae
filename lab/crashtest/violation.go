package crashtest

import (
	"fmt"

	"ctxledger.dev/internal/fault"
)

// violation is an error of the ledger, as opposed to one of the harness.
type violation struct{ error }

// Unwrap returns the error as it was made.
func (v violation) Unwrap() error { return v.error }

// violated returns an error of the ledger.
func violated(format string, args ...any) error { return violation{fmt.Errorf(format, args...)} }

// refused returns the error of an operation that should have gone well. That the owner is not there to
// perform it is no fault of the ledger's.
func refused(err error, format string, args ...any) error {
	err = fmt.Errorf(format+": %w", append(args, err)...)
	if fault.Is(err, fault.Unavailable) {
		return err
	}
	return violation{err}
}
