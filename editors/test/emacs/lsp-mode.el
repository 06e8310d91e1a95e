;; emacs -nw -Q -l lsp-mode.el FILE: the configuration of docs/use/editors/emacs.md, loaded from $ISADIFF_CONFIG, and what a first start asks.
(require 'package)
(add-to-list 'package-directory-list "/usr/share/emacs/site-lisp/elpa")
(package-initialize)
(setq inhibit-startup-screen t
      lsp-auto-guess-root t
      lsp-guess-root-without-session t
      lsp-warn-no-matched-clients nil
      lsp-enable-suggest-server-download nil
      lsp-client-packages nil
      lsp-diagnostics-provider :flymake
      lsp-headerline-breadcrumb-enable nil
      lsp-lens-place-position 'above-line
      lsp-restart 'ignore)
(load (getenv "ISADIFF_CONFIG") nil t)
(add-hook 'emacs-startup-hook #'test-to-kernel)

(defun test-to-kernel () (goto-char (point-min)) (search-forward "def window_") (recenter))

(defun test-edit ()
  "Make the change that makes the kernel spill, and save."
  (interactive)
  (goto-char (point-min))
  (search-forward "OUTPUTS = 32")
  (replace-match "OUTPUTS = 128")
  (save-buffer)
  (test-to-kernel))

(defun test-run-lens (title)
  "Run the lens whose title contains TITLE, as a click on it does."
  (interactive "sLens: ")
  (let ((lens (seq-find (lambda (l) (string-match-p (regexp-quote title) (lsp:command-title (lsp:code-lens-command? l))))
                        (with-lsp-workspace (lsp-find-workspace 'isadiff)
                          (append (lsp-request "textDocument/codeLens" (list :textDocument (lsp--text-document-identifier))) nil)))))
    (lsp--execute-command (lsp:code-lens-command? lens))))
