import { Color, DataTexture, FloatType, type IUniform, type Material, NearestFilter, RGBAFormat } from 'three';
import { rigColors } from '../look/marks.ts';

/** The layout of the data texture: texels and floats per person, texels per row, and the offset of each value. */
export const TEXELS = 8;
export const STRIDE = TEXELS * 4;
export const ROW = 256;
export const At = {
  x: 0, y: 1, z: 2, heading: 3,
  phase: 4, walk: 5, sit: 6, type: 7,
  think: 8, hand: 9, carry: 10, rest: 11,
  yaw: 12, pitch: 13, hop: 14, seed: 15,
  skin: 16, dim: 19,
  hair: 20, scale: 23,
  top: 24, slump: 27,
  trousers: 28, look: 31,
} as const;

export const texture = (capacity: number, data: Float32Array): DataTexture => {
  const t = new DataTexture(data, ROW, rows(capacity), RGBAFormat, FloatType);
  t.minFilter = t.magFilter = NearestFilter;
  t.needsUpdate = true;
  return t;
};
export const rows = (capacity: number): number => Math.ceil((capacity * TEXELS) / ROW);

/** The uniforms shared by all materials of the crowd: one texture with the data of all people, and one clock. */
export interface RigUniforms { [name: string]: IUniform; uPeople: IUniform<DataTexture>; uTime: IUniform<number>; uMotion: IUniform<number>; uBlink: IUniform<number> }

const vec = (hex: string): string => { const c = new Color(hex); return `vec3(${c.r.toFixed(4)},${c.g.toFixed(4)},${c.b.toFixed(4)})`; };

export const FETCH = /* glsl */`
attribute float iWho; uniform highp sampler2D uPeople; uniform float uTime; uniform float uMotion; uniform float uBlink;
vec4 who(int k){ int i=int(iWho+.5)*${TEXELS}+k; return texelFetch(uPeople, ivec2(i%${ROW}, i/${ROW}), 0); }
`;

// The shader rotates limbs about their joints, so a person costs the CPU only a few floats.
const RIG = /* glsl */`
attribute vec3 aRig; ${'varying vec3 vTint; varying float vGone;'}
mat2 turn(float a){ float s=sin(a), c=cos(a); return mat2(c,s,-s,c); }
void leg(inout vec3 p, inout vec3 n, float side, float swing, float walk, float sit){
  vec3 knee=vec3(side*.085,.17,0.); vec3 hip=vec3(side*.085,.3,0.);
  float bend=smoothstep(.21,.13,p.y);
  float k=(max(0.,-side*swing)*.75*walk)+sit*1.25; mat2 m=turn(k*bend);
  p-=knee; p.yz=m*p.yz; n.yz=m*n.yz; p+=knee;
  m=turn(mix(side*swing*.72*walk,-1.4,sit)); p-=hip; p.yz=m*p.yz; n.yz=m*n.yz; p+=hip;
}
void arm(inout vec3 p, inout vec3 n, float side, float swing, vec4 a, vec4 b, float seed, float slump, float wave){
  float walk=a.y, sit=a.z, type=a.w, think=b.x, hand=b.y, carry=b.z, rest=b.w, t=uTime;
  float rx=-side*swing*.7*walk, rz=side*.02, e=-.12-walk*.5;
  rx=mix(rx,-.5,sit); e=mix(e,-.55,sit);
  rx=mix(rx,-.72,rest); e=mix(e,-.7,rest); rz=mix(rz,-side*.16,rest);
  rx=mix(rx,-.86+sin(t*15.+side*1.7+seed*9.)*.07*uMotion,type); e=mix(e,-.58+sin(t*19.+side*2.3+seed*7.)*.12*uMotion,type); rz=mix(rz,-side*.17,type);
  rx=mix(rx,-1.02,carry); e=mix(e,-.34,carry); rz=mix(rz,-side*.1,carry);
  rx=mix(rx,.06,slump); e=mix(e,-.05,slump);
  float reach=1., both=clamp(hand-1.,0.,1.); wave*=1.-clamp(hand-2.,0.,1.); hand=min(hand,1.);
  if(side>0.){
    rx=mix(rx,-1.25,think); e=mix(e,-1.5,think); rz=mix(rz,-.52,think);
    rx=mix(rx,-.12,hand); e=mix(e,-.08,hand); rz=mix(rz,2.66+wave*.24,hand); reach=1.+.5*hand;
  } else {
    rx=mix(rx,-.78,think); e=mix(e,-.95,think); rz=mix(rz,.5,think);
    rx=mix(rx,-.12,both); e=mix(e,-.08,both); rz=mix(rz,-2.66+wave*.24,both); reach=1.+.5*both;
  }
  vec3 elbow=vec3(side*.19,.55,0.), shoulder=vec3(side*.165,.68,0.);
  mat2 m=turn(e*smoothstep(.6,.5,p.y)); p-=elbow; p.yz=m*p.yz; n.yz=m*n.yz; p+=elbow;
  p-=shoulder; p.y*=reach; m=turn(rz); p.xy=m*p.xy; n.xy=m*n.xy; m=turn(rx); p.yz=m*p.yz; n.yz=m*n.yz; p+=shoulder;
}
void head(inout vec3 p, inout vec3 n, float swing, vec4 a, vec4 b, vec4 c, float slump, float looks){
  float t=uTime, seed=c.w, type=a.w, think=b.x;
  float glance=sin(t*.37+seed*40.)*sin(t*.23+seed*71.);
  float look=smoothstep(.35,.75,abs(glance))*sign(glance)*.55*max(looks,0.)*uMotion;
  float nod=max(0.,-looks)*max(0.,sin(t*.6+seed*50.)-.6)*sin(t*8.)*.3*uMotion;
  float pitch=c.y+nod+type*.15+b.w*.1-think*.1+slump*.3+a.y*abs(swing)*.03+sin(t*1.3+seed*20.)*.015*uMotion;
  float lid=fract(t*.23+seed*13.); lid=smoothstep(0.,.012,lid)*smoothstep(.045,.03,lid)*uBlink;
  if(aRig.y>11.5) p=mix(p,vec3(p.x,.985,p.z-.02*step(12.5,aRig.y)),lid*.9);
  vec3 neck=vec3(0.,.78,0.); p-=neck;
  mat2 m=turn(pitch); p.yz=m*p.yz; n.yz=m*n.yz;
  m=turn(think*.17+sin(t*.9+seed*30.)*.015*uMotion); p.xy=m*p.xy; n.xy=m*n.xy;
  m=turn(-(c.x+look)); p.xz=m*p.xz; n.xz=m*n.xz; p+=neck;
}
void rig(inout vec3 p, inout vec3 n){
  vec4 at=who(0), a=who(1), b=who(2), c=who(3);
  float scale=who(5).w, slump=who(6).w, looks=who(7).w, part=aRig.x, swing=sin(a.x), t=uTime;
  float breath=sin(t*2.1+c.w*30.)*.007*uMotion;
  if(part>3.5) leg(p,n,part<4.5?-1.:1.,swing,a.y,a.z);
  else {
    if(part>1.5) arm(p,n,part<2.5?-1.:1.,swing,a,b,c.w,slump,sin(t*7.)*uMotion);
    else if(part>.5) head(p,n,swing,a,b,c,slump,looks);
    else if(abs(aRig.y-7.)<.5||abs(aRig.y-10.)<.5) p=mix(vec3(0.,.56,.31),p,smoothstep(0.,.6,b.z));
    p.y+=breath*step(.5,p.y);
    float lean=a.y*.09+a.w*.06+slump*.12; vec3 hip=vec3(0.,.28,0.); p-=hip; mat2 m=turn(lean); p.yz=m*p.yz; n.yz=m*n.yz; p+=hip;
  }
  p.y+=abs(cos(a.x))*.045*a.y*uMotion;
  p*=scale; p.y+=c.z;
  mat2 m=turn(-at.w); p.xz=m*p.xz; n.xz=m*n.xz;
  p+=at.xyz;
}
`;

