package keeper

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Logs stores content by its hash; the content is durable when PutBlob returns.
type Logs interface {
	PutBlob(ctx context.Context, content []byte) (sha256 string, err error)
}

// output passes on what a check prints, counts it, and keeps its end.
type output struct {
	show  io.Writer
	bytes int64
	end   []byte // at most contracts.LimitCheckLog bytes
}

func (o *output) Write(p []byte) (int, error) {
	o.bytes += int64(len(p))
	o.end = append(o.end, p...)
	o.end = o.end[max(0, len(o.end)-contracts.LimitCheckLog):]
	return o.show.Write(p)
}

// text returns the kept output as a terminal would show it, without credentials. If the beginning
// was dropped, the partial line that follows is left out too, because half of a credential is not
// recognized.
func (o *output) text() string {
	end := o.end
	if o.bytes > int64(len(end)) {
		line := bytes.IndexByte(end[:contracts.LimitCheckTail], '\n')
		if line < 0 { // a very long line
			line = contracts.LimitCheckTail
		}
		end = end[line+1:]
	}
	text, _ := hud.Screen(strings.ToValidUTF8(string(end), "?"))
	return hud.Redact(contracts.CleanText(text))
}

// keepLog stores the output of a check and returns its hash; empty if there is no output, or it cannot
// be stored. The result of the check is valid without it.
func (k *Keeper) keepLog(ctx context.Context, check string, o *output) string {
	text := o.text()
	if text == "" || k.cfg.Logs == nil || ctx.Err() != nil {
		return ""
	}
	sha256, err := k.cfg.Logs.PutBlob(ctx, []byte(text))
	if err != nil {
		k.cfg.Log.Warn("output of a check not stored", "check", check, "error", err)
		return ""
	}
	return sha256
}
