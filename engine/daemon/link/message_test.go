package link

import (
	"bytes"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

func TestAttachmentsThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		sizes []int
		raw   []byte
		code  fault.Code
	}{
		"negative":              {[]int{5, -5}, nil, fault.Invalid},
		"more than a frame":     {[]int{limits.Frame, 1}, nil, fault.TooLarge},
		"an overflow":           {[]int{1 << 62, 1 << 62, 1 << 62}, nil, fault.TooLarge},
		"fewer bytes than said": {[]int{2, 2}, []byte("abc"), fault.Invalid},
		"more bytes than said":  {[]int{2}, []byte("abc"), fault.Invalid},
	} {
		frame, err := newFrame(c.raw)
		if err != nil {
			t.Fatal(err)
		}
		a := Attachment{Sizes: c.sizes}
		if err := a.receive(bytes.NewReader(frame)); !fault.Is(err, c.code) || a.data != nil {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
}
