import * as T from 'three';
import { chooseQuality, type Chosen } from './quality.ts';

/** A renderer, and a function that chooses the quality for a setting on this machine. */
export interface Opened { renderer: T.WebGLRenderer; choose(set: string): Chosen }

const attributes = { alpha: true, stencil: true, powerPreference: 'high-performance' } as const;

/**
 * Creates a renderer for the canvas; returns null without WebGL. Antialiasing must be chosen before the context
 * exists, so a hardware context with antialiasing is requested first and, only if that fails, a software context
 * without antialiasing. A second context for probing would cost a tenth of a second or more on slow machines.
 */
export function openRenderer(canvas: HTMLCanvasElement, set: string): Opened | null {
  try {
    const pinned = choose(set, ''), fast = pinned.pinned ? null : canvas.getContext('webgl2', { ...attributes, antialias: true, failIfMajorPerformanceCaveat: true });
    const context = fast ?? canvas.getContext('webgl2', { ...attributes, antialias: pinned.pinned && pinned.quality.antialias });
    if (!context) return null;
    const name = pinned.pinned ? '' : fast ? rendererName(fast) : 'software';
    const renderer = new T.WebGLRenderer({ canvas, context: context as unknown as WebGLRenderingContext, ...attributes });
    renderer.toneMapping = T.NeutralToneMapping;
    renderer.info.autoReset = true;
    return { renderer, choose: set => choose(set, name || rendererName(context)) };
  } catch {
    return null;
  }
}

/**
 * Chooses the quality: the value in the URL if there is one, else the setting, else a value that suits
 * the machine.
 */
function choose(set: string, renderer: string): Chosen {
  const asked = new URLSearchParams(location.search).get('quality');
  return chooseQuality({ asked, set, renderer, cores: navigator.hardwareConcurrency, phone: matchMedia('(pointer: coarse)').matches && Math.min(screen.width, screen.height) < 600 });
}

function rendererName(gl: WebGL2RenderingContext): string {
  const info = gl.getExtension('WEBGL_debug_renderer_info'), name: unknown = gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  return typeof name === 'string' ? name : '';
}
