/**
 * Measures labels before they are shown: pills on a canvas, bubbles in a hidden element that the browser wraps.
 * Both are cached.
 */
export class LabelMeasure {
  readonly #widths = new Map<string, number>();
  readonly #bubbles = new Map<string, { width: number; height: number }>();
  readonly #pen: CanvasRenderingContext2D | null;
  readonly #probe: HTMLElement;
  readonly #holder: HTMLElement;
  readonly #font: string;
  readonly #stop: () => void;

  /** `changed` is called when measured sizes are no longer valid. */
  constructor(el: HTMLElement, changed: () => void) {
    this.#pen = document.createElement('canvas').getContext?.('2d') ?? null;
    this.#probe = document.createElement('div');
    this.#probe.className = 'speech';
    const holder = this.#holder = document.createElement('div');
    holder.className = 'plate';
    holder.style.visibility = 'hidden';
    holder.append(this.#probe);
    el.append(holder);
    this.#font = getComputedStyle(el).fontFamily || 'sans-serif';
    // A font that loads late changes every width; `fonts.ready` may resolve before any text needs a font.
    const { fonts } = document, loaded = () => { this.#widths.clear(); this.#bubbles.clear(); changed(); };
    fonts?.addEventListener('loadingdone', loaded);
    this.#stop = () => fonts?.removeEventListener('loadingdone', loaded);
  }

  /** Returns the width of a pill with a name and an optional word. */
  pill(name: string, word: string): number {
    const wide = Math.min(132, this.#text(name, 800));
    return Math.ceil(3 + 18 + 6 + wide + 10 + (word === '' ? 0 : 6 + Math.min(120, this.#text(word, 600)))) + 1;
  }

  bubble(text: string): { width: number; height: number } {
    let size = this.#bubbles.get(text);
    if (size) return size;
    this.#probe.textContent = text;
    size = { width: this.#probe.offsetWidth || Math.min(208, text.length * 7 + 22), height: this.#probe.offsetHeight || 28 };
    if (this.#bubbles.size > 300) this.#bubbles.clear();
    this.#bubbles.set(text, size);
    return size;
  }

  dispose(): void { this.#stop(); this.#holder.remove(); }

  #text(text: string, weight: number): number {
    const key = `${weight}${text}`;
    let w = this.#widths.get(key);
    if (w !== undefined) return w;
    if (this.#pen) { this.#pen.font = `${weight} 12px ${this.#font}`; w = this.#pen.measureText(text).width; } else w = text.length * 7;
    if (this.#widths.size > 4000) this.#widths.clear();
    this.#widths.set(key, w);
    return w;
  }
}
