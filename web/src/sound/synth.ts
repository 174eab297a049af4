import type { Cue } from './cue.ts';

// The total volume, quiet enough to leave on all day.
const masterGain = 0.12;

interface Note {
  /** The frequency in Hz. */
  pitch: number;
  /** When the note starts, in seconds after the start of the cue. */
  at: number;
  length: number;
  gain: number;
  shape: OscillatorType;
  /** The frequency that the note glides to, in Hz; without it, the pitch is constant. */
  glide?: number;
}

const soft = (pitch: number, at: number, length: number, gain = 0.5): Note => ({ pitch, at, length, gain, shape: 'sine' });

/** The notes of each cue; they sound like wood and bells, not beeps. */
export const notes: Readonly<Record<Cue, readonly Note[]>> = {
  needs: [soft(659, 0, 0.9), soft(880, 0.14, 1.1, 0.4)],
  box: [{ pitch: 130, at: 0, length: 0.22, gain: 0.9, shape: 'sine', glide: 55 }, { pitch: 320, at: 0, length: 0.05, gain: 0.2, shape: 'triangle', glide: 120 }],
  tick: [{ pitch: 1320, at: 0, length: 0.09, gain: 0.3, shape: 'triangle' }, soft(1760, 0.06, 0.25, 0.2)],
  fanfare: [soft(523, 0, 0.5), soft(659, 0.12, 0.5), soft(784, 0.24, 0.6), soft(1047, 0.38, 1.4, 0.6)],
  key: [{ pitch: 2100, at: 0, length: 0.018, gain: 0.06, shape: 'triangle', glide: 900 }],
};

/** Plays cues with the Web Audio API, without sound files. */
export class Synth {
  private readonly master: GainNode;

  constructor(private readonly context: AudioContext) {
    this.master = context.createGain();
    this.master.gain.value = masterGain;
    // The compressor limits the volume of cues that play at the same time.
    this.master.connect(context.createDynamicsCompressor()).connect(context.destination);
  }

  /** Plays a cue. Browsers block sound until the first input; cues before that are dropped, not delayed. */
  play(cue: Cue, pan: number): void {
    if (this.context.state !== 'running') return;
    const side = this.context.createStereoPanner();
    side.pan.value = pan;
    side.connect(this.master);
    let left = notes[cue].length;
    for (const note of notes[cue]) {
      this.strike(note, side).addEventListener('ended', () => --left === 0 && side.disconnect());
    }
  }

  wake(): void {
    if (this.context.state === 'suspended') void this.context.resume();
  }

  close(): void {
    void this.context.close();
  }

  private strike(note: Note, out: AudioNode): OscillatorNode {
    const start = this.context.currentTime + note.at;
    const end = start + note.length;
    const voice = new OscillatorNode(this.context, { type: note.shape, frequency: note.pitch });
    if (note.glide) voice.frequency.exponentialRampToValueAtTime(note.glide, end);
    const swell = new GainNode(this.context, { gain: 0 });
    swell.gain.setValueAtTime(0, start);
    swell.gain.linearRampToValueAtTime(note.gain, start + Math.min(0.012, note.length / 4));
    swell.gain.exponentialRampToValueAtTime(0.0001, end);
    voice.connect(swell).connect(out);
    voice.start(start);
    voice.stop(end);
    return voice;
  }
}
