package tokens

// What a request has besides text, in tokens.
const (
	Image   = 1200 // one image: what providers charge for one of the usual size
	Framing = 4    // one message: its role and separators
)
