package termtext

// AppendTo appends what the screen shows to dst: rows without trailing spaces, a line feed between
// them, no empty rows at the end. A sequence or character that is incomplete is not shown.
func (s *screen) AppendTo(dst []byte) []byte {
	from := len(dst)
	return s.finish(append(dst, s.done[s.base:]...), from)
}
