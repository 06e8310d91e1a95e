package input

import (
	"context"

	"isadiff/engine/dump"
	"isadiff/engine/resource"
)

func readDump(ctx context.Context, path string, opt Options) (*resource.Side, error) {
	side := dump.Read(ctx, path, dump.Options{Producers: opt.Producers, IgnoreTimes: opt.IgnoreTimes, Digest: opt.Digest, Objects: true})
	dump.Own(side, opt.Producer)
	return side, ctx.Err()
}
