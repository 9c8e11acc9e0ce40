;;; shapeinfer.el --- Shapes beside ONNX models -*- lexical-binding: t -*-

;; Load this file from the init file: (load "/path/to/shapeinfer.el").  It needs Eglot, which Emacs has from 29.

(defvar shapeinfer-command "shapeinfer" "The command that starts shapeinfer.")

(defvar onnxtxt-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    table)
  "Comments run from # to the end of the line.")

(define-derived-mode onnxtxt-mode prog-mode "ONNX text"
  "Edit models in ONNX's text syntax."
  (setq-local font-lock-defaults '(nil))
  (setq-local comment-start "# ")
  (setq-local comment-start-skip "#+ *"))

(defun shapeinfer-show-model (&rest _)
  "Show a binary model as text, without its weights; it cannot be saved."
  (let ((inhibit-read-only t)
        (coding-system-for-read 'utf-8-unix))
    (set-visited-file-modtime)
    (erase-buffer)
    (set-buffer-multibyte t)
    (if (eq 0 (call-process shapeinfer-command nil t nil "text" buffer-file-name))
        (onnxtxt-mode)
      (fundamental-mode))) ; what is wrong with the file is in the buffer
  (buffer-disable-undo)
  (set-buffer-modified-p nil)
  (setq buffer-read-only t)
  (goto-char (point-min))
  (when (re-search-forward "^[^\n<]*{$" nil t) ; the nodes, after weights that may be hundreds
    (beginning-of-line))
  (setq-local revert-buffer-function #'shapeinfer-show-model)
  (auto-revert-mode 1)
  (add-hook 'write-contents-functions
            (lambda () (user-error "A binary model is shown as text, which cannot be saved in its place"))
            nil t))

(add-to-list 'auto-mode-alist '("\\.onnxte?xt\\'" . onnxtxt-mode))
(add-to-list 'auto-mode-alist '("\\.onnx\\'" . shapeinfer-show-model))
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs `(onnxtxt-mode . (,shapeinfer-command "lsp"))))
(add-hook 'onnxtxt-mode-hook #'eglot-ensure)

;;; shapeinfer.el ends here
