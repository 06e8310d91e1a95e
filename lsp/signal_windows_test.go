package lsp_test

import "os"

var (
	sigquit = os.Kill
	sighup  = os.Kill // nothing to tell it by: its tests are of Unix
)
