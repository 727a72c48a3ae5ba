import type { Json, CaseSession } from '../runner/conformance-case.ts'
import { pod } from './manifests.ts'

/** What containers run that never do. */
export const IMAGE = 'registry.k8s.io/pause:3.10'
/** Resources that are neither nothing nor everything. */
export const SMALL = { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '200m', memory: '128Mi' } }

/** What a resize says of containers. */
export const containers = (...resources: readonly object[]): object => ({
  spec: { containers: resources.map((each, i) => ({ name: i === 0 ? 'main' : `more-${i}`, resources: each })) },
})
/** What a resize is about. */
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

/** Makes a pod, and then asks for another size of it. */
export const resized =
  (change: object, spec: object = {}, resources: object = SMALL, metadata: object = {}) =>
  async ({ at, name, post, patch }: CaseSession): Promise<void> => {
    await post(at('pods'), pod(name, resources, spec, metadata), { isQuiet: true })
    await patch('strategic', at('pods', name, 'resize'), change, { show: shown })
  }

/** The part of a spec with an init container. */
export const withInit = (more: object = {}): object => ({
  initContainers: [{ name: 'first', image: IMAGE, resources: SMALL, ...more }],
})
/** What a resize says of that container. */
export const initChange = (resources: object): object => ({ spec: { initContainers: [{ name: 'first', resources }] } })
