import { qosClassOf } from './pod-spec-defaults.ts'
import { withMetadata, type ApiObject } from '../../schema/json/api-object.ts'
import {
  equalJson,
  isObject,
  listAt,
  objectAt,
  own,
  stringAt,
  withField,
  type JsonObject,
} from '../../schema/json/json-object.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { validatePodSpec } from '../validation/validate-pod-spec.ts'
import { isStaticPod, WHOLE_POD } from './static-pod.ts'
import type { SubresourceStrategy } from '../kinds/strategy.ts'

const CONTAINERS = ['containers', 'initContainers'] as const
const ALONE = 'only cpu and memory resources are mutable'

/**
 * How `pods/resize` is written: of the containers and of the pod as a whole, cpu and memory may change.
 *
 * @see kubernetes pkg/registry/core/pod podResizeStrategy, pkg/apis/core/validation ValidatePodResize (v1.36)
 */
export const podResize: SubresourceStrategy = {
  prepareUpdate(pod, old) {
    const sent = objectAt(pod, 'spec')
    const before = objectAt(old, 'spec')
    // Whoever adds containers or takes them away is refused later.
    if (CONTAINERS.some((key) => listAt(sent, key).length !== listAt(before, key).length)) return pod
    let spec = withField(before, 'resources', own(sent, 'resources'))
    for (const key of CONTAINERS) spec = withField(spec, key, resizedContainers(own(sent, key), listAt(before, key)))
    return withMetadata({ ...old, spec }, { managedFields: pod.metadata.managedFields })
  },
  validate(pod, old) {
    if (isStaticPod(old)) return [fieldError.forbidden(WHOLE_POD, 'static pods cannot be resized')]
    if (stringAt(old, 'spec', 'os', 'name') === 'windows') {
      return [fieldError.forbidden(WHOLE_POD, 'windows pods cannot be resized')]
    }
    const causes = [...validatePodSpec(objectAt(pod, 'spec'), 'spec'), ...validateWhole(pod, old)]
    const order = CONTAINERS.flatMap((key) => validateOrder(listAt(pod, 'spec', key), listAt(old, 'spec', key), key))
    if (order.length > 0) return [...causes, ...order]
    const removed = CONTAINERS.toReversed().flatMap((key) =>
      listAt(old, 'spec', key).flatMap((before, i) =>
        removedAmounts(listAt(pod, 'spec', key)[i], before, { path: `spec.${key}[${i}].resources`, what: 'resource' }),
      ),
    )
    return [...causes, ...removed, ...validateFixedPart(pod, old)]
  },
}

function resizedContainers(sent: unknown, before: readonly unknown[]): unknown {
  if (!Array.isArray(sent)) return undefined
  // Nor is it taken apart who has got which place.
  if (sent.some((each, i) => own(each, 'name') !== own(before[i], 'name'))) return sent
  return sent.map((each: unknown, i) => {
    const old = before[i]
    if (!isObject(old)) return each
    return withField(withField(old, 'resources', own(each, 'resources')), 'resizePolicy', own(each, 'resizePolicy'))
  })
}

// What is wrong with the pod beside its containers.
function validateWhole(pod: ApiObject, old: ApiObject): readonly StatusCause[] {
  const causes: StatusCause[] = []
  const known = stringAt(pod, 'status', 'qosClass')
  if (
    (stringAt(old, 'status', 'qosClass') || qosClassOf(objectAt(old, 'spec'))) !== qosClassOf(objectAt(pod, 'spec'))
  ) {
    causes.push(fieldError.invalid('spec', known, 'Pod QOS Class may not change as a result of resizing'))
  }
  const running = listAt(old, 'status', 'containerStatuses').find((each) =>
    isObject(own(own(each, 'state'), 'running')),
  )
  if (running !== undefined && own(running, 'resources') === undefined) {
    causes.push(fieldError.forbidden('spec', 'Pod running on node without support for resize'))
  }
  causes.push(...validatePodLevel(pod, old))
  if (listAt(old, 'status', 'nodeAllocatableResourceClaimStatuses').length > 0) {
    causes.push(fieldError.forbidden('spec', 'pods with node allocatable resource claims cannot be resized'))
  }
  return causes
}

function validatePodLevel(pod: ApiObject, old: ApiObject): readonly StatusCause[] {
  const before = own(old['spec'], 'resources')
  const now = own(pod['spec'], 'resources')
  if (before !== undefined && now === undefined) {
    return [fieldError.forbidden('spec.resources', 'pod-level resources cannot be removed')]
  }
  const removed =
    before === undefined
      ? []
      : removedAmounts(pod['spec'], old['spec'], { path: 'spec.resources', what: 'pod-level resource' })
  const isFixed = equalJson(otherAmounts(now), otherAmounts(before))
  return isFixed ? removed : [...removed, fieldError.forbidden('spec', `${ALONE} at pod-level`)]
}

function validateOrder(now: readonly unknown[], before: readonly unknown[], key: string): readonly StatusCause[] {
  if (now.length !== before.length) {
    return [fieldError.forbidden(`spec.${key}`, `${key} may not be added or removed on resize`)]
  }
  return before.flatMap((old, i) =>
    own(now[i], 'name') === own(old, 'name')
      ? []
      : [fieldError.forbidden(`spec.${key}[${i}].name`, `${key} may not be renamed or reordered on resize`)],
  )
}

function removedAmounts(
  now: unknown,
  before: unknown,
  { path, what }: { readonly path: string; readonly what: string },
): readonly StatusCause[] {
  return ['requests', 'limits'].flatMap((key) => {
    const kept = objectAt(now, 'resources', key)
    const isKept = Object.keys(objectAt(before, 'resources', key)).every((name) => Object.hasOwn(kept, name))
    return isKept ? [] : [fieldError.forbidden(`${path}.${key}`, `${what} ${key} cannot be removed`)]
  })
}

function validateFixedPart(pod: ApiObject, old: ApiObject): readonly StatusCause[] {
  const changed = (key: string): readonly number[] =>
    listAt(old, 'spec', key).flatMap((before, i) =>
      equalJson(fixedPart(listAt(pod, 'spec', key)[i]), fixedPart(before)) && !hasClaims(before) ? [] : [i],
    )
  return [
    ...changed('containers').map(() => fieldError.forbidden('spec', ALONE)),
    ...changed('initContainers').map((i) =>
      fieldError.forbidden(
        `spec.initContainers[${i}]`,
        'only cpu and memory resources for init or sidecar containers are mutable',
      ),
    ),
  ]
}

// As upstream: what is compared has lost its claims, so that a container with claims always differs.
function hasClaims(container: unknown): boolean {
  return listAt(container, 'resources', 'claims').length > 0
}

function fixedPart(container: unknown): JsonObject {
  return withField(objectAt({ container }, 'container'), 'resources', otherAmounts(own(container, 'resources')))
}

function otherAmounts(resources: unknown): JsonObject {
  const others = (key: string): JsonObject =>
    Object.fromEntries(Object.entries(objectAt(resources, key)).filter(([name]) => name !== 'cpu' && name !== 'memory'))
  return { limits: others('limits'), requests: others('requests') }
}
