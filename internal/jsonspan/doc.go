// Package jsonspan walks JSON text and reports where values are in it, as byte offsets. Nothing is decoded or copied, so
// a caller can keep, cut out or replace a value and leave every other byte as it was.
//
// Start at Whole to check a text, and at New to walk it: Walker.Members and Walker.Elements yield what one value holds,
// Walker.Inside goes down into some of it in the same pass. A Walker accepts exactly what encoding/json accepts, up to the caller's limit
// on nesting. Names of members may repeat: which one counts is the caller's decision. Seeker finds one member in a stream
// that is too long to keep.
//
// A Walker allocates nothing unless the text is invalid, and reads each byte once.
package jsonspan
