import { applyApiServerDefaults } from '@berth/resources'
import type { Pod } from '@berth/types'
import { defaultPodSpec, qosClassOf } from './pod-spec-defaults.ts'
import { withMetadata, type ApiObject } from '../../schema/json/api-object.ts'
import { isObject, listAt, numberAt, objectAt, own, stringAt, type JsonObject } from '../../schema/json/json-object.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { forbidden } from '../../schema/status/api-errors.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { timestamp } from '../../store/generated-metadata.ts'
import { dnsSubdomain } from '../../schema/name-rules.ts'
import { validatePodSpec } from '../validation/validate-pod-spec.ts'
import { validatePodUpdate } from '../validation/validate-pod-update.ts'
import { fractionWarnings } from '../validation/fraction-warnings.ts'
import { withServiceAccount } from './with-service-account.ts'
import { podEphemeralContainersStrategy } from './pod-ephemeral-containers-strategy.ts'
import { podResizeStrategy } from './pod-resize-strategy.ts'
import type { Strategy, StrategyContext } from '../kinds/strategy.ts'

// Fills in times and states that Go's types always serialize, and `podIPs` from `podIP`.
function withStatusDefaults(status: JsonObject): Record<string, unknown> {
  const { conditions, podIP, podIPs } = status
  return {
    ...status,
    ...(Array.isArray(conditions)
      ? {
          conditions: conditions.map((each: unknown) =>
            isObject(each) ? { lastProbeTime: null, lastTransitionTime: null, ...each } : each,
          ),
        }
      : {}),
    ...Object.fromEntries(
      CONTAINER_STATUS_LISTS.flatMap((key) => {
        const list = own(status, key)
        return Array.isArray(list) ? [[key, list.map(withStateDefaults)]] : []
      }),
    ),
    ...(typeof podIP === 'string' && podIPs === undefined ? { podIPs: [{ ip: podIP }] } : {}),
  }
}

const CONTAINER_STATUS_LISTS = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses']

function withStateDefaults(status: unknown): unknown {
  return isObject(status) ? { state: {}, lastState: {}, ...status } : status
}

function validateNominatedNodeName(pod: ApiObject): readonly StatusCause[] {
  const name = stringAt(pod, 'status', 'nominatedNodeName')
  if (name === '') return []
  return dnsSubdomain(name).map((why) => fieldError.invalid('status.nominatedNodeName', name, why))
}

// Keeps observed generations that the new status leaves out, as upstream does.
function keepObservedGenerations(status: Record<string, unknown>, before: JsonObject): void {
  const known = own(before, 'observedGeneration')
  if ((status['observedGeneration'] ?? 0) === 0 && known !== undefined) status['observedGeneration'] = known
  const conditions = status['conditions']
  if (!Array.isArray(conditions)) return
  const oldConditions = [...listAt(before, 'conditions')]
  status['conditions'] = conditions.map((condition: unknown) => {
    const at = oldConditions.findIndex((each) => own(each, 'type') === own(condition, 'type'))
    const [same] = at < 0 ? [] : oldConditions.splice(at, 1)
    const observed = numberAt(same, 'observedGeneration') ?? 0
    if (!isObject(condition) || observed === 0 || (numberAt(condition, 'observedGeneration') ?? 0) !== 0)
      return condition
    return { ...condition, observedGeneration: observed }
  })
}

const NO_EPHEMERAL_CONTAINERS = fieldError.forbidden('spec.ephemeralContainers', 'cannot be set on create')

const PODS = { group: '', plural: 'pods', kind: 'Pod' }
const DEFAULT_TOLERATION_SECONDS = 300

function withPodLevelDefaults(pod: ApiObject): ApiObject {
  const spec = objectAt(pod, 'spec')
  if (own(spec, 'resources') === undefined) return pod
  return { ...pod, spec: { ...spec, resources: applyApiServerDefaults(pod as unknown as Pod).spec.resources } }
}

