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
import { isStaticPod, POD_ROOT } from './static-pod.ts'
import type { SubresourceStrategy } from '../kinds/strategy.ts'

const CONTAINER_LISTS = ['containers', 'initContainers'] as const
const ONLY_CPU_AND_MEMORY = 'only cpu and memory resources are mutable'

/**
 * Write rules of `pods/resize`: only cpu and memory may change, of containers and of the pod as a whole.
 *
 * @see kubernetes pkg/registry/core/pod podResizeStrategy, pkg/apis/core/validation ValidatePodResize (v1.36)
 */
export const podResizeStrategy: SubresourceStrategy = {
  prepareUpdate(pod, old) {
    const sent = objectAt(pod, 'spec')
    const before = objectAt(old, 'spec')
    // Validation refuses added and removed containers.
    if (CONTAINER_LISTS.some((key) => listAt(sent, key).length !== listAt(before, key).length)) return pod
    let spec = withField(before, 'resources', own(sent, 'resources'))
    for (const key of CONTAINER_LISTS)
      spec = withField(spec, key, resizedContainers(own(sent, key), listAt(before, key)))
    return withMetadata({ ...old, spec }, { managedFields: pod.metadata.managedFields })
  },
  validate(pod, old) {
    if (isStaticPod(old)) return [fieldError.forbidden(POD_ROOT, 'static pods cannot be resized')]
    if (stringAt(old, 'spec', 'os', 'name') === 'windows') {
      return [fieldError.forbidden(POD_ROOT, 'windows pods cannot be resized')]
    }
    const causes = [...validatePodSpec(objectAt(pod, 'spec'), 'spec'), ...validatePodConstraints(pod, old)]
    const order = CONTAINER_LISTS.flatMap((key) =>
      validateOrder(listAt(pod, 'spec', key), listAt(old, 'spec', key), key),
    )
    if (order.length > 0) return [...causes, ...order]
    const removed = CONTAINER_LISTS.toReversed().flatMap((key) =>
      listAt(old, 'spec', key).flatMap((before, i) =>
        validateNoneRemoved(listAt(pod, 'spec', key)[i], before, {
          path: `spec.${key}[${i}].resources`,
          what: 'resource',
        }),
      ),
    )
    return [...causes, ...removed, ...validateImmutablePart(pod, old)]
  },
}

function resizedContainers(sent: unknown, before: readonly unknown[]): unknown {
  if (!Array.isArray(sent)) return undefined
  // Validation refuses renamed and reordered containers.
  if (sent.some((each, i) => own(each, 'name') !== own(before[i], 'name'))) return sent
  return sent.map((each: unknown, i) => {
    const old = before[i]
    if (!isObject(old)) return each
    return withField(withField(old, 'resources', own(each, 'resources')), 'resizePolicy', own(each, 'resizePolicy'))
  })
}

// Returns the errors of the pod as a whole.
function validatePodConstraints(pod: ApiObject, old: ApiObject): readonly StatusCause[] {
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
      : validateNoneRemoved(pod['spec'], old['spec'], { path: 'spec.resources', what: 'pod-level resource' })
  const isFixed = equalJson(immutableAmounts(now), immutableAmounts(before))
  return isFixed ? removed : [...removed, fieldError.forbidden('spec', `${ONLY_CPU_AND_MEMORY} at pod-level`)]
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

function validateNoneRemoved(
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

function validateImmutablePart(pod: ApiObject, old: ApiObject): readonly StatusCause[] {
  const changed = (key: string): readonly number[] =>
    listAt(old, 'spec', key).flatMap((before, i) =>
      equalJson(immutablePart(listAt(pod, 'spec', key)[i]), immutablePart(before)) && !hasResourceClaims(before)
        ? []
        : [i],
    )
  return [
    ...changed('containers').map(() => fieldError.forbidden('spec', ONLY_CPU_AND_MEMORY)),
    ...changed('initContainers').map((i) =>
      fieldError.forbidden(
        `spec.initContainers[${i}]`,
        'only cpu and memory resources for init or sidecar containers are mutable',
      ),
    ),
  ]
}

// As upstream: the container is compared with a copy without claims, so that a container with claims always differs.
function hasResourceClaims(container: unknown): boolean {
  return listAt(container, 'resources', 'claims').length > 0
}

function immutablePart(container: unknown): JsonObject {
  return withField(objectAt({ container }, 'container'), 'resources', immutableAmounts(own(container, 'resources')))
}

function immutableAmounts(resources: unknown): JsonObject {
  const others = (key: string): JsonObject =>
    Object.fromEntries(Object.entries(objectAt(resources, key)).filter(([name]) => name !== 'cpu' && name !== 'memory'))
  return { limits: others('limits'), requests: others('requests') }
}
