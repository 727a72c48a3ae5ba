import { qualifiedNameProblem } from '@berth/types'
import { leastAllocated } from './strategies/least-allocated.ts'
import { mostAllocated } from './strategies/most-allocated.ts'
import { requestedToCapacityRatio, type ShapePoint } from './strategies/requested-to-capacity-ratio.ts'
import type { ScoringStrategy } from './strategies/scoring-strategy.ts'
import { type ObjectSchema, objectSchema, pluginArgsSchema } from '../args/args-schema.ts'
import { onlyFields, refuseArgs } from '../args/refuse-args.ts'
import { type ResourceWeight, resourceWeightsSchema } from '../args/resource-weight.ts'
import type { IgnoredResources } from './demand.ts'

const PLUGIN = 'NodeResourcesFit'
const MAX_WEIGHT = 100
const MAX_UTILIZATION = 100
const MAX_SHAPE_SCORE = 10

/** `kubescheduler.config.k8s.io/v1` ScoringStrategy. */
export interface ScoringStrategyArgs {
  readonly type?: 'LeastAllocated' | 'MostAllocated' | 'RequestedToCapacityRatio'
  readonly resources?: readonly ResourceWeight[]
  readonly requestedToCapacityRatio?: { readonly shape?: readonly ShapePoint[] }
}

/** `kubescheduler.config.k8s.io/v1` NodeResourcesFitArgs. */
export interface NodeResourcesFitArgs {
  readonly ignoredResources?: readonly string[]
  readonly ignoredResourceGroups?: readonly string[]
  readonly scoringStrategy?: ScoringStrategyArgs
}

/** JSON Schema of {@link NodeResourcesFitArgs}. */
export const nodeResourcesFitArgsSchema: ObjectSchema = pluginArgsSchema({
  ignoredResources: {
    type: 'array',
    items: { type: 'string' },
    description: 'Extended resources that the filter ignores, for example because an extender counts them.',
  },
  ignoredResourceGroups: {
    type: 'array',
    items: { type: 'string' },
    description: 'Groups of extended resources that the filter ignores: the part of the name before the slash.',
  },
  scoringStrategy: objectSchema(
    {
      type: {
        type: 'string',
        enum: ['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio'],
        description: 'How the used share of a resource becomes a score.',
      },
      resources: resourceWeightsSchema,
      requestedToCapacityRatio: objectSchema(
        {
          shape: {
            type: 'array',
            items: objectSchema(
              {
                utilization: { type: 'integer', description: 'Used share in percent, 0 to 100.' },
                score: { type: 'integer', description: 'Score at that utilization, 0 to 10.' },
              },
              { required: ['utilization', 'score'] },
            ),
            description: 'Points of the line from utilization to score, in order of utilization.',
          },
        },
        { description: 'Settings of the type RequestedToCapacityRatio.' },
      ),
    },
    { description: 'How nodes are scored. Default: LeastAllocated over cpu and memory.' },
  ),
})

/** A resource and its weight, 1 or more. */
export interface WeightedResource {
  readonly name: string
  readonly weight: number
}

/** Arguments with the defaults filled in. */
export interface ParsedFitArgs {
  readonly ignored: IgnoredResources
  readonly strategy: ScoringStrategy
  readonly resources: readonly WeightedResource[]
}

const defaultResources: readonly WeightedResource[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
]

function isWholeIn(value: unknown, low: number, high: number): boolean {
  return Number.isInteger(value) && Number(value) >= low && Number(value) <= high
}

function parseResources(resources: readonly ResourceWeight[] | undefined): readonly WeightedResource[] {
  if (resources === undefined || resources.length === 0) return defaultResources
  return resources.map((resource, i) => {
    const path = `scoringStrategy.resources[${i}]`
    onlyFields(PLUGIN, path, resource, ['name', 'weight'])
    const weight = resource.weight === undefined || resource.weight === 0 ? 1 : resource.weight
    if (!isWholeIn(weight, 1, MAX_WEIGHT)) refuseArgs(PLUGIN, `${path}.weight`, `${weight} is not in 1..${MAX_WEIGHT}`)
    return { name: resource.name, weight }
  })
}

