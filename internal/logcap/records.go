package logcap

import (
	"bytes"
	"io"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
)

// maxRecord bounds a record, in bytes as it arrives: what is logged quotes what others send. The stack of a defect fits.
const maxRecord = 16 << 10

// Records returns a writer that takes each write as one record and sends it to w in one write, as one line that is
// safe to show and of bounded length. Mask secrets first: half a secret is not recognised as one.
func Records(w io.Writer) io.Writer { return records{w} }

type records struct{ w io.Writer }

// Write sends a record. Errors: those of the underlying writer, unchanged.
func (r records) Write(p []byte) (int, error) {
	text := bytes.TrimSuffix(p, []byte("\n"))
	cut := ""
	if len(text) > maxRecord {
		end := maxRecord
		for end > maxRecord-utf8.UTFMax && !utf8.RuneStart(text[end]) {
			end--
		}
		text, cut = text[:end], "…"
	}
	line := chars.Plain(string(bytes.ReplaceAll(text, []byte("\n"), []byte(`\n`)))) + cut + "\n"
	if _, err := io.WriteString(r.w, line); err != nil {
		return 0, err
	}
	return len(p), nil
}
