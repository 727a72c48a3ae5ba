import { validateExtendedResourceName } from '@berth/types'
import { type ObjectSchema, objectSchema, pluginArgsSchema } from '../args/args-schema.ts'
import { onlyFields, refuseArgs } from '../args/refuse-args.ts'

const PLUGIN = 'NodeResourcesFragmentation'
const MAX_WEIGHT = 100
const MAX_SIZES = 64

/** Arguments of NodeResourcesFragmentation, which is Berth's own. */
export interface FragmentationArgs {
  /** Only these resources count. Absent or empty: every extended resource that the pod requests, with weight 1. */
  readonly resources?: readonly {
    readonly name: string
    /** 1 to 100; absent means 1. */
    readonly weight?: number
    /** Numbers of units that pods usually request. Absent: 2, 4, 8, ... up to the largest free amount of a node. */
    readonly blockSizes?: readonly number[]
  }[]
}

/** JSON Schema of {@link FragmentationArgs}. */
export const fragmentationArgsSchema: ObjectSchema = pluginArgsSchema({
  resources: {
    type: 'array',
    description: 'Extended resources that the score considers. Default: all that the pod requests, with weight 1.',
    items: objectSchema(
      {
        name: { type: 'string', minLength: 1, description: 'Name of the extended resource.' },
        weight: { type: 'integer', minimum: 1, maximum: MAX_WEIGHT, description: 'Share in the score. Default: 1.' },
        blockSizes: {
          type: 'array',
          items: { type: 'integer', exclusiveMinimum: 0 },
          minItems: 1,
          description: 'Numbers of units that pods usually request. Default: powers of two.',
        },
      },
      { required: ['name'] },
    ),
  },
})

/** A resource whose blocks are scored. */
export interface BlockResource {
  readonly weight: number
  /** Undefined: powers of two. */
  readonly sizes: readonly number[] | undefined
}

/**
 * Checks the arguments.
 *
 * @returns Settings by resource name; undefined when every extended resource counts equally.
 * @throws ProfileError BERTH_FIT_ARGS naming the field.
 */
export function parseFragmentationArgs(args: FragmentationArgs = {}): ReadonlyMap<string, BlockResource> | undefined {
  onlyFields(PLUGIN, '', args, ['resources'])
  if (args.resources === undefined || args.resources.length === 0) return undefined
  const parsed = new Map<string, BlockResource>()
  for (const [i, resource] of args.resources.entries()) {
    const path = `resources[${i}]`
    onlyFields(PLUGIN, path, resource, ['name', 'weight', 'blockSizes'])
    const { name, weight = 1, blockSizes } = resource
    const problem = validateExtendedResourceName(name)
    if (problem !== undefined) refuseArgs(PLUGIN, `${path}.name`, problem)
    if (parsed.has(name)) refuseArgs(PLUGIN, `${path}.name`, `${name} is listed twice`)
    if (!Number.isInteger(weight) || weight < 1 || weight > MAX_WEIGHT) {
      refuseArgs(PLUGIN, `${path}.weight`, `${weight} is not in 1..${MAX_WEIGHT}`)
    }
    parsed.set(name, { weight, sizes: blockSizes && parseSizes(blockSizes, `${path}.blockSizes`) })
  }
  return parsed
}

function parseSizes(sizes: readonly number[], path: string): readonly number[] {
  if (sizes.length === 0 || sizes.length > MAX_SIZES) {
    refuseArgs(PLUGIN, path, `${sizes.length} sizes are not in 1..${MAX_SIZES}`)
  }
  sizes.forEach((size, i) => {
    if (!Number.isSafeInteger(size) || size < 1)
      refuseArgs(PLUGIN, `${path}[${i}]`, `${size} is not an integer of 1 or more`)
  })
  return [...new Set(sizes)]
}
