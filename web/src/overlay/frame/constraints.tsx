import type { Signal } from '@preact/signals';
import { constraints } from '../../contracts/words.gen.ts';

export type ConstraintValues = Readonly<Record<string, string>>;

/** The buttons for a request's optional constraints; at most one of each kind can be chosen. */
export function Constraints({ chosen }: { chosen: Signal<ConstraintValues> }) {
  const toggle = (key: string, value: string) => {
    const { [key]: was, ...rest } = chosen.value;
    chosen.value = was === value ? rest : { ...rest, [key]: value };
  };
  return (
    <div class="constraints">
      {constraints.map(({ kind: key, values }) => (
        <div key={key} class="constraint" role="group" aria-label={key}>
          <span class="constraint-key">{key}</span>
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
