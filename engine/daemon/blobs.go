package daemon

import (
	"context"
	"io"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
)

// PutBlob sends a blob. When the owner is lost meanwhile, a content that can seek is sent again; any other is
// unavailable.
func (c *client) PutBlob(ctx context.Context, content io.Reader) (ref kv.BlobRef, err error) {
	out, err := c.link.PutBlob(ctx, content)
	if err != nil {
		return ref, err
	}
	return ref, fault.Wrap(fault.Internal, "daemon.response", unpack(out, &ref, false))
}

// ReadBlob receives a blob. When the owner is lost meanwhile, reading continues with the next one. ctx bounds the reading
// as well.
func (c *client) ReadBlob(ctx context.Context, r ledger.ReadBlobRequest) (io.ReadCloser, error) {
	return c.link.ReadBlob(ctx, func(read int64) any {
		rest := r
		rest.Offset += read
		return rest
	})
}
