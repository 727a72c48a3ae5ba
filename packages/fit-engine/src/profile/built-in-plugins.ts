import type { EnginePlugin } from '../framework/engine-plugin.ts'
import type { QueueingHint } from '../framework/queueing-hint.ts'
import type { ObjectSchema } from '../plugins/args/args-schema.ts'
import { DEFAULT_PREEMPTION, defaultPreemptionArgsSchema } from '../plugins/default-preemption/args.ts'
import { defaultPreemption } from '../plugins/default-preemption/plugin.ts'
import { imageLocality } from '../plugins/image-locality/plugin.ts'
import { interPodAffinityArgsSchema } from '../plugins/inter-pod-affinity/args.ts'
import { interPodAffinityHint } from '../plugins/inter-pod-affinity/hint.ts'
import { interPodAffinity } from '../plugins/inter-pod-affinity/plugin.ts'
import { nodeAffinityArgsSchema } from '../plugins/node-affinity/args.ts'
import { nodeAffinityHint } from '../plugins/node-affinity/hint.ts'
import { nodeAffinity } from '../plugins/node-affinity/plugin.ts'
import { nodeDeclaredFeaturesHint } from '../plugins/node-declared-features/hint.ts'
import { nodeDeclaredFeatures } from '../plugins/node-declared-features/plugin.ts'
import { nodeName } from '../plugins/node-name/plugin.ts'
import { nodePortsHint } from '../plugins/node-ports/hint.ts'
import { nodePorts } from '../plugins/node-ports/plugin.ts'
import { balancedAllocationArgsSchema } from '../plugins/node-resources-balanced-allocation/args.ts'
import { balancedAllocation } from '../plugins/node-resources-balanced-allocation/plugin.ts'
import { nodeResourcesFitArgsSchema } from '../plugins/node-resources-fit/args.ts'
import { nodeResourcesFitHint } from '../plugins/node-resources-fit/hint.ts'
import { nodeResourcesFit } from '../plugins/node-resources-fit/plugin.ts'
import { fragmentationArgsSchema } from '../plugins/node-resources-fragmentation/args.ts'
import { resourcesFragmentation } from '../plugins/node-resources-fragmentation/plugin.ts'
import { nodeUnschedulableHint } from '../plugins/node-unschedulable/hint.ts'
import { nodeUnschedulable } from '../plugins/node-unschedulable/plugin.ts'
import { nodeVolumeLimitsHint } from '../plugins/node-volume-limits/hint.ts'
import { nodeVolumeLimits } from '../plugins/node-volume-limits/plugin.ts'
import { podTopologySpreadArgsSchema } from '../plugins/pod-topology-spread/args.ts'
import { podTopologySpreadHint } from '../plugins/pod-topology-spread/hint.ts'
import { podTopologySpread } from '../plugins/pod-topology-spread/plugin.ts'
import { taintTolerationHint } from '../plugins/taint-toleration/hint.ts'
import { taintToleration } from '../plugins/taint-toleration/plugin.ts'
import { volumeBindingHint } from '../plugins/volume-binding/hint.ts'
import { volumeBinding } from '../plugins/volume-binding/plugin.ts'
import { volumeRestrictionsHint } from '../plugins/volume-restrictions/hint.ts'
import { volumeRestrictions } from '../plugins/volume-restrictions/plugin.ts'
import { volumeZoneHint } from '../plugins/volume-zone/hint.ts'
import { volumeZone } from '../plugins/volume-zone/plugin.ts'

/** An extension point at which built-in plugins run, under kube-scheduler's name. */
export type BuiltInPoint = 'preFilter' | 'filter' | 'postFilter' | 'preScore' | 'score'

/** A plugin that is part of the engine. */
export interface BuiltInPlugin {
  readonly name: string
  readonly points: readonly BuiltInPoint[]
  /** Default weight of its scores. Plugins that do not score have 1, as in kube-scheduler. */
  readonly weight: number
  /** Whether a profile runs it unless it disables it. The others run only where a profile names them. */
  readonly isDefault: boolean
  /** Schema of its arguments; undefined: it takes none. */
  readonly argsSchema?: ObjectSchema
  /** Which events may help a pod that it rejected; undefined: every event. */
  readonly hint?: QueueingHint
  /**
   * Makes the plugin.
   *
   * @param args - Valid by {@link BuiltInPlugin.argsSchema}.
   * @throws ProfileError BERTH_FIT_ARGS when the arguments contradict each other or name something that is not valid.
   */
  readonly create: (args?: object) => EnginePlugin
}

