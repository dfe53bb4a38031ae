package shell

// HereDocuments returns the bodies of the here-documents of a command line, in order, as they stand there:
// what the shell would expand in them is not.
func HereDocuments(line string) []string {
	s := scanner{rest: line}
	for {
		switch w, kind := s.next(); {
		case kind == wordEnd:
			return s.bodies
		case kind == wordRedirect && w == "<<":
			s.skipHereDocument()
		}
	}
}
