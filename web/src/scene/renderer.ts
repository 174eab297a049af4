import * as T from 'three';
import { chooseQuality, type Quality } from './quality.ts';

/** A renderer for the canvas, or null where there is no WebGL. */
export function createRenderer(canvas: HTMLCanvasElement, q: Quality): T.WebGLRenderer | null {
  try {
    const renderer = new T.WebGLRenderer({ canvas, antialias: q.antialias, alpha: true, stencil: true, powerPreference: 'high-performance' });
    renderer.toneMapping = T.NeutralToneMapping;
    renderer.info.autoReset = true;
    return renderer;
  } catch {
    return null;
  }
}

/** Looks at the machine and picks a quality. The address wins over the setting, the setting over the machine. */
export function qualityHere(set: string): { quality: Quality; pinned: boolean } {
  const asked = new URLSearchParams(location.search).get('quality');
  return chooseQuality({ asked, set, renderer: rendererName(), cores: navigator.hardwareConcurrency, phone: matchMedia('(pointer: coarse)').matches && Math.min(screen.width, screen.height) < 600 });
}

/** Who draws, asked on a canvas of its own: the antialiasing of the real one must be known before its context exists. */
function rendererName(): string {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (!gl) return '';
  const info = gl.getExtension('WEBGL_debug_renderer_info'), name: unknown = gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return typeof name === 'string' ? name : '';
}
