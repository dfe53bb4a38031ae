package transcript

// MapStrings returns a JSON value in which strings are replaced: f is asked for every string, at any
// depth, that is not the name of a member, and says what stands for it and whether anything does.
// Everything else stays byte for byte. Invalid: src is not one JSON value.
func MapStrings(src []byte, f func(s string) (string, bool)) ([]byte, error) {
	if _, err := document(src); err != nil {
		return nil, err
	}
	var splices []splice
	for s := (&scanner{src: src}); s.pos < len(src); {
		if src[s.pos] != '"' {
			s.pos++
			continue
		}
		at := Span{From: s.pos}
		if err := s.str(); err != nil {
			return nil, err
		}
		if at.To = s.pos; s.peek() == ':' {
			continue // outside of strings only the name of a member has a colon behind it
		}
		if text, changed := f(unquote(src[at.From:at.To])); changed {
			splices = append(splices, splice{at, quote(text)})
		}
	}
	return apply(src, splices), nil
}
