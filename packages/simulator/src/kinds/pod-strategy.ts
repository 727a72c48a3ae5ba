import type { Pod } from '@berth/types'
import { defaultPodSpec, qosClassOf } from '../defaults/pod-spec-defaults.ts'
import { withMetadata, type ApiObject } from '../json/api-object.ts'
import { isObject, listAt, numberAt, objectAt, own, stringAt, type JsonObject } from '../json/json-object.ts'
import { fieldError } from '../refusal/field-error.ts'
import { forbidden } from '../refusal/refusals.ts'
import type { ServerContext } from '../server/server-context.ts'
import { validatePodSpec } from '../validation/pod-spec-validation.ts'
import { validatePodUpdate } from '../validation/pod-update-validation.ts'
import type { Strategy } from './strategy.ts'

const PODS = { group: '', plural: 'pods', kind: 'Pod' }
const HOLD_SECONDS = 300

/** How pods are written. Admission of v1.36 that shows: service account, priority class, default tolerations. */
export const podStrategy: Strategy = {
  defaults: (pod) => ({ ...pod, spec: { enableServiceLinks: true, ...defaultPodSpec(objectAt(pod, 'spec')) } }),
  prepareCreate(pod, context) {
    const spec = withPriority(withTolerations(withServiceAccount(objectAt(pod, 'spec'))), pod, context)
    const isGated = listAt(spec, 'schedulingGates').length > 0
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'SchedulingGated',
      message: 'Scheduling is blocked due to non-empty scheduling gates',
      observedGeneration: 1,
    }
    const status = { phase: 'Pending', ...(isGated ? { conditions: [condition] } : {}), qosClass: qosClassOf(spec) }
    return { ...pod, spec, status }
  },
  prepareStatusUpdate(pod, old) {
    const status = { ...objectAt(pod, 'status') }
    // What the server itself decides stays, as upstream's podStatusStrategy keeps it.
    if (status['qosClass'] === undefined) status['qosClass'] = stringAt(old, 'status', 'qosClass')
    return withMetadata({ ...pod, spec: old['spec'], status }, { deletionTimestamp: old.metadata.deletionTimestamp })
  },
  validate(pod, old, isStatus) {
    if (isStatus) return []
    const spec = objectAt(pod, 'spec')
    if (old !== undefined) return [...validatePodSpec(spec, 'spec'), ...validatePodUpdate(pod, old)]
    const isBoundAndGated = stringAt(spec, 'nodeName') !== '' && listAt(spec, 'schedulingGates').length > 0
    const gated = isBoundAndGated
      ? [fieldError.forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')]
      : []
    return [...validatePodSpec(spec, 'spec'), ...gated]
  },
  returnsDeleted: true,
}

function withServiceAccount(spec: JsonObject): JsonObject {
  const name = stringAt(spec, 'serviceAccountName') || stringAt(spec, 'serviceAccount') || 'default'
  return { ...spec, serviceAccountName: name, serviceAccount: name }
}

function withTolerations(spec: JsonObject): JsonObject {
  const tolerations = listAt(spec, 'tolerations')
  const missing = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].filter(
    (key) => !tolerations.some((each) => covers(each, key)),
  )
  const added = missing.map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: HOLD_SECONDS,
  }))
  return { ...spec, tolerations: [...tolerations, ...added] }
}

function covers(toleration: unknown, key: string): boolean {
  const effect = stringAt(toleration, 'effect')
  const own = stringAt(toleration, 'key')
  return (effect === '' || effect === 'NoExecute') && (own === key || own === '')
}

function withPriority(spec: JsonObject, pod: ApiObject, { store }: ServerContext): JsonObject {
  const classes = store.collection('scheduling.k8s.io/priorityclasses')
  const asked = stringAt(spec, 'priorityClassName')
  const found = asked === '' ? classes.list().find((each) => own(each, 'globalDefault') === true) : classes.get(asked)
  if (asked !== '' && found === undefined) {
    throw forbidden(PODS, (pod as unknown as Pod).metadata.name ?? '', `no PriorityClass with name ${asked} was found`)
  }
  const priority = numberAt(found, 'value') ?? 0
  const given = numberAt(spec, 'priority')
  if (given !== undefined && given !== priority) {
    const why = `the integer value of priority (${given}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`
    throw forbidden(PODS, pod.metadata.name ?? '', why)
  }
  return {
    ...spec,
    priority,
    preemptionPolicy:
      stringAt(spec, 'preemptionPolicy') || stringAt(found, 'preemptionPolicy') || 'PreemptLowerPriority',
    ...(isObject(found) ? { priorityClassName: stringAt(found, 'metadata', 'name') } : {}),
  }
}
