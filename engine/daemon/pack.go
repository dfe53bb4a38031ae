package daemon

import (
	"bytes"
	"encoding/json"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// pack returns v as content; raw says whether its raw bytes may be detached from the JSON.
func pack(v any, raw bool) (c link.Content, err error) {
	if a, ok := v.(ledger.Attached); ok && raw {
		v, c.Data = a.Detach()
	}
	c.Body, err = json.Marshal(v)
	return c, err
}

// unpack decodes content into v, a pointer. strict refuses a field that v does not have: an owner would
// otherwise silently ignore part of a request.
func unpack(c link.Content, v any, strict bool) error {
	d := json.NewDecoder(bytes.NewReader(c.Body))
	if strict {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(v); err != nil {
		return err
	}
	a, ok := v.(ledger.Attached)
	switch {
	case len(c.Data) == 0:
		return nil
	case !ok:
		return fault.New(fault.Invalid, "daemon.attach", "unexpected raw bytes")
	}
	return a.Attach(c.Data)
}
