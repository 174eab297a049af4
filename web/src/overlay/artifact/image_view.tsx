import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Shows a picture from a loaded blob. */
export function ImageView({ blob, title }: { blob: Blob; title: string }) {
  const url = useSignal<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    url.value = made;
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url.value ? <img class="picture" src={url.value} alt={title} /> : null;
}
