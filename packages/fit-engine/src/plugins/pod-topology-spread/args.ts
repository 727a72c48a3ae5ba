import { qualifiedNameProblem } from '@berth/resources'
import type { TopologySpreadConstraint } from '@berth/types'
import type { PodTopologySpreadArgs } from '../../plugin-args.ts'
import type { SpreadDefaults } from './spread-constraints.ts'
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

/** Over hosts and zones, softly. */
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
