package turn

import (
	"context"
	"time"
)

// Outlive returns a context that outlives ctx by the duration wait, unless cancel is called first.
// It is for recording a result after ctx is done, without waiting forever.
func Outlive(ctx context.Context, wait time.Duration) (longer context.Context, cancel context.CancelFunc) {
	longer, cancel = context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		late := time.AfterFunc(wait, cancel)
		context.AfterFunc(longer, func() { late.Stop() })
	})
	context.AfterFunc(longer, func() { stop() })
	return longer, cancel
}
