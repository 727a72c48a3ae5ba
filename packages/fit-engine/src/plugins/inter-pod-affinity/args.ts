import { type ObjectSchema, pluginArgsSchema } from '../args/args-schema.ts'
import { onlyFields, refuseArgs } from '../args/refuse-args.ts'

const PLUGIN = 'InterPodAffinity'
const DEFAULT_HARD_WEIGHT = 1
const MAX_HARD_WEIGHT = 100

/** `kubescheduler.config.k8s.io/v1` InterPodAffinityArgs. */
export interface InterPodAffinityArgs {
  /** 0 to 100; absent means 1. */
  readonly hardPodAffinityWeight?: number
  readonly ignorePreferredTermsOfExistingPods?: boolean
}

/** JSON Schema of {@link InterPodAffinityArgs}. */
export const interPodAffinityArgsSchema: ObjectSchema = pluginArgsSchema({
  hardPodAffinityWeight: {
    type: 'integer',
    minimum: 0,
    maximum: MAX_HARD_WEIGHT,
    description: 'Score weight of required affinity terms of existing pods that select the pod. Default: 1.',
  },
  ignorePreferredTermsOfExistingPods: {
    type: 'boolean',
    description: 'Skip preferred terms of existing pods where the pod has none of its own. Default: false.',
  },
})

/** Arguments with the defaults filled in. */
export interface ParsedInterPodAffinityArgs {
  readonly hardWeight: number
  /** Preferred terms of existing pods do not count for pods without preferred terms of their own. */
  readonly ignoresExistingPreferences: boolean
}

/**
 * Checks the arguments and fills in upstream's defaults.
 *
 * @throws ProfileError BERTH_FIT_ARGS naming the field.
 * @see kubernetes/kubernetes pkg/scheduler/apis/config/validation/validation_pluginargs.go (v1.36)
 */
export function parseInterPodAffinityArgs(args: InterPodAffinityArgs = {}): ParsedInterPodAffinityArgs {
  onlyFields(PLUGIN, '', args, ['hardPodAffinityWeight', 'ignorePreferredTermsOfExistingPods'])
  const hardWeight = args.hardPodAffinityWeight ?? DEFAULT_HARD_WEIGHT
  if (!Number.isInteger(hardWeight) || hardWeight < 0 || hardWeight > MAX_HARD_WEIGHT) {
    refuseArgs(PLUGIN, 'hardPodAffinityWeight', `${hardWeight} is not in 0..${MAX_HARD_WEIGHT}`)
  }
  return { hardWeight, ignoresExistingPreferences: args.ignorePreferredTermsOfExistingPods === true }
}
