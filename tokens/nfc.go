package tokens

import "golang.org/x/text/unicode/norm"

// normal returns text as the tokenizer wants it. Text in Normalization Form C, as nearly all is, is
// returned as it is, without a copy.
func (t *tokenizer) normal(text []byte) []byte {
	if !t.nfc || norm.NFC.IsNormal(text) {
		return text
	}
	return norm.NFC.Bytes(text)
}
