package tokens

// AppendText appends the bytes of the text from from to before to, and returns the extended slice.
// Positions beyond the ends of the text count as its ends.
func (x *Index) AppendText(dst []byte, from, to int) []byte {
	from, to = max(0, from), min(to, x.size)
	for from < to {
		l := x.byByte(from)
		part := l.text[from-l.at : min(to, l.end())-l.at]
		dst = append(dst, part...)
		from += len(part)
	}
	return dst
}
