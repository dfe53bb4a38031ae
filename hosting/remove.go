package hosting

import (
	"context"
	"encoding/json"
	"net/http"
	"os"

	"ctxledger.dev/hosting/access"
	"ctxledger.dev/internal/fault"
)

// WorkspacePath is where an administrator removes the workspace of its token.
const WorkspacePath = "/v1/workspace"

// Remove deletes the workspace of the caller, with its tokens. Its streams are ended. While there are other requests, it is
// refused: they are let end first.
func (s *Server) Remove(w http.ResponseWriter, r *http.Request) {
	who, _ := callerOf(r.Context())
	err := s.Permit(r.Context(), "remove", access.Admin)
	if err == nil {
		err = s.removeAll(r.Context(), who.Workspace)
	}
	status, answer := http.StatusOK, map[string]any{"removed": who.Workspace}
	switch fault.CodeOf(err) {
	case "":
		s.c.Log.Warn("removed", who.attrs()...)
	case fault.Denied:
		status, answer = http.StatusForbidden, problem(err)
	case fault.Conflict:
		status, answer = http.StatusConflict, problem(err)
	default:
		s.c.Log.Error("remove", append(who.attrs(), "detail", err.Error())...)
		deny(w, http.StatusInternalServerError, "internal: incident "+who.request)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // who does not take it has left
}

// problem is an error as the API has it.
func problem(err error) map[string]any {
	hint := fault.HintOf(err)
	if hint != "" {
		hint = "\nhint: " + hint
	}
	return map[string]any{"error": map[string]any{"code": fault.CodeOf(err), "message": err.Error() + hint}}
}

// removeAll removes a workspace: nobody gets its ledger from then on, its directory goes, and then its tokens, so that a
// removal that was interrupted can be repeated. Errors: conflict while it is in use; unavailable.
func (s *Server) removeAll(ctx context.Context, name string) error {
	const op = "hosting.remove"
	o, err := s.workspaces.leave(ctx, name)
	if err != nil {
		return err
	}
	defer s.workspaces.admit(name)
	if o != nil {
		if err := o.conn.Close(); err != nil {
			return fault.Wrap(fault.Unavailable, op, err)
		}
	}
	if err := os.RemoveAll(s.c.Store.State(name)); err != nil {
		return fault.Wrap(fault.Unavailable, op, err)
	}
	return s.c.Store.RevokeAll(name)
}
