import type { Signal } from '@preact/signals';
import { constraints } from '../../contracts/words.gen.ts';

export type WishList = Readonly<Record<string, string>>;

/** Optional constraints of a request, one of each kind. */
export function Wishes({ chosen }: { chosen: Signal<WishList> }) {
  const toggle = (key: string, value: string) => {
    const { [key]: was, ...rest } = chosen.value;
    chosen.value = was === value ? rest : { ...rest, [key]: value };
  };
  return (
    <div class="wishes">
      {constraints.map(({ kind: key, values }) => (
        <div key={key} class="wish" role="group" aria-label={key}>
          <span class="wish-key">{key}</span>
          {values.map((value) => (
            <button key={value} type="button" class="pill" aria-pressed={chosen.value[key] === value} onClick={() => toggle(key, value)}>
              {value}
            </button>
          ))}
        </div>
      ))}
    </div>
  );
}
