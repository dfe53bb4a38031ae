package artifacts

// The functions here go through JSON that json.Valid has accepted, so they need no errors.

// space returns the offset of the first byte from i on that is not white space.
func (f *finder) space(i int) int {
	for i < len(f.data) && (f.data[i] == ' ' || f.data[i] == '\n' || f.data[i] == '\t' || f.data[i] == '\r') {
		i++
	}
	return i
}

// text returns the end of the string that starts at i.
func (f *finder) text(i int) int {
	for i++; f.data[i] != '"'; i++ {
		if f.data[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// valueAt returns the value that starts at or behind i.
func (f *finder) valueAt(i int) value {
	from := f.space(i)
	to := f.end(from)
	f.work += to - from
	return value{from, to}
}

// end returns the end of the value that starts at i.
func (f *finder) end(i int) int {
	depth := 0
	for ; i < len(f.data); i++ {
		switch f.data[i] {
		case '"':
			i = f.text(i) - 1
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		case ',', ':', ' ', '\n', '\t', '\r':
			continue
		default: // a number or a word
			for i+1 < len(f.data) && !delimits(f.data[i+1]) {
				i++
			}
		}
		if depth <= 0 {
			return i + 1
		}
	}
	return i
}

// delimits reports whether c ends a number or a word.
func delimits(c byte) bool {
	switch c {
	case ',', ':', ']', '}', ' ', '\n', '\t', '\r':
		return true
	}
	return false
}

// each calls fn for every member (key in its quotes) or element (key nil) of a container.
func (f *finder) each(v value, fn func(key []byte, child value)) {
	for i := f.space(v.from + 1); f.data[i] != '}' && f.data[i] != ']'; {
		var key []byte
		if f.data[v.from] == '{' {
			end := f.text(i)
			key = f.data[i:end]
			i = f.space(end) + 1 // the colon
		}
		child := f.valueAt(i)
		fn(key, child)
		if i = f.space(child.to); f.data[i] == ',' {
			i = f.space(i + 1)
		}
	}
}

// walk calls fn for every member at any depth of the value at i, inner ones before the one that
// holds them, in a single pass, and returns the value's end. Its depth is bounded by that of
// json.Valid (10,000).
func (f *finder) walk(i int, fn func(key []byte, child value)) (end int) {
	open := f.data[i]
	if open != '{' && open != '[' {
		end = f.end(i)
		f.work += end - i
		return end
	}
	for i = f.space(i + 1); f.data[i] != '}' && f.data[i] != ']'; {
		var key []byte
		if open == '{' {
			end := f.text(i)
			key = f.data[i:end]
			i = f.space(end) + 1
		}
		child := value{from: f.space(i)}
		child.to = f.walk(child.from, fn)
		if key != nil {
			fn(key, child)
		}
		if i = f.space(child.to); f.data[i] == ',' {
			i = f.space(i + 1)
		}
	}
	return i + 1
}