function parseShape(shape: readonly ShapePoint[] | undefined): readonly ShapePoint[] {
  const path = 'scoringStrategy.requestedToCapacityRatio.shape'
  if (shape === undefined || shape.length === 0) refuseArgs(PLUGIN, path, 'at least one point is needed')
  shape.forEach((point, i) => {
    onlyFields(PLUGIN, `${path}[${i}]`, point, ['utilization', 'score'])
    const { utilization, score } = point
    if (!isWholeIn(utilization, 0, MAX_UTILIZATION)) {
      refuseArgs(PLUGIN, `${path}[${i}].utilization`, `${utilization} is not in 0..${MAX_UTILIZATION}`)
    }
    if (!isWholeIn(score, 0, MAX_SHAPE_SCORE)) {
      refuseArgs(PLUGIN, `${path}[${i}].score`, `${score} is not in 0..${MAX_SHAPE_SCORE}`)
    }
    if (utilization <= (shape[i - 1]?.utilization ?? -1)) {
      refuseArgs(PLUGIN, `${path}[${i}].utilization`, `${utilization} is not above the one before it`)
    }
  })
  return shape
}

function parseStrategy({ type, requestedToCapacityRatio: ratio }: ScoringStrategyArgs): ScoringStrategy {
  const path = 'scoringStrategy.requestedToCapacityRatio'
  if (type === 'RequestedToCapacityRatio') {
    if (ratio === undefined) refuseArgs(PLUGIN, path, 'it is needed when type is RequestedToCapacityRatio')
    onlyFields(PLUGIN, path, ratio, ['shape'])
    return requestedToCapacityRatio(parseShape(ratio.shape))
  }
  if (ratio !== undefined) refuseArgs(PLUGIN, path, 'it has no meaning unless type is RequestedToCapacityRatio')
  if (type === 'LeastAllocated') return leastAllocated
  if (type === 'MostAllocated') return mostAllocated
  return refuseArgs(
    PLUGIN,
    'scoringStrategy.type',
    `"${String(type)}" is none of LeastAllocated, MostAllocated, RequestedToCapacityRatio`,
  )
}

/**
 * Checks the arguments and fills in upstream's defaults.
 *
 * @throws ProfileError BERTH_FIT_ARGS naming the field.
 * @see kubernetes/kubernetes pkg/scheduler/apis/config/validation/validation_pluginargs.go (v1.36)
 */
export function parseFitArgs(args: NodeResourcesFitArgs = {}): ParsedFitArgs {
  onlyFields(PLUGIN, '', args, ['ignoredResources', 'ignoredResourceGroups', 'scoringStrategy'])
  const { ignoredResources = [], ignoredResourceGroups = [], scoringStrategy = { type: 'LeastAllocated' } } = args
  onlyFields(PLUGIN, 'scoringStrategy', scoringStrategy, ['type', 'resources', 'requestedToCapacityRatio'])
  ignoredResources.forEach((name, i) => {
    const problem = qualifiedNameProblem(name)
    if (problem !== undefined) refuseArgs(PLUGIN, `ignoredResources[${i}]`, problem)
  })
  ignoredResourceGroups.forEach((group, i) => {
    const problem = group.includes('/') ? 'a resource group has no slash' : qualifiedNameProblem(group)
    if (problem !== undefined) refuseArgs(PLUGIN, `ignoredResourceGroups[${i}]`, problem)
  })
  return {
    ignored: { names: new Set(ignoredResources), groups: new Set(ignoredResourceGroups) },
    strategy: parseStrategy(scoringStrategy),
    resources: parseResources(scoringStrategy.resources),
  }
}
