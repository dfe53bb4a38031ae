package sessions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Handle returns the handle that reads the message of an entry back: the first digits of its id.
func (e *Entry) Handle() string { return e.ID[:min(len(e.ID), HandleDigits)] }

// ResultHandle returns the handle of the result of a call: that of the message if the result is all that it may hold, else
// that with the number of the result, "1f2e3d4c5b6a.2". It is "" without an id or such a result.
func (e *Entry) ResultHandle(callID string) string {
	i := slices.IndexFunc(e.Results, func(r Result) bool { return r.CallID == callID })
	switch {
	case i < 0 || len(e.ID) < HandleDigits:
		return ""
	case len(e.Results) == 1 && !e.Mixed() && len(e.Calls) == 0:
		return e.Handle()
	}
	return e.Handle() + "." + strconv.Itoa(i+1)
}

// RangeHandle returns the handle of a range of a session's log: "ab03de2c.12-40".
func RangeHandle(session string, from, to int64) string {
	return fmt.Sprintf("%s.%d-%d", session, from, to)
}

// SplitRange separates the handle of a range into the session and the range, whose bounds are 0 for a whole session.
func SplitRange(handle string) (session string, from, to int64) {
	session, bounds, found := strings.Cut(handle, ".")
	if !found {
		return handle, 0, 0
	}
	_, err := fmt.Sscanf(bounds, "%d-%d", &from, &to)
	if err != nil || from < 1 || to < from || RangeHandle(session, from, to) != handle {
		return handle, 0, 0 // no handle of ours
	}
	return session, from, to
}

// SplitHandle separates a handle into that of a message and the number of a result in it, from 1; 0 stands for the whole
// message.
func SplitHandle(handle string) (message string, result int) {
	message, number, found := strings.Cut(handle, ".")
	if !found {
		return handle, 0
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || strconv.Itoa(n) != number {
		return handle, 0 // no handle of ours
	}
	return message, n
}
