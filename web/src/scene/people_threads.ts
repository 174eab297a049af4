import { BufferAttribute, BufferGeometry, Color, DoubleSide, type Material, ShaderMaterial } from 'three';
import { badgeColor, focusColors } from '../look/marks.ts';
import type { Cast, Person } from './people_cast.ts';
import { InstanceList } from './people_instances.ts';
import { FETCH, ROW, TEXELS, type RigUniforms } from './rig.ts';

/** The number of segments in a thread. */
const pieces = 28;

/**
 * Draws arcs of light, in one batch, from sub-agents to their parents, except for sub-agents at their parents'
 * desks. Both ends are read from the cast's texture, so an arc follows a walking agent without CPU work.
 */
export class Threads {
  readonly instances: InstanceList;

  constructor(uniforms: RigUniforms) {
    this.instances = new InstanceList(threadGeometry(), threadMaterial(uniforms), true);
    this.instances.mesh.renderOrder = 5;
  }

  /** Updates the threads after people come or go. */
  list(cast: Cast): void {
    this.instances.clear();
    for (const p of cast.people) {
      const parent = p.perch < 0 ? parentOf(cast, p) : null;
      if (parent) this.instances.add(p.index, [parent.index, parseInt(badgeColor(p.view?.from).slice(1), 16), 0]);
    }
    this.instances.show();
  }

  dispose(): void {
    this.instances.mesh.material.dispose();
    this.instances.dispose();
  }
}

/** Returns the parent of an agent if both are in the room, otherwise null. */
export function parentOf(cast: Cast, p: Person): Person | null {
  const id = p.view?.parent_id, parent = id === undefined || p.leftAt > 0 ? undefined : cast.byId.get(id);
  return parent && parent !== p && parent.leftAt === 0 ? parent : null;
}

/** Returns a strip of quads along x, from 0 at the sub-agent to 1 at its parent; y is -1 or 1, for the two edges. */
function threadGeometry(): BufferGeometry {
  const pos = new Float32Array((pieces + 1) * 6), index: number[] = [];
  for (let i = 0; i <= pieces; i++) {
    pos.set([i / pieces, -1, 0, i / pieces, 1, 0], i * 6);
    if (i < pieces) index.push(2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 1, 2 * i + 3, 2 * i + 2);
  }
  const g = new BufferGeometry();
  g.setAttribute('position', new BufferAttribute(pos, 3));
  g.setIndex(index);
  return g;
}

function threadMaterial(uniforms: RigUniforms): Material {
  return new ShaderMaterial({
    uniforms: { ...uniforms, uCore: { value: new Color(focusColors.columnCore) } },
    transparent: true, depthWrite: false, side: DoubleSide,
    vertexShader: `${FETCH} attribute vec3 iTint; varying vec2 vAt; varying vec3 vColor; varying float vLong; varying float vAwake;
      vec3 fromSRGB(vec3 c){ return mix(pow(c*.9478672986+.0521327014, vec3(2.4)), c*.0773993808, vec3(lessThanEqual(c, vec3(.04045)))); }
      vec4 other(int k){ int i=int(iTint.x+.5)*${TEXELS}+k; return texelFetch(uPeople, ivec2(i%${ROW}, i/${ROW}), 0); }
      vec3 arc(vec3 a, vec3 b, float t, float d){ vec3 p=mix(a,b,t); p.y+=sin(t*3.14159)*clamp(d*.14,.06,.5); return p; }
      void main(){ vec4 A=who(0), B=other(0); vec3 a=vec3(A.x,A.y+.8*who(5).w,A.z), b=vec3(B.x,B.y+.8*other(5).w,B.z);
        float d=distance(a,b), t=position.x; vec3 p=arc(a,b,t,d), along=arc(a,b,t+.02,d)-arc(a,b,t-.02,d);
        vec3 side=normalize(cross(along,cameraPosition-p)+vec3(0.,0.,1e-5));
        p+=side*position.y*max(.06,distance(p,cameraPosition)*.0021); vAt=vec2(t,position.y); vLong=d; vColor=fromSRGB(floor(mod(iTint.y/vec3(65536.,256.,1.),256.))/255.); vAwake=1.-.75*min(1.,mod(who(4).w,2.));
        gl_Position=projectionMatrix*modelViewMatrix*vec4(p,1.); }`,
    fragmentShader: `uniform vec3 uCore; uniform float uTime; uniform float uMotion; varying vec2 vAt; varying vec3 vColor; varying float vLong; varying float vAwake;
      void main(){ float across=1.-abs(vAt.y), glow=across*across, core=smoothstep(.62,.95,across);
        float w=fract(vAt.x*max(1.,vLong*.8)+uTime*.45), bead=smoothstep(.22,.0,abs(w-.5))*uMotion;
        float a=(glow*.6+core*.4+bead*glow*.5)*vAwake*smoothstep(0.,.06,vAt.x)*smoothstep(1.,.94,vAt.x);
        gl_FragColor=vec4(mix(vColor,uCore,core*(.25+.55*bead)),clamp(a,0.,.92));
        #include <colorspace_fragment>
      }`,
  });
}