/** Write rules of pods, including the admission plugins for service accounts, priority and default tolerations. */
export const podStrategy: Strategy = {
  defaults: (pod) =>
    withPodLevelDefaults({
      ...pod,
      spec: { enableServiceLinks: true, ...defaultPodSpec(objectAt(pod, 'spec')) },
    }),
  prepareCreate(pod, context) {
    const spec = withPriority(
      withDefaultTolerations(withServiceAccount(objectAt(pod, 'spec'), pod, context)),
      pod,
      context,
    )
    const isGated = listAt(spec, 'schedulingGates').length > 0
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      lastProbeTime: null,
      lastTransitionTime: timestamp(context.clock),
      reason: 'SchedulingGated',
      message: 'Scheduling is blocked due to non-empty scheduling gates',
    }
    const status = { phase: 'Pending', ...(isGated ? { conditions: [condition] } : {}), qosClass: qosClassOf(spec) }
    return { ...pod, spec, status }
  },
  // Upstream's admission plugin adds missing default tolerations on updates too.
  prepareUpdate: (pod) => ({ ...pod, spec: withDefaultTolerations(objectAt(pod, 'spec')) }),
  prepareStatusUpdate(pod, old) {
    const status = withStatusDefaults(objectAt(pod, 'status'))
    // As upstream's podStatusStrategy, keep what the server decides.
    if (status['qosClass'] === undefined) status['qosClass'] = stringAt(old, 'status', 'qosClass')
    keepObservedGenerations(status, objectAt(old, 'status'))
    return withMetadata({ ...pod, spec: old['spec'], status }, { deletionTimestamp: old.metadata.deletionTimestamp })
  },
  validate(pod, old, isStatus) {
    if (isStatus) return validateNominatedNodeName(pod)
    const spec = objectAt(pod, 'spec')
    if (old !== undefined) return [...validatePodSpec(spec, 'spec'), ...validatePodUpdate(pod, old)]
    const isBoundAndGated = stringAt(spec, 'nodeName') !== '' && listAt(spec, 'schedulingGates').length > 0
    const gated = isBoundAndGated
      ? [fieldError.forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')]
      : []
    const ephemeral = own(spec, 'ephemeralContainers') === undefined ? [] : [NO_EPHEMERAL_CONTAINERS]
    return [...validatePodSpec(spec, 'spec'), ...gated, ...ephemeral]
  },
  subresources: { resize: podResizeStrategy, ephemeralcontainers: podEphemeralContainersStrategy },
  warnings: (pod) => fractionWarnings(objectAt(pod, 'spec'), 'spec'),
  returnsDeleted: true,
}

function withDefaultTolerations(spec: JsonObject): JsonObject {
  const tolerations = listAt(spec, 'tolerations')
  const missing = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].filter(
    (key) => !tolerations.some((each) => tolerates(each, key)),
  )
  const added = missing.map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: DEFAULT_TOLERATION_SECONDS,
  }))
  return { ...spec, tolerations: [...tolerations, ...added] }
}

function tolerates(toleration: unknown, key: string): boolean {
  const effect = stringAt(toleration, 'effect')
  const tolerationKey = stringAt(toleration, 'key')
  return (effect === '' || effect === 'NoExecute') && (tolerationKey === key || tolerationKey === '')
}

function withPriority(spec: JsonObject, pod: ApiObject, { store }: StrategyContext): JsonObject {
  const classes = store.collection('scheduling.k8s.io/priorityclasses')
  const className = stringAt(spec, 'priorityClassName')
  const priorityClass =
    className === '' ? classes.list().find((each) => own(each, 'globalDefault') === true) : classes.get(className)
  if (className !== '' && priorityClass === undefined) {
    throw forbidden(
      PODS,
      (pod as unknown as Pod).metadata.name ?? '',
      `no PriorityClass with name ${className} was found`,
    )
  }
  const priority = numberAt(priorityClass, 'value') ?? 0
  const given = numberAt(spec, 'priority')
  if (given !== undefined && given !== priority) {
    const why = `the integer value of priority (${given}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`
    throw forbidden(PODS, pod.metadata.name ?? '', why)
  }
  const preemptionPolicy = stringAt(priorityClass, 'preemptionPolicy') || 'PreemptLowerPriority'
  const givenPolicy = stringAt(spec, 'preemptionPolicy') || preemptionPolicy
  if (givenPolicy !== preemptionPolicy) {
    const why = `the string value of PreemptionPolicy (${givenPolicy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`
    throw forbidden(PODS, pod.metadata.name ?? '', why)
  }
  return {
    ...spec,
    priority,
    preemptionPolicy,
    ...(isObject(priorityClass) ? { priorityClassName: stringAt(priorityClass, 'metadata', 'name') } : {}),
  }
}
