package ledger

import (
	"bytes"
	"context"

	"ctxledger.dev/transcript"
)

// maxInline is how many bytes of messages travel inside a request; more go as a blob.
const maxInline = 2 << 20

// HandIn records the messages of a JSON array over an API, with their exact bytes, and returns how many
// there are beside the answer. r says everything about them but the messages. Messages that are only
// what is new may be none.
func HandIn(ctx context.Context, api MessageTaker, r AppendMessagesRequest, array []byte) (AppendMessagesResponse, int, error) {
	raws, err := transcript.Split(r.Format, array)
	if err != nil {
		return AppendMessagesResponse{}, 0, err
	}
	if len(raws) == 0 && r.Since {
		return AppendMessagesResponse{Session: r.Session}, 0, nil // nothing new
	}
	r.Messages = raws
	if len(array) > maxInline {
		blob, err := api.PutBlob(ctx, bytes.NewReader(array))
		if err != nil {
			return AppendMessagesResponse{}, 0, err
		}
		r.Messages, r.Blob = nil, blob.Hash
	}
	done, err := api.AppendMessages(ctx, r)
	return done, len(raws), err
}
