package redact

import "io"

// Lines returns a writer that masks each write as a text of its own and sends it to w in one write: for logs
// and messages, whose records are written whole. A secret split over two writes is not found; Writer is for
// streams.
func (r *Redactor) Lines(w io.Writer) io.Writer { return lines{r, w} }

type lines struct {
	r *Redactor
	w io.Writer
}

// Write masks p and sends it.
func (l lines) Write(p []byte) (int, error) {
	if _, err := l.w.Write(l.r.Bytes(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
