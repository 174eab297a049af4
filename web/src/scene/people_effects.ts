import { BufferAttribute, BufferGeometry, Color, CylinderGeometry, IcosahedronGeometry, type Material, OctahedronGeometry, PlaneGeometry, ShaderMaterial } from 'three';
import { focusColors } from '../look/marks.ts';
import { FETCH, GONE, type RigUniforms } from './rig.ts';

const pillarHeight = 5.2;
const color = (hex: string) => ({ value: new Color(hex) });

/**
 * The material of a soft dark spot under each person, so that people seem to stand on the floor even without computed
 * shadows.
 */
export function blobMaterial(uniforms: RigUniforms): Material {
  return new ShaderMaterial({
    uniforms: { ...uniforms, uColor: color(focusColors.shadow) },
    transparent: true, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -3, polygonOffsetUnits: -3,
    vertexShader: `${FETCH} varying vec2 vAt; varying float vHere; void main(){ vAt=position.xz/.36; vec4 at=who(0); float hop=who(3).z; vHere=1.-${GONE('who(4).w')};
      vec3 p=position*(1.-hop*.6); p.x+=at.x; p.z+=at.z; p.y=.056; gl_Position=projectionMatrix*modelViewMatrix*vec4(p,1.); }`,
    fragmentShader: `uniform vec3 uColor; varying vec2 vAt; varying float vHere; void main(){ float d=clamp(1.-length(vAt),0.,1.); gl_FragColor=vec4(uColor,.5*d*d*(3.-2.*d)*vHere); }`,
  });
}
export const blobGeometry = (): BufferGeometry => new PlaneGeometry(0.72, 0.72).rotateX(-Math.PI / 2);

/**
 * The material of a pillar of golden light over an agent that needs you: the only strong pulse in the room. The
 * pillar is visible through objects in front of it, and faint where it covers the agent.
 */
export function pillarMaterial(uniforms: RigUniforms): Material {
  return new ShaderMaterial({
    uniforms: { ...uniforms, uColor: color(focusColors.column), uCore: color(focusColors.columnCore) },
    transparent: true, depthWrite: false, depthTest: false,
    vertexShader: `${FETCH} varying float vHigh; varying float vBeat; varying float vFace; varying float vLift;
      void main(){ vec4 at=who(0); vLift=smoothstep(.05,.6,who(2).y); vBeat=mix(.8,.5+.5*sin(uTime*3.4+iWho),uMotion); vHigh=position.y/${pillarHeight.toFixed(1)};
        vec3 p=position; p.xz*=.92+.12*vBeat; p.x+=at.x; p.z+=at.z;
        vFace=abs(dot(normalize(normalMatrix*vec3(position.x,0.,position.z)),vec3(0.,0.,1.))); gl_Position=projectionMatrix*modelViewMatrix*vec4(p,1.); }`,
    fragmentShader: `uniform vec3 uColor; uniform vec3 uCore; varying float vHigh; varying float vBeat; varying float vFace; varying float vLift;
      void main(){ float k=1.-vHigh, rim=smoothstep(.75,.1,vFace), over=smoothstep(.25,.42,vHigh); float a=pow(k,.9)*(.08+.08*vBeat+(.3+.22*vBeat)*over+.45*rim);
        gl_FragColor=vec4(mix(uCore,uColor,max(rim,.3+.7*vHigh)),clamp(a,0.,.9)*vLift);
        #include <colorspace_fragment>
      }`,
  });
}
export const pillarGeometry = (): BufferGeometry => new CylinderGeometry(0.42, 0.42, pillarHeight, 24, 1, true).translate(0, pillarHeight / 2, 0);

/** The material of the wave on the floor around an agent that needs you. */
export function waveMaterial(uniforms: RigUniforms): Material {
  return new ShaderMaterial({
    uniforms: { ...uniforms, uColor: color(focusColors.column), uCore: color(focusColors.columnCore) },
    transparent: true, depthWrite: false,
    vertexShader: `${FETCH} varying vec2 vAt; varying float vLift; void main(){ vec4 at=who(0); vLift=smoothstep(.05,.6,who(2).y); vAt=position.xz/.95;
      gl_Position=projectionMatrix*modelViewMatrix*vec4(position.x+at.x,.062,position.z+at.z,1.); }`,
    fragmentShader: `uniform vec3 uColor; uniform vec3 uCore; uniform float uTime; uniform float uMotion; varying vec2 vAt; varying float vLift;
      void main(){ float d=length(vAt), w=fract(uTime*.55), r=mix(.6,.4+w*.55,uMotion);
        float line=smoothstep(.1,.02,abs(d-r))*mix(.9,1.-w*w,uMotion), pool=smoothstep(.62,.0,d)*.7;
        gl_FragColor=vec4(mix(uColor,uCore,pool),step(d,1.)*clamp(line+pool,0.,.95)*vLift);
        #include <colorspace_fragment>
      }`,
  });
}
export const waveGeometry = (): BufferGeometry => new PlaneGeometry(1.9, 1.9).rotateX(-Math.PI / 2);

/** The material of three slow motes next to the head of a thinking agent, each larger than the last. */
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

/** The material of the golden marker over an agent that needs you; the marker turns and bobs. */
export function markerMaterial(uniforms: RigUniforms): Material {
  return new ShaderMaterial({
    uniforms: { ...uniforms, uColor: color(focusColors.column) },
    vertexShader: `${FETCH} varying float vLight;
      void main(){ vec4 at=who(0); float on=smoothstep(.05,.6,who(2).y), a=uTime*.9*uMotion+.4, c=cos(a), s=sin(a);
        vec3 p=position, n=normalize(normal); p.xz=mat2(c,s,-s,c)*p.xz; n.xz=mat2(c,s,-s,c)*n.xz; vLight=.8+.34*dot(n,normalize(vec3(-.5,.7,.5)));
        gl_Position=projectionMatrix*modelViewMatrix*vec4(at.xyz+vec3(0.,1.62*who(5).w+.2+sin(uTime*2.)*.04*uMotion,0.)+p*on,1.); }`,
    fragmentShader: `uniform vec3 uColor; varying float vLight; void main(){ gl_FragColor=vec4(uColor*vLight,1.);
      #include <colorspace_fragment>
    }`,
  });
}
export const markerGeometry = (): BufferGeometry => new OctahedronGeometry(0.13).scale(1, 1.6, 1);
