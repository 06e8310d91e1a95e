//go:build !linux

package lsp

import "context"

func waitForProcess(ctx context.Context, pid int) error { return pollProcess(ctx, pid) }
