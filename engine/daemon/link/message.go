package link

import (
	"encoding/binary"
	"encoding/json"
	"io"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// Attachment is the raw bytes of a request or response. They follow its JSON in one frame, concatenated;
// Sizes gives the length of each part.
type Attachment struct {
	Sizes []int    `json:"attached,omitempty"`
	data  [][]byte `json:"-"`
}

// attached returns data as an attachment.
func attached(data [][]byte) Attachment {
	a := Attachment{data: data}
	for _, d := range data {
		a.Sizes = append(a.Sizes, len(d))
	}
	return a
}

// total returns the sum of Sizes. Errors: invalid for a negative size, too_large for more than a frame.
func (a Attachment) total() (int, error) {
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
func (a *Attachment) receive(r io.Reader) error {
	if len(a.Sizes) == 0 {
		return nil
	}
	n, err := a.total()
	if err != nil {
		return err
	}
	all, err := ReadFrame(r, limits.Frame)
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

// Message returns v as it is sent: a frame of JSON, and a second frame if there is an attachment.
func Message(v any, a Attachment) ([]byte, error) {
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

// Content is the body of a request or response: JSON, and the raw bytes that belong into it.
type Content struct {
	Body json.RawMessage
	Data [][]byte
}

// Attached returns content as an attachment, the JSON first, so that it is not parsed as part of the
// request's own JSON.
func (c Content) Attached() Attachment { return attached(append([][]byte{c.Body}, c.Data...)) }

// Take returns the received content: the attachment, or from an older client the JSON inside.
func (a Attachment) Take(inside json.RawMessage) Content {
	if len(a.data) == 0 {
		return Content{Body: inside}
	}
	return Content{a.data[0], a.data[1:]}
}

// ReadRequest receives a request with its attachment.
func ReadRequest(r io.Reader) (q Request, err error) {
	if err = ReadJSON(r, limits.Frame, &q); err == nil {
		err = q.receive(r)
	}
	return q, err
}

// ReadResponse receives a response with its attachment.
func ReadResponse(r io.Reader) (a Response, err error) {
	if err = ReadJSON(r, limits.Frame, &a); err == nil {
		err = a.receive(r)
	}
	return a, err
}

// Reply returns the response to a request, with raw bytes as an attachment if the client accepts them.
func Reply(r Request, out Content) Response {
	if r.Raw {
		return Response{ID: r.ID, Attachment: out.Attached()}
	}
	return Response{ID: r.ID, Body: out.Body}
}

// Result returns the content or the error of a response.
func (r Response) Result() (Content, error) {
	if r.Error != nil {
		return Content{}, r.Error
	}
	return r.Take(r.Body), nil
}
