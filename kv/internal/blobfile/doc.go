// Package blobfile is the file format of a blob: any content, readable at any byte or line without
// unpacking the content before it, with a checksum over every byte.
//
// Start at Codec: Write packs a stream, Open returns a Reader over the packed bytes. Neither knows where
// the bytes are stored, so that every backend of kv can use the same format:
//
//	header   "ctxblob", format version
//	frames   each: stored length (top bit: stored raw), length, CRC-32C, stored bytes
//	index    for each frame: its offset, newlines before it, its length
//	trailer  size, lines, number of frames, SHA-256 of the content, CRC-32C of header,
//	         index and trailer, "ctxbend", format version
//
// All integers are big endian. Each frame holds FrameSize bytes of content, the last one the
// rest, and is compressed on its own (zstd), or stored raw when that is not longer.
//
// Guarantees: a changed byte is an error of code corrupt and never content; the reader allocates at most
// the file's own size plus one frame, so there are no decompression bombs; content is named by the SHA-256
// of its uncompressed bytes, so the name does not depend on the compressor.
//
// The package deliberately knows no files, directories or durability: the backend handles these.
package blobfile
