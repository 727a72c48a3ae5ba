import type { Json, CaseSession } from '../runner/conformance-case.ts'
import { pod } from './manifests.ts'

/** Image of containers that never start. */
export const IMAGE = 'registry.k8s.io/pause:3.10'
/** Resources of the burstable QoS class. */
export const SMALL = { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '200m', memory: '128Mi' } }

/** Returns the body of a resize that gives the containers these resources, in order. */
export const containerResources = (...resources: readonly object[]): object => ({
  spec: { containers: resources.map((each, i) => ({ name: i === 0 ? 'main' : `more-${i}`, resources: each })) },
})
/** Picks the fields that a resize concerns. */
export const shown = ({ metadata, spec, status }: Json): unknown => ({
  generation: metadata.generation,
  labels: metadata.labels,
  resources: spec.resources,
  containers: spec.containers.map(({ name, image, resources, resizePolicy }: Json) => ({
    name,
    image,
    resources,
    resizePolicy,
  })),
  initContainers: spec.initContainers?.map(({ name, resources }: Json) => ({ name, resources })),
  status,
})

/** Returns a case that creates a pod, and then resizes it. */
export const resizePod =
  (change: object, spec: object = {}, resources: object = SMALL, metadata: object = {}) =>
  async ({ at, name, post, patch }: CaseSession): Promise<void> => {
    await post(at('pods'), pod(name, resources, spec, metadata), { isQuiet: true })
    await patch('strategic', at('pods', name, 'resize'), change, { show: shown })
  }

/** Returns the part of a spec with an init container. */
export const withInit = (more: object = {}): object => ({
  initContainers: [{ name: 'first', image: IMAGE, resources: SMALL, ...more }],
})
/** Returns a resize of that init container. */
export const initChange = (resources: object): object => ({ spec: { initContainers: [{ name: 'first', resources }] } })
