package mcp

import (
	"context"
	"time"

	proto "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Limits of the request for roots.
const (
	rootsPatience = 2 * time.Second // then the client has no roots
	maxRoots      = 16
)

// roots asks the client for its roots, if Options.AskRoots is set and the client offers them. Only clients of the older
// protocol can be asked: in the newer one a server sends no requests. A client that does not answer has no roots.
func (s *Server) roots(ctx context.Context) []string {
	if !s.o.AskRoots || server.IsModernRequest(ctx) {
		return nil
	}
	session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	if !ok || session.GetClientCapabilities().Roots == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, rootsPatience)
	defer cancel()
	s.asking.Add(1)
	defer s.asking.Add(-1)
	answer, err := s.mcp.RequestRoots(ctx, proto.ListRootsRequest{})
	if err != nil {
		s.o.Log.Warn("roots", "error", err.Error())
		return nil
	}
	var uris []string
	for _, r := range answer.Roots[:min(len(answer.Roots), maxRoots)] {
		uris = append(uris, r.URI)
	}
	return uris
}
