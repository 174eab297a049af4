import { BufferAttribute, BufferGeometry, Color, CylinderGeometry, DoubleSide, IcosahedronGeometry, type Material, PlaneGeometry, ShaderMaterial } from 'three';
import { focusColors } from '../look/marks.ts';
import { FETCH, type RigUniforms } from './rig.ts';

const color = (hex: string) => ({ value: new Color(hex) });

/** A soft dark spot under everybody: feet touch the floor even where no shadow is computed. */
export function blobMaterial(uniforms: RigUniforms): Material {
  return new ShaderMaterial({
    uniforms: { ...uniforms, uColor: color(focusColors.shadow) },
    transparent: true, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -3, polygonOffsetUnits: -3,
    vertexShader: `${FETCH} varying vec2 vAt; void main(){ vAt=position.xz/.36; vec4 at=who(0); float hop=who(3).z;
      vec3 p=position*(1.-hop*.6); p.x+=at.x; p.z+=at.z; p.y=.056; gl_Position=projectionMatrix*modelViewMatrix*vec4(p,1.); }`,
    fragmentShader: `uniform vec3 uColor; varying vec2 vAt; void main(){ float d=clamp(1.-length(vAt),0.,1.); gl_FragColor=vec4(uColor,.5*d*d*(3.-2.*d)); }`,
  });
}
export const blobGeometry = (): BufferGeometry => new PlaneGeometry(0.72, 0.72).rotateX(-Math.PI / 2);

/** A pillar of golden light over somebody who needs you, and a wave on the floor: the only strong pulse in the room. */
export function columnMaterial(uniforms: RigUniforms): Material {
  return new ShaderMaterial({
    uniforms: { ...uniforms, uColor: color(focusColors.column), uCore: color(focusColors.columnCore) },
    transparent: true, depthWrite: false, side: DoubleSide,
    vertexShader: `${FETCH} attribute float aFloor; varying vec2 vAt; varying float vFloor; varying float vBeat; varying float vSide; varying float vLift;
      void main(){ vec4 at=who(0); float lift=who(2).y; vFloor=aFloor; vBeat=mix(.8,.5+.5*sin(uTime*3.4+iWho),uMotion);
        vec3 p=position; vec3 n=normalize(vec3(p.x,0.,p.z)+1e-5); vAt=aFloor>.5?p.xz/.95:vec2(0.,p.y/5.2);
        if(aFloor<.5) p.xz*=1.+.1*vBeat; p.x+=at.x; p.z+=at.z; if(aFloor>.5) p.y=.06;
        vec4 mv=modelViewMatrix*vec4(p,1.); vSide=aFloor>.5?1.:abs(dot(normalize(normalMatrix*n),vec3(0.,0.,1.))); vLift=smoothstep(.05,.6,lift);
        gl_Position=projectionMatrix*mv; }`,
    fragmentShader: `uniform vec3 uColor; uniform vec3 uCore; uniform float uTime; uniform float uMotion; varying vec2 vAt; varying float vFloor; varying float vBeat; varying float vSide; varying float vLift;
      void main(){ float a; vec3 c=uColor;
        if(vFloor>.5){ float d=length(vAt); float w=fract(uTime*.55); float r=mix(.55,.35+w*.6,uMotion); a=smoothstep(.09,.0,abs(d-r))*mix(.8,1.-w,uMotion)+smoothstep(.6,.05,d)*(.35+.4*vBeat); if(d>1.)a=0.; }
        else { float k=1.-vAt.y; float rim=1.-abs(vSide); a=pow(k,1.15)*(.5+.32*vBeat)*mix(1.,.62,clamp(vSide,0.,1.)); c=mix(uColor,uCore,.35*k*k*(1.-rim)); }
        gl_FragColor=vec4(c,clamp(a,0.,.92)*vLift); 
        #include <colorspace_fragment>
      }`,
  });
}
export function columnGeometry(): BufferGeometry {
  const pillar = new CylinderGeometry(0.4, 0.4, 5.2, 20, 1, true).translate(0, 2.6, 0), floor = new PlaneGeometry(1.9, 1.9).rotateX(-Math.PI / 2);
  const n = pillar.getAttribute('position').count, m = floor.getAttribute('position').count;
  const g = new BufferGeometry(), pos = new Float32Array((n + m) * 3);
  pos.set(pillar.getAttribute('position').array);
  pos.set(floor.getAttribute('position').array, n * 3);
  g.setAttribute('position', new BufferAttribute(pos, 3));
  g.setAttribute('aFloor', new BufferAttribute(new Float32Array(n + m).fill(1, n), 1));
  g.setIndex([...Array.from(pillar.index!.array), ...Array.from(floor.index!.array, i => i + n)]);
  return g;
}

/** Three slow motes beside the head of somebody who thinks, larger and larger. */
export function moteMaterial(uniforms: RigUniforms): Material {
  return new ShaderMaterial({
    uniforms: { ...uniforms, uColor: color(focusColors.mote) },
    transparent: true, depthWrite: false,
    vertexShader: `${FETCH} attribute float aMote; varying float vLight;
      void main(){ vec4 at=who(0); float think=who(2).x, scale=who(5).w, i=aMote;
        vec3 right=vec3(viewMatrix[0][0],viewMatrix[1][0],viewMatrix[2][0]);
        vec3 p=at.xyz+vec3(0.,1.14*scale,0.)+right*(.3+i*.1)+vec3(0.,.06+i*.12+sin(uTime*1.6-i*1.1)*.03*uMotion,0.);
        vLight=.75+.25*normalize(position).y; p+=position*(.5+i*.36)*think*(1.+.12*sin(uTime*1.6-i*1.1)*uMotion);
        gl_Position=projectionMatrix*modelViewMatrix*vec4(p,1.); }`,
    fragmentShader: `uniform vec3 uColor; varying float vLight; void main(){ gl_FragColor=vec4(mix(uColor,vec3(1.),.1)*vLight,.95);
      #include <colorspace_fragment>
    }`,
  });
}
export function moteGeometry(): BufferGeometry {
  const one = new IcosahedronGeometry(0.05, 1), n = one.getAttribute('position').count;
  const g = new BufferGeometry(), pos = new Float32Array(n * 9), which = new Float32Array(n * 3);
  for (let i = 0; i < 3; i++) { pos.set(one.getAttribute('position').array, i * n * 3); which.fill(i, i * n, (i + 1) * n); }
  g.setAttribute('position', new BufferAttribute(pos, 3));
  g.setAttribute('aMote', new BufferAttribute(which, 1));
  return g;
}

