;; Plays the story in Emacs with eglot: emacs -Q --batch -l eglot.el. The configuration is the one of docs/editors/emacs.md, loaded from
;; $ISADIFF_CONFIG. Each outcome is a line of JSON on standard output.
(require 'package)
(add-to-list 'package-directory-list "/usr/share/emacs/site-lisp/elpa")
(package-initialize)
(require 'json)
(require 'flymake)
(load (getenv "ISADIFF_CONFIG") nil t)

(defvar story (let ((json-object-type 'plist)) (json-read-from-string (getenv "ISADIFF_STORY"))))
(defvar failed nil)

(defun out (&rest outcome) (princ (concat (json-encode outcome) "\n")))

(defmacro test (name &rest body)
  `(unless failed
     (condition-case e (out :name ,name :said (format "%s" (progn ,@body)))
       (error (setq failed t) (out :name ,name :error (format "%S" e))))))

(defun when-true (what f)
  "Wait for what the server sends until F returns true."
  (let ((end (+ (float-time) 20)) value)
    (while (not (setq value (funcall f)))
      (when (> (float-time) end) (error "never: %s" what))
      (accept-process-output nil 1))
    value))

(defun turn (what) (call-process "sh" nil nil nil (plist-get story :script) what (plist-get story :project)))
(defun assert-that (ok &rest shown) (unless ok (error "%S" shown)))

(defun diagnostic-like (pattern)
  (when-true (concat "a diagnostic like " pattern)
             (lambda ()
               (flymake-start)
               (let ((d (car (flymake-diagnostics)))) (and d (string-match-p pattern (flymake-diagnostic-text d)) d)))))
(defun clear () (when-true "no diagnostic" (lambda () (flymake-start) (null (flymake-diagnostics)))))
(defun state () (plist-get (ignore-errors (isadiff-run "isadiff.status")) :state)) ; an error while the dumps are still being read
(defun to-kernel () (goto-char (point-min)) (search-forward "def window_"))

(defun run-action (pattern)
  "Run the code action at point whose title matches PATTERN, as `eglot-code-actions' does with the user's choice."
  (cl-letf (((symbol-function 'completing-read)
             (lambda (_ choices &rest _) (or (seq-find (lambda (c) (string-match-p pattern (if (consp c) (car c) c))) choices)
                                             (error "no action %s among %S" pattern choices)))))
    (let ((actions (eglot-code-actions (point) (point))))
      (when-let ((action (and (listp actions) (seq-find (lambda (a) (string-match-p pattern (plist-get a :title))) (append actions nil)))))
        (eglot-execute-command (eglot-current-server) (plist-get (plist-get action :command) :command) (plist-get (plist-get action :command) :arguments)))
      actions)))

(setq eglot-sync-connect 10)
(find-file (plist-get story :file))
(python-mode)
(test "eglot starts the server" (run-hooks 'post-command-hook) (unless (eglot-current-server) (call-interactively #'eglot))
      (when-true "connected" #'eglot-current-server) (concat "Emacs " emacs-version))
(test "an unchanged kernel has no diagnostic" (when-true "ok" (lambda () (equal (state) "ok"))) (clear) "ok")
(test "a worse dump is a diagnostic on the name of the kernel" (turn "worse")
      (let ((d (diagnostic-like "vgpr_spill 0 → 136.*vgpr 88 → 127")))
        (assert-that (= (line-number-at-pos (flymake-diagnostic-beg d)) (1+ (plist-get story :line))) d)
        (assert-that (equal (buffer-substring (flymake-diagnostic-beg d) (flymake-diagnostic-end d)) "window_filter") d)
        (flymake-diagnostic-text d)))
(test "its hover tells the figures" (to-kernel)
      (let (said)
        (eglot-hover-eldoc-function (lambda (s &rest _) (setq said s)))
        (when-true "a hover" (lambda () said))
        (assert-that (string-match-p "vgpr_spill +0 +136 +\\+136" said) said)
        (substring-no-properties said)))
(test "M-x isadiff-take-baseline clears all" (isadiff-take-baseline) (clear) (state))
(test "a leftover is removed by a code action" (turn "leftover") (diagnostic-like "cannot be judged") (to-kernel)
      (run-action "remove 23_final_isa.s") (clear) (state))
(test "a damaged dump is named with its cause, and mended by a code action" (turn "damage") (diagnostic-like "metadata") (to-kernel)
      (run-action "compile again") (clear) (state))
(out :done t)
(set-buffer-modified-p nil)
(kill-emacs (if failed 1 0))
