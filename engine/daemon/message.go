package daemon

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
)

// attachment is the raw bytes of a request or response. They follow its JSON in one frame, concatenated;
// Sizes gives the length of each part.
type attachment struct {
	Sizes []int `json:"attached,omitempty"`
	data  [][]byte
}

// attached returns data as an attachment.
func attached(data [][]byte) attachment {
	a := attachment{data: data}
	for _, d := range data {
		a.Sizes = append(a.Sizes, len(d))
	}
	return a
}

// total returns the sum of Sizes. Errors: invalid for a negative size, too_large for more than a frame.
func (a attachment) total() (int, error) {
	n := 0
	for _, size := range a.Sizes {
		if size < 0 {
			return 0, fault.New(fault.Invalid, "daemon.frame", "raw bytes of length %d", size)
		}
		if n += size; size > limits.Frame || n > limits.Frame {
			return 0, fault.New(fault.TooLarge, "daemon.frame", "raw bytes exceed the limit of %d", limits.Frame)
		}
	}
	return n, nil
}

// receive reads the frame that follows the JSON, if that announced one.
func (a *attachment) receive(r io.Reader) error {
	if len(a.Sizes) == 0 {
		return nil
	}
	n, err := a.total()
	if err != nil {
		return err
	}
	all, err := readFrame(r, limits.Frame)
	if err != nil {
		return err
	}
	if len(all) != n {
		return fault.New(fault.Invalid, "daemon.frame", "%d raw bytes were announced and %d received", n, len(all))
	}
	a.data = make([][]byte, len(a.Sizes))
	for i, size := range a.Sizes {
		a.data[i], all = all[:size:size], all[size:]
	}
	return nil
}

// message returns v as it is sent: a frame of JSON, and a second frame if there is an attachment.
func message(v any, a attachment) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fault.Wrap(fault.Internal, "daemon.encode", err)
	}
	n, err := a.total()
	if err != nil {
		return nil, err
	}
	if len(body) > limits.Frame || len(a.Sizes) == 0 {
		return newFrame(body)
	}
	out := make([]byte, 0, 2*frameHeader+len(body)+n)
	out = append(binary.BigEndian.AppendUint32(out, uint32(len(body))), body...)
	out = binary.BigEndian.AppendUint32(out, uint32(n))
	for _, d := range a.data {
		out = append(out, d...)
	}
	return out, nil
}

// content is the body of a request or response: JSON, and the raw bytes that belong into it.
type content struct {
	body json.RawMessage
	data [][]byte
}

// attached returns content as an attachment, the JSON first, so that it is not parsed as part of the
// request's own JSON.
func (c content) attached() attachment { return attached(append([][]byte{c.body}, c.data...)) }

// take returns the received content: the attachment, or from an older client the JSON inside.
func (a attachment) take(inside json.RawMessage) content {
	if len(a.data) == 0 {
		return content{body: inside}
	}
	return content{a.data[0], a.data[1:]}
}

// readRequest receives a request with its attachment.
func readRequest(r io.Reader) (q request, err error) {
	if err = readJSON(r, limits.Frame, &q); err == nil {
		err = q.receive(r)
	}
	return q, err
}

// readResponse receives a response with its attachment.
func readResponse(r io.Reader) (a response, err error) {
	if err = readJSON(r, limits.Frame, &a); err == nil {
		err = a.receive(r)
	}
	return a, err
}

// reply returns the response to a request, with raw bytes as an attachment if the client accepts them.
func reply(r request, out content) response {
	if r.Raw {
		return response{ID: r.ID, attachment: out.attached()}
	}
	return response{ID: r.ID, Body: out.body}
}

// result returns the content or the error of a response.
func (r response) result() (content, error) {
	if r.Error != nil {
		return content{}, r.Error
	}
	return r.take(r.Body), nil
}

// pack returns v as content; raw says whether its raw bytes may be detached from the JSON.
func pack(v any, raw bool) (c content, err error) {
	if a, ok := v.(ledger.Attached); ok && raw {
		v, c.data = a.Detach()
	}
	c.body, err = json.Marshal(v)
	return c, err
}

// unpack decodes content into v, a pointer. strict refuses a field that v does not have: an owner would
// otherwise silently ignore part of a request.
func (c content) unpack(v any, strict bool) error {
	d := json.NewDecoder(bytes.NewReader(c.body))
	if strict {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(v); err != nil {
		return err
	}
	a, ok := v.(ledger.Attached)
	switch {
	case len(c.data) == 0:
		return nil
	case !ok:
		return fault.New(fault.Invalid, "daemon.attach", "unexpected raw bytes")
	}
	return a.Attach(c.data)
}
