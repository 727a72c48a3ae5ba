import type { PreemptionArgs } from '@berth/fit-engine'
import type { Logger } from '@berth/types'
import type { EffectPluginHooks } from './plugin-hooks.ts'

/**
 * A plugin of a profile with its effect hooks, which run after the decision: postFilter, reserve, permit, preBind,
 * bind, postBind.
 */
export interface EffectPlugin {
  readonly name: string
  readonly hooks: EffectPluginHooks
  readonly log: Logger
  /** Arguments of the built-in default preemption, which has no hooks; undefined for every other plugin. */
  readonly preemption?: PreemptionArgs
}
