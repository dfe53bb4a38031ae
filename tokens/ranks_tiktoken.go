package tokens

import (
	"bytes"
	"encoding/base64"
	"strconv"

	"ctxledger.dev/internal/fault"
)

// parseTiktoken reads lines "base64(token) rank" in ascending order of ranks, in which gaps may be.
// tiktoken never merges a piece that is a token.
func parseTiktoken(file []byte) (*rankList, error) {
	const op = "tokens.ranks"
	l := &rankList{whole: true}
	for number := 1; len(file) > 0; number++ {
		line, rest, _ := bytes.Cut(file, []byte("\n"))
		file = rest
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 && len(file) == 0 {
			break // an empty line at the end
		}
		encoded, rank, ok := bytes.Cut(line, []byte(" "))
		id, err := strconv.ParseUint(string(rank), 10, 32)
		token := make([]byte, base64.StdEncoding.DecodedLen(len(encoded)))
		n, err2 := base64.StdEncoding.Strict().Decode(token, encoded)
		switch {
		case !ok || err != nil || err2 != nil || n == 0:
			return nil, notRanks(number)
		case len(l.ids) > 0 && uint32(id) <= l.ids[len(l.ids)-1]:
			return nil, fault.New(fault.Corrupt, op, "line %d: ranks do not ascend", number)
		case len(l.ids) == noID:
			return nil, fault.New(fault.TooLarge, op, "there are more than %d tokens, the limit", noID)
		}
		l.tokens = append(l.tokens, string(token[:n]))
		l.ids = append(l.ids, uint32(id))
	}
	return l, nil
}

// notRanks is the error of a line that is none; from the first on, the whole file is something else.
func notRanks(line int) error {
	if line == 1 {
		return fault.New(fault.Invalid, "tokens.ranks", "it is neither a list of ranks nor a tokenizer.json").
			WithHint("use a .tiktoken file, Llama's tokenizer.model or a tokenizer.json with a vocabulary and merges; SentencePiece models are not read")
	}
	return fault.New(fault.Corrupt, "tokens.ranks", "line %d is not \"base64 rank\"", line)
}
