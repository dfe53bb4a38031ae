package main

import "bytes"

// image is a picture of the document.
type image struct {
	path string
	svg  []byte
}

func plot(curves []curve) []byte { var b bytes.Buffer; return b.Bytes() }
