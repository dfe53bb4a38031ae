package transcript

import (
	"encoding/json"

	"ctxledger.dev/internal/fault"
)

// argumentsOf returns the arguments of a call that is built: an empty object where there are none.
func argumentsOf(p Part) (json.RawMessage, error) {
	switch {
	case len(p.Args) == 0:
		return json.RawMessage("{}"), nil
	case !json.Valid(p.Args):
		return nil, fault.New(fault.Invalid, op, "arguments of call %s are not JSON", p.ID)
	}
	return p.Args, nil
}

// noWireForm is the error for a part that cannot be built.
func noWireForm(p Part) error {
	if p.Sealed {
		return fault.New(fault.Invalid, op, "a call that the provider ran has no wire form without its original")
	}
	return fault.New(fault.Invalid, op, "%s has no wire form without its original", p.Kind)
}