/** The points at which a plugin decides on nodes. */
const decidePoints = ['preFilter', 'filter', 'preScore', 'score'] as const satisfies readonly BuiltInPoint[]

/** A row of the table. Default: weight 1, part of the default profile. */
type Row = Omit<BuiltInPlugin, 'points' | 'weight' | 'isDefault'> & Partial<BuiltInPlugin>

/**
 * Every built-in plugin. Those of the default profile come first, in kube-scheduler's order and with its weights;
 * Berth's own follow.
 *
 * @see kubernetes/kubernetes pkg/scheduler/apis/config/v1/default_plugins.go (v1.36)
 */
const rows: readonly Row[] = [
  {
    name: 'NodeUnschedulable',
    hint: nodeUnschedulableHint,
    create: () => nodeUnschedulable,
  },
  {
    name: 'NodeName',
    create: () => nodeName,
  },
  {
    name: 'TaintToleration',
    weight: 3,
    hint: taintTolerationHint,
    create: () => taintToleration,
  },
  {
    name: 'NodeAffinity',
    weight: 2,
    argsSchema: nodeAffinityArgsSchema,
    hint: nodeAffinityHint,
    create: nodeAffinity,
  },
  {
    name: 'NodePorts',
    hint: nodePortsHint,
    create: () => nodePorts,
  },
  {
    name: 'NodeResourcesFit',
    argsSchema: nodeResourcesFitArgsSchema,
    hint: nodeResourcesFitHint,
    create: nodeResourcesFit,
  },
  {
    name: 'VolumeRestrictions',
    hint: volumeRestrictionsHint,
    create: () => volumeRestrictions,
  },
  {
    name: 'NodeVolumeLimits',
    hint: nodeVolumeLimitsHint,
    create: nodeVolumeLimits,
  },
  {
    name: 'VolumeBinding',
    hint: volumeBindingHint,
    create: () => volumeBinding,
  },
  {
    name: 'VolumeZone',
    hint: volumeZoneHint,
    create: () => volumeZone,
  },
  {
    name: 'PodTopologySpread',
    weight: 2,
    argsSchema: podTopologySpreadArgsSchema,
    hint: podTopologySpreadHint,
    create: podTopologySpread,
  },
  {
    name: 'InterPodAffinity',
    weight: 2,
    argsSchema: interPodAffinityArgsSchema,
    hint: interPodAffinityHint,
    create: interPodAffinity,
  },
  {
    name: DEFAULT_PREEMPTION,
    points: ['postFilter'],
    argsSchema: defaultPreemptionArgsSchema,
    create: defaultPreemption,
  },
  {
    name: 'NodeResourcesBalancedAllocation',
    argsSchema: balancedAllocationArgsSchema,
    create: balancedAllocation,
  },
  {
    name: 'ImageLocality',
    create: () => imageLocality,
  },
  {
    name: 'NodeDeclaredFeatures',
    hint: nodeDeclaredFeaturesHint,
    create: () => nodeDeclaredFeatures,
  },
  {
    name: 'NodeResourcesFragmentation',
    isDefault: false,
    argsSchema: fragmentationArgsSchema,
    create: resourcesFragmentation,
  },
]

/** Every built-in plugin, in the order of the table. */
export const builtInPlugins: readonly BuiltInPlugin[] = rows.map((row) => {
  const plugin = row.create()
  return { weight: 1, isDefault: true, points: decidePoints.filter((point) => plugin[point] !== undefined), ...row }
})

const byName: ReadonlyMap<string, BuiltInPlugin> = new Map(builtInPlugins.map((plugin) => [plugin.name, plugin]))

/** Returns the built-in plugin with this name; undefined if there is none. */
export function findBuiltIn(name: string): BuiltInPlugin | undefined {
  return byName.get(name)
}

/** Returns whether the plugin decides on nodes. The others run in the scheduler only, after the decision. */
export function decidesOnNodes({ points }: BuiltInPlugin): boolean {
  return decidePoints.some((point) => points.includes(point))
}
