import { resourceAmounts } from '@berth/resources'
import { type GroupCondition, isRecord, type ObjectMeta, type PodGroup, type PodGroupApi } from '@berth/types'
import { readObject } from '../state/read-object.ts'

/** kube-scheduler's permitTimeoutDuration of the plugin GangScheduling. */
const DEFAULT_TIMEOUT_MS = 300_000
/** The default of PermitWaitingTimeSeconds in scheduler-plugins' CoschedulingArgs. */
const COSCHEDULING_TIMEOUT_MS = 60_000

const FIELDS = [
  { field: 'schedulingConstraints', feature: 'topology-aware placement of a group' },
  { field: 'resourceClaims', feature: 'dynamic resource allocation for a group' },
  { field: 'disruptionMode', feature: 'disruption of a group as a whole' },
  { field: 'parentCompositePodGroupName', feature: 'groups of groups' },
] as const

/**
 * Reads a PodGroup of `scheduling.k8s.io` (v1alpha2, v1beta1) or of scheduler-plugins (`scheduling.x-k8s.io/v1alpha1`).
 *
 * @throws StateError BERTH_FIT_UNREADABLE when the object is not a PodGroup, for example because minCount is not a
 * positive whole number.
 * @see k8s.io/api/scheduling/v1alpha2 (v0.36.3), scheduling/v1beta1 (v0.37.0) types.go
 */
export function readPodGroup(object: { readonly metadata?: ObjectMeta }, api: PodGroupApi, version: string): PodGroup {
  const metadata = object.metadata ?? {}
  return readObject('podgroup', metadata, () => {
    const { namespace = '', name = '' } = metadata
    const { spec, status } = object as { readonly spec?: unknown; readonly status?: unknown }
    if (!isRecord(spec)) throw new TypeError('spec is missing')
    const { managedFields: _, ...kept } = metadata
    const common = { ref: { api, namespace, name }, version, metadata: kept }
    return api === 'scheduling.k8s.io'
      ? { ...common, ...readNative(spec), conditions: readConditions(status) }
      : { ...common, ...readCoscheduling(spec), conditions: [] }
  })
}

type Policy = Pick<PodGroup, 'minCount' | 'minResources' | 'timeoutMs' | 'unsupported'>

function readNative(spec: Readonly<Record<string, unknown>>): Policy {
  const { schedulingPolicy } = spec
  if (!isRecord(schedulingPolicy)) throw new TypeError('spec.schedulingPolicy is missing')
  const { gang, basic } = schedulingPolicy
  if (gang == null && basic == null) throw new TypeError('spec.schedulingPolicy names neither gang nor basic')
  if (gang != null && !isRecord(gang)) throw new TypeError('spec.schedulingPolicy.gang is not an object')
  const unsupported = FIELDS.flatMap(({ field, feature }) =>
    isUsed(field, spec[field]) ? [`spec.${field}: ${feature} is not implemented`] : [],
  )
  return {
    minCount: gang == null ? 0 : wholeNumber('spec.schedulingPolicy.gang.minCount', gang['minCount'], 1),
    minResources: {},
    timeoutMs: DEFAULT_TIMEOUT_MS,
    unsupported,
  }
}

function isUsed(field: (typeof FIELDS)[number]['field'], value: unknown): boolean {
  if (value == null || value === '') return false
  if (Array.isArray(value)) return value.length > 0
  // The default: each member may be disrupted alone.
  if (field === 'disruptionMode') return value !== 'Pod' && !(isRecord(value) && 'single' in value)
  return true
}

function readCoscheduling(spec: Readonly<Record<string, unknown>>): Policy {
  const { minMember, minResources, scheduleTimeoutSeconds } = spec
  if (minResources != null && !isRecord(minResources)) throw new TypeError('spec.minResources is not an object')
  const resources = (minResources ?? {}) as PodGroup['minResources']
  resourceAmounts(resources)
  const timeoutSeconds =
    scheduleTimeoutSeconds == null ? 0 : wholeNumber('spec.scheduleTimeoutSeconds', scheduleTimeoutSeconds, 0)
  return {
    minCount: minMember == null ? 0 : wholeNumber('spec.minMember', minMember, 0),
    minResources: resources,
    timeoutMs: timeoutSeconds === 0 ? COSCHEDULING_TIMEOUT_MS : timeoutSeconds * 1_000,
    unsupported: [],
  }
}

function wholeNumber(field: string, value: unknown, minimum: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= minimum) return value
  throw new TypeError(`${field} is not a whole number of at least ${minimum}`)
}

function readConditions(status: unknown): readonly GroupCondition[] {
  const conditions = isRecord(status) ? status['conditions'] : undefined
  return Array.isArray(conditions) ? (conditions.filter(isRecord) as unknown as readonly GroupCondition[]) : []
}
