package ledger

import (
	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/fault"
)

// Attached is a request or response with raw bytes. They travel next to its JSON instead of inside as base64, so that
// originals stay byte-identical.
type Attached interface {
	// Detach returns the value without its raw bytes, and these in order. The value itself stays.
	Detach() (bare any, data [][]byte)
	// Attach puts the bytes back that Detach has taken out. Errors: invalid when they do not fit.
	Attach(data [][]byte) error
}

var _ = []Attached{&AppendEntriesRequest{}, &AppendMessagesRequest{}, &LogResponse{}, &ViewResponse{},
	&TakeResultRequest{}, &artifacts.Page{}}

// Detach implements Attached: an original for each entry.
func (r *AppendEntriesRequest) Detach() (any, [][]byte) {
	bare := *r
	data := detach(&bare.Entries, func(i int) *[]byte { return &bare.Entries[i].Original })
	return bare, data
}

// Attach implements Attached.
func (r *AppendEntriesRequest) Attach(data [][]byte) error {
	return attach(data, len(r.Entries), func(i int) *[]byte { return &r.Entries[i].Original })
}

// Detach implements Attached: the messages.
func (r *AppendMessagesRequest) Detach() (any, [][]byte) {
	bare := *r
	data := detach(&bare.Messages, func(i int) *[]byte { return &bare.Messages[i] })
	return bare, data
}

// Attach implements Attached.
func (r *AppendMessagesRequest) Attach(data [][]byte) error {
	return attach(data, len(r.Messages), func(i int) *[]byte { return &r.Messages[i] })
}

// Detach implements Attached: an original for each entry.
func (r *LogResponse) Detach() (any, [][]byte) {
	bare := *r
	data := detach(&bare.Entries, func(i int) *[]byte { return &bare.Entries[i].Original })
	return bare, data
}

// Attach implements Attached.
func (r *LogResponse) Attach(data [][]byte) error {
	return attach(data, len(r.Entries), func(i int) *[]byte { return &r.Entries[i].Original })
}

// Detach implements Attached: the JSON of each message.
func (r *ViewResponse) Detach() (any, [][]byte) {
	bare := *r
	data := detach(&bare.Messages, func(i int) *[]byte { return &bare.Messages[i].JSON })
	return bare, data
}

// Attach implements Attached.
func (r *ViewResponse) Attach(data [][]byte) error {
	return attach(data, len(r.Messages), func(i int) *[]byte { return &r.Messages[i].JSON })
}

// detach replaces a list by a copy without the raw bytes of its elements, and returns those.
func detach[T any](list *[]T, raw func(i int) *[]byte) [][]byte {
	*list = append([]T{}, *list...)
	data := make([][]byte, len(*list))
	for i := range data {
		at := raw(i)
		data[i], *at = *at, nil
	}
	return data
}

// attach gives each of n elements its raw bytes; none stay none.
func attach(data [][]byte, n int, raw func(i int) *[]byte) error {
	if len(data) != n {
		return fault.New(fault.Invalid, "engine.attach", "%d elements come with raw bytes for %d", n, len(data))
	}
	for i, b := range data {
		if len(b) > 0 {
			*raw(i) = b
		}
	}
	return nil
}
