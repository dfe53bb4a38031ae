;;; emacs.el --- Attaches the language server with eglot, looks at everything that it shows, edits the file, saves it  -*- lexical-binding: t -*-

;; Prints what the editor then has, as JSON. CTXLSP and CTX_FILE are the program and the file:
;; emacs --batch -Q -l emacs.el

(require 'eglot)
(require 'json)

(define-derived-mode counted-mode text-mode "Counted")
(add-to-list 'auto-mode-alist '("\\.md\\'" . counted-mode))
(add-to-list 'eglot-server-programs
             `(counted-mode ,(getenv "CTXLSP") "--stdio" :initializationOptions
                            (:lens "always" :hover "always" :hints 1 :symbols t :diagnostics ["long-lines"] :live :json-false)))
(setq eglot-sync-connect t
      eglot-autoshutdown t
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

(defun ask (method &rest more)
  "Call METHOD about the current buffer."
  (jsonrpc-request (eglot-current-server) method (append (list :textDocument (eglot--TextDocumentIdentifier)) more)))

(defun drawn-hints ()
  "The inlay hints of the buffer, as they are drawn."
  (delq nil (mapcar (lambda (o)
                      (and (overlay-get o 'eglot--inlay-hint)
                           (or (overlay-get o 'before-string) (overlay-get o 'after-string))))
                    (overlays-in (point-min) (point-max)))))

(defun edit-a-lot ()
  "Make edits that an editor's own code makes: astral characters, joined lines, undo."
  (buffer-enable-undo)
  (dotimes (i 50)
    (goto-char (point-min))
    (forward-line (% i 3))
    (insert (format "😀 %d\n漢字" i))
    (undo-boundary)
    (when (zerop (% i 5))
      (let ((last-command nil)) (undo 1)))
    (when (zerop (% i 7))
      (goto-char (point-min))
      (forward-line 1)
      (delete-indentation))
    ;; In batch mode no timer sends what changed.
    (eglot--signal-textDocument/didChange)))

(defun look ()
  "Return what the editor has."
  (find-file (getenv "CTX_FILE"))
  (apply #'eglot (eglot--guess-contact))
  (flymake-start)
  (let ((found (car (await "diagnostics" #'flymake-diagnostics)))
        (hover (ask :textDocument/hover :position '(:line 0 :character 2)))
        (symbols (ask :textDocument/documentSymbol))
        hint)
    (eglot-inlay-hints-mode 1)
    (eglot--update-hints-1 (point-min) (point-max)) ; what a window would ask for
    (setq hint (car (await "inlay hints" #'drawn-hints)))
    (edit-a-lot)
    (save-buffer)
    (let ((result
           (list :version emacs-version
                 :encoding (if (eq eglot-current-linepos-function #'eglot-utf-16-linepos) "utf-16" "other")
                 :diagnostic (flymake-diagnostic-text found)
                 :hint (string-trim (substring-no-properties hint))
                 :hover (plist-get (plist-get hover :contents) :value)
                 :symbol (plist-get (aref symbols 0) :name)
                 :lens (plist-get (plist-get (aref (ask :textDocument/codeLens) 0) :command) :title))))
      (eglot-shutdown (eglot-current-server))
      result)))

(condition-case failed
    (let ((coding-system-for-write 'utf-8))
      (princ (json-serialize (look)))
      (kill-emacs 0))
  (error (message "FAIL %S" failed) (kill-emacs 1)))

;;; emacs.el ends here
