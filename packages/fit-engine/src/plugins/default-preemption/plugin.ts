import type { EnginePlugin } from '../../framework/engine-plugin.ts'
import { DEFAULT_PREEMPTION, type DefaultPreemptionArgs, parseDefaultPreemptionArgs } from './args.ts'

/**
 * Default preemption as the table of built-in plugins lists it. It decides on no node: the scheduler runs `preempt` at
 * postFilter.
 *
 * @throws ProfileError BERTH_FIT_ARGS
 */
export function defaultPreemption(args?: DefaultPreemptionArgs): EnginePlugin {
  parseDefaultPreemptionArgs(args)
  return { name: DEFAULT_PREEMPTION }
}
