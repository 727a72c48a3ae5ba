import { type ObjectSchema, pluginArgsSchema } from '../args/args-schema.ts'
import { onlyFields, refuseArgs } from '../args/refuse-args.ts'
import { type ResourceWeight, resourceWeightsSchema } from '../args/resource-weight.ts'

const PLUGIN = 'NodeResourcesBalancedAllocation'

/** `kubescheduler.config.k8s.io/v1` NodeResourcesBalancedAllocationArgs. */
export interface BalancedAllocationArgs {
  readonly resources?: readonly ResourceWeight[]
}

/** JSON Schema of {@link BalancedAllocationArgs}. */
export const balancedAllocationArgsSchema: ObjectSchema = pluginArgsSchema({ resources: resourceWeightsSchema })

/**
 * Checks the arguments and fills in upstream's defaults.
 *
 * @returns Names of the resources to balance.
 * @throws ProfileError BERTH_FIT_ARGS naming the field.
 * @see kubernetes/kubernetes pkg/scheduler/apis/config/validation/validation_pluginargs.go (v1.36)
 */
export function parseBalancedAllocationArgs(args: BalancedAllocationArgs = {}): readonly string[] {
  onlyFields(PLUGIN, '', args, ['resources'])
  if (args.resources === undefined || args.resources.length === 0) return ['cpu', 'memory']
  const seen = new Set<string>()
  args.resources.forEach((resource, i) => {
    onlyFields(PLUGIN, `resources[${i}]`, resource, ['name', 'weight'])
    const { name, weight } = resource
    if (weight !== undefined && weight !== 0 && weight !== 1) {
      refuseArgs(PLUGIN, `resources[${i}].weight`, `${weight} is not 1`)
    }
    if (seen.has(name)) refuseArgs(PLUGIN, `resources[${i}].name`, `${name} is listed twice`)
    seen.add(name)
  })
  return [...seen]
}
