package keeper

import (
	"context"
	"io"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/hud"
)

// Blobs stores content by its hash; the content is durable when PutBlob returns.
type Blobs interface {
	PutBlob(ctx context.Context, content []byte) (sha256 string, err error)
}

// output forwards a check's output, counts its bytes, and keeps its end.
type output struct {
	show  io.Writer
	bytes int64
	end   process.Tail
}

func (o *output) Write(p []byte) (int, error) {
	o.bytes += int64(len(p))
	_, _ = o.end.Write(p)
	return o.show.Write(p)
}

// text returns the kept output as a terminal would show it, with credentials redacted. If the
// beginning was dropped, the partial line that follows is left out too, because a partial
// credential would not be recognized.
func (o *output) text() string {
	text, cut := o.end.Text()
	if cut {
		line := strings.IndexByte(text, '\n')
		if line < 0 || line > contracts.LimitCheckTail { // a very long line
			line = min(len(text)-1, contracts.LimitCheckTail)
		}
		text = strings.ToValidUTF8(text[line+1:], "")
	}
	text, _ = hud.Screen(text)
	return hud.Redact(contracts.CleanText(text))
}

// keepLog stores a check's output and returns its hash, or "" if nothing was stored. The check's
// result is valid even without stored output.
func (k *Keeper) keepLog(ctx context.Context, check string, o *output) string {
	text := o.text()
	if text == "" || k.cfg.Blobs == nil || ctx.Err() != nil {
		return ""
	}
	sha256, err := k.cfg.Blobs.PutBlob(ctx, []byte(text))
	if err != nil {
		k.cfg.Log.Warn("could not store the output of a check", "check", check, "error", err)
		return ""
	}
	return sha256
}
