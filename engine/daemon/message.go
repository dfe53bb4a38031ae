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

// attachment is the raw bytes of a request or response. They stand in a frame of their own behind
// its JSON, one after the other; Sizes says where one ends.
type attachment struct {
	Sizes []int `json:"attached,omitempty"`
	data  [][]byte
}

// attached returns the attachment that holds data.
func attached(data [][]byte) attachment {
	a := attachment{data: data}
	for _, d := range data {
		a.Sizes = append(a.Sizes, len(d))
	}
	return a
}

// total returns how many bytes Sizes announces. Errors: invalid for a negative one, too_large for
// more than a frame.
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

// receive reads the frame behind a JSON that announced it.
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
		return fault.New(fault.Invalid, "daemon.frame", "%d raw bytes were announced and %d have come", n, len(all))
	}
	a.data = make([][]byte, len(a.Sizes))
	for i, size := range a.Sizes {
		a.data[i], all = all[:size:size], all[size:]
	}
	return nil
}

// message returns v as it is sent: a frame of JSON, and if there is an attachment another one.
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

// content is what a method gets or gives: JSON, and the raw bytes that belong into it.
type content struct {
	body json.RawMessage
	data [][]byte
}

// attached returns content as an attachment: the JSON first, so that nobody has to parse it inside
// another one.
func (c content) attached() attachment { return attached(append([][]byte{c.body}, c.data...)) }

// take returns what has come: in the attachment, or from an older client inside the JSON.
func (a attachment) take(inside json.RawMessage) content {
	if len(a.data) == 0 {
		return content{body: inside}
	}
	return content{a.data[0], a.data[1:]}
}

// readRequest receives a request with what belongs to it.
func readRequest(r io.Reader) (q request, err error) {
	if err = readJSON(r, limits.Frame, &q); err == nil {
		err = q.receive(r)
	}
	return q, err
}

// readResponse receives a response with what belongs to it.
func readResponse(r io.Reader) (a response, err error) {
	if err = readJSON(r, limits.Frame, &a); err == nil {
		err = a.receive(r)
	}
	return a, err
}

// reply returns the response to a request: with raw bytes beside the JSON if the client takes them.
func reply(r request, out content) response {
	if r.Raw {
		return response{ID: r.ID, attachment: out.attached()}
	}
	return response{ID: r.ID, Body: out.body}
}

// result returns what a response says.
func (r response) result() (content, error) {
	if r.Error != nil {
		return content{}, r.Error
	}
	return r.take(r.Body), nil
}

// pack returns v as content; raw says whether its raw bytes may stand beside the JSON.
func pack(v any, raw bool) (c content, err error) {
	if a, ok := v.(ledger.Attached); ok && raw {
		v, c.data = a.Detach()
	}
	c.body, err = json.Marshal(v)
	return c, err
}

// unpack reads content into v, a pointer. strict refuses a field that v does not have: an owner
// would otherwise do less than it was asked for and not say so.
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
		return fault.New(fault.Invalid, "daemon.attach", "raw bytes where none belong")
	}
	return a.Attach(c.data)
}
