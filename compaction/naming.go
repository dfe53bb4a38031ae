package compaction

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// idLength is how many characters an id has.
const idLength = 12

// draftName returns what stands for the id of a summary while its text is written: a hash over the session, the first and
// last entry of the range, and the position of the log. Digits and letters alternate, so that it takes as many tokens
// as an id can: a text that fits its budget with it fits with the id.
func draftName(session string, first, last, position int64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "compaction\x00%s\x00%d\x00%d\x00%d", session, first, last, position))
	var id [idLength]byte
	for i := range id {
		id[i] = '0' + sum[i]%10
		if i%2 == 1 {
			id[i] = 'a' + sum[i]%6
		}
	}
	return string(id[:])
}

// nameByText returns the id of a summary whose text was written with a draft's id, and the text with the id instead. The id
// is the first twelve hex digits of a hash over draft and text: another text has another one, and so has the same text
// that is made again later in the log.
func nameByText(draft, text string) (id, named string) {
	sum := sha256.Sum256([]byte("summary\x00" + draft + "\x00" + text))
	id = hex.EncodeToString(sum[:])[:idLength]
	return id, strings.ReplaceAll(text, draft, id)
}
