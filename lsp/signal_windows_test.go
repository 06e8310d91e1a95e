package lsp_test

import "os"

var sigquit = os.Kill