/**
 * Returns GLSL that decodes how far a person has faded out; dimOf packs this into one float together with the
 * greyness.
 */
export const GONE = (dim: string): string => `floor(${dim}*.5)*.01`;
export const dimOf = (grey: number, gone: number): number => grey + 2 * Math.floor(gone * 100);
const FADE = 'if(vGone>0.&&fract(52.98*fract(dot(gl_FragCoord.xy,vec2(.06711,.00584))))<vGone) discard; diffuseColor.rgb*=vTint;';

const TINT = /* glsl */`{
  float s=aRig.y; vec4 skin=who(4);
  vec3 c=skin.rgb; if(s>.5)c=who(5).rgb; if(s>1.5)c=who(6).rgb; if(s>2.5)c=who(7).rgb; if(s>3.5)c=${vec(rigColors.dark)}; if(s>4.5)c=${vec(rigColors.white)};
  if(s>5.5)c=mix(skin.rgb,${vec(rigColors.blush)},.45); if(s>6.5)c=BOXTINT; if(s>7.5)c=${vec(rigColors.gold)}; if(s>8.5)c=${vec(rigColors.red)}; if(s>9.5)c=${vec(rigColors.tape)}; if(s>10.5)c=BOXTINT; if(s>11.5)c=${vec(rigColors.dark)}; if(s>12.5)c=${vec(rigColors.white)};
  c*=aRig.z; vTint=mix(c,vec3(dot(c,vec3(.3,.6,.1)))*.75+.1,mod(skin.w,2.)); vGone=${GONE('skin.w')};
}`;

/** How a material is used: lit and coloured, depth only, or pushed outwards as the hull of an outline. */
export type RigUse = { kind: 'lit'; boxes?: boolean } | { kind: 'depth' } | { kind: 'hull'; push: number };

/** Patches a material so that it draws people, and returns it. A depth material has no normals to patch. */
export function rigged<M extends Material>(m: M, uniforms: RigUniforms, use: RigUse): M {
  const boxes = use.kind === 'lit' && use.boxes === true;
  m.onBeforeCompile = shader => {
    Object.assign(shader.uniforms, uniforms);
    const head = FETCH + RIG + (boxes ? 'attribute vec3 iTint;' : '');
    let v = shader.vertexShader.replace('#include <common>', `#include <common>\n${head}`);
    if (use.kind === 'lit') {
      v = v.replace('#include <beginnormal_vertex>', 'vec3 objectNormal=normal; vec3 posed=position; rig(posed,objectNormal);')
        .replace('#include <begin_vertex>', `vec3 transformed=posed; ${TINT.replaceAll('BOXTINT', boxes ? 'iTint' : vec(rigColors.box))}`);
      shader.fragmentShader = shader.fragmentShader.replace('#include <common>', '#include <common>\nvarying vec3 vTint; varying float vGone;').replace('#include <color_fragment>', FADE);
    } else {
      const push = use.kind === 'hull' ? `posed+=facing*${use.push.toFixed(4)};` : '';
      v = v.replace('#include <begin_vertex>', `vec3 posed=position; vec3 facing=normal; rig(posed,facing); ${push} vec3 transformed=posed; vTint=vec3(1.); vGone=0.;`);
    }
    shader.vertexShader = v;
  };
  m.customProgramCacheKey = () => `people-${use.kind}-${use.kind === 'hull' ? use.push : boxes}`;
  return m;
}
