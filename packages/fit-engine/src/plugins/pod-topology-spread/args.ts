import { qualifiedNameProblem, type TopologySpreadConstraint } from '@berth/types'
import type { SpreadDefaults } from './spread-constraints.ts'
import { type ObjectSchema, objectSchema, pluginArgsSchema } from '../args/args-schema.ts'
import { onlyFields, refuseArgs } from '../args/refuse-args.ts'

const PLUGIN = 'PodTopologySpread'
const CONSTRAINT_FIELDS = [
  'maxSkew',
  'topologyKey',
  'whenUnsatisfiable',
  'labelSelector',
  'minDomains',
  'nodeAffinityPolicy',
  'nodeTaintsPolicy',
  'matchLabelKeys',
] as const

/** `kubescheduler.config.k8s.io/v1` PodTopologySpreadArgs. */
export interface PodTopologySpreadArgs {
  /** Constraints of pods that have none of their own. Allowed only with `defaultingType` List. */
  readonly defaultConstraints?: readonly TopologySpreadConstraint[]
  /** `System` (the default) spreads pods over hosts and zones where possible. */
  readonly defaultingType?: 'System' | 'List'
}

/** JSON Schema of {@link PodTopologySpreadArgs}. */
export const podTopologySpreadArgsSchema: ObjectSchema = pluginArgsSchema({
  defaultConstraints: {
    type: 'array',
    description: 'Constraints of pods that have none of their own; only with defaultingType List.',
    items: objectSchema(
      {
        maxSkew: {
          type: 'integer',
          exclusiveMinimum: 0,
          description: 'Maximum difference between the number of pods in a domain and in the domain with the fewest.',
        },
        topologyKey: { type: 'string', minLength: 1, description: 'Node label whose values are the domains.' },
        whenUnsatisfiable: {
          type: 'string',
          enum: ['DoNotSchedule', 'ScheduleAnyway'],
          description: 'Whether the constraint filters nodes or only scores them.',
        },
        minDomains: {
          type: 'integer',
          exclusiveMinimum: 0,
          description: 'With fewer domains than this, the fewest pods of a domain count as 0. Default: 1.',
        },
        nodeAffinityPolicy: {
          type: 'string',
          enum: ['Honor', 'Ignore'],
          description: 'Whether only nodes that match the affinity and nodeSelector of the pod count. Default: Honor.',
        },
        nodeTaintsPolicy: {
          type: 'string',
          enum: ['Honor', 'Ignore'],
          description: 'Whether only nodes whose taints the pod tolerates count. Default: Ignore.',
        },
        matchLabelKeys: {
          type: 'array',
          items: { type: 'string', minLength: 1 },
          description:
            'Ignored, as in kube-scheduler: the services and the controller of a pod determine which pods count.',
        },
      },
      { required: ['maxSkew', 'topologyKey', 'whenUnsatisfiable'] },
    ),
  },
  defaultingType: {
    type: 'string',
    enum: ['System', 'List'],
    description: 'System: spread over hosts and zones where possible. List: defaultConstraints. Default: System.',
  },
})

/** Upstream's defaults: spread over hosts and zones where possible. */
const systemDefaults: SpreadDefaults = {
  isSystem: true,
  constraints: [
    { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 3 },
    { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 5 },
  ],
}

function checkConstraint(constraint: TopologySpreadConstraint, path: string): void {
  onlyFields(PLUGIN, path, constraint, CONSTRAINT_FIELDS)
  const { maxSkew, topologyKey, whenUnsatisfiable, labelSelector } = constraint
  if (!Number.isInteger(maxSkew) || maxSkew < 1) refuseArgs(PLUGIN, `${path}.maxSkew`, `${maxSkew} is not above 0`)
  const keyProblem = topologyKey ? qualifiedNameProblem(topologyKey) : 'it is needed'
  if (keyProblem !== undefined) refuseArgs(PLUGIN, `${path}.topologyKey`, keyProblem)
  if (whenUnsatisfiable !== 'DoNotSchedule' && whenUnsatisfiable !== 'ScheduleAnyway') {
    const reason = `"${whenUnsatisfiable ?? ''}" is none of DoNotSchedule, ScheduleAnyway`
    refuseArgs(PLUGIN, `${path}.whenUnsatisfiable`, reason)
  }
  if (labelSelector != null) {
    refuseArgs(PLUGIN, `${path}.labelSelector`, 'it follows from the services and the controller of each pod')
  }
}

/**
 * Checks the arguments and fills in the defaults.
 *
 * @throws ProfileError BERTH_FIT_ARGS naming the field.
 * @see kubernetes/kubernetes pkg/scheduler/apis/config/validation/validation_pluginargs.go (v1.36)
 */
export function parseSpreadArgs(args: PodTopologySpreadArgs = {}): SpreadDefaults {
  onlyFields(PLUGIN, '', args, ['defaultConstraints', 'defaultingType'])
  const constraints = args.defaultConstraints ?? []
  const type: string = args.defaultingType ?? ''
  if (type !== '' && type !== 'System' && type !== 'List') {
    refuseArgs(PLUGIN, 'defaultingType', `"${type}" is none of System, List`)
  }
  if (type !== 'List') {
    if (constraints.length > 0) refuseArgs(PLUGIN, 'defaultConstraints', 'they need defaultingType List')
    return systemDefaults
  }
  const seen = new Set<string>()
  constraints.forEach((constraint, i) => {
    const path = `defaultConstraints[${i}]`
    checkConstraint(constraint, path)
    const identity = `${constraint.topologyKey} ${constraint.whenUnsatisfiable}`
    if (seen.has(identity)) refuseArgs(PLUGIN, path, 'it repeats the topologyKey and whenUnsatisfiable of another')
    seen.add(identity)
  })
  return { isSystem: false, constraints }
}
