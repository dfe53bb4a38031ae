;;; graph.el --- Opens a context graph with eglot, looks at it, goes to a block, renames it, saves  -*- lexical-binding: t -*-

;; Prints what was there as JSON. CTXLSP and CTX_FILE are the program and the file: emacs --batch -Q -l graph.el

(require 'eglot)
(require 'json)
(require 'xref)

(define-derived-mode counted-mode text-mode "Counted")
(add-to-list 'auto-mode-alist '("\\.md\\'" . counted-mode))
(add-to-list 'eglot-server-programs
             `(counted-mode ,(getenv "CTXLSP") "--stdio" :initializationOptions (:live :json-false)))
(setq eglot-sync-connect t
      eglot-autoshutdown t
      eglot-confirm-server-edits nil
      eglot-events-buffer-config '(:size 0)
      make-backup-files nil
      create-lockfiles nil)

(defun await (what ok)
  "Wait until OK returns something, and return that."
  (with-timeout (20 (error "Timeout: %s" what))
    (let (got)
      (while (not (setq got (funcall ok)))
        (accept-process-output nil 0.01))
      got)))

(defun on-goal ()
  "Go to the first reference to the block goal."
  (goto-char (point-min))
  (search-forward "[go"))

(defun look ()
  "Return what the editor has."
  (find-file (getenv "CTX_FILE"))
  (apply #'eglot (eglot--guess-contact))
  (flymake-start)
  (let* ((found (await "diagnostics" #'flymake-diagnostics))
         (codes (mapcar (lambda (d) (plist-get (alist-get 'eglot-lsp-diag (flymake-diagnostic-data d)) :code)) found))
         (lenses (jsonrpc-request (eglot-current-server) :textDocument/codeLens
                                  (list :textDocument (eglot--TextDocumentIdentifier))))
         (lens (seq-find (lambda (l) (= 10 (plist-get (plist-get (plist-get l :range) :start) :line))) lenses))
         definition)
    (on-goal)
    (call-interactively #'xref-find-definitions)
    (setq definition (line-number-at-pos))
    (on-goal)
    (eglot-rename "aim")
    (save-buffer)
    (list :codes (vconcat codes) :lens (plist-get (plist-get lens :command) :title) :definition definition)))

(condition-case err
    (progn
      (princ (json-encode (look)))
      (terpri)
      (eglot-shutdown (eglot-current-server))
      (kill-emacs 0))
  (error (message "FAIL %S" err) (kill-emacs 1)))
