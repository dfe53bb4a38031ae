package shell

// HereDocuments returns the bodies of the here-documents of a command line, in order, as written:
// what the shell would expand in them is not.
func HereDocuments(line string) []string {
	s := scanner{src: line}
	for {
		if _, kind := s.next(); kind == wordEnd {
			return s.bodies
		}
	}
}
