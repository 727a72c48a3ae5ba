import { nearestName } from '@berth/text/nearest-name'
import { PluginError } from '../errors.ts'
import type { SchedulingHooks } from '../contract/scheduling-plugin.ts'

/** A program that runs scheduling plugins. */
export type SchedulingHost = 'scheduler' | 'extender'

/** Name of a hook. */
export type HookName = keyof SchedulingHooks

const both: readonly SchedulingHost[] = ['scheduler', 'extender']

/** The programs that run each hook, in the order of a scheduling cycle. A hook with an empty list is refused everywhere. */
export const hookHosts: Readonly<Record<HookName, readonly SchedulingHost[]>> = {
  queueSort: ['scheduler'],
  preFilter: both,
  filter: both,
  postFilter: ['scheduler'],
  preScore: both,
  score: both,
  normalizeScore: both,
  reserve: ['scheduler'],
  unreserve: ['scheduler'],
  permit: ['scheduler'],
  preBind: ['scheduler'],
  bind: ['scheduler'],
  postBind: ['scheduler'],
  processPreemption: [],
}

/**
 * Checks at start that a program can run every hook of a plugin. A skipped hook would be an ignored constraint.
 *
 * @throws PluginError BERTH_PLUGIN_HOOK_UNSUPPORTED naming the plugin and the hooks, also for a function whose name is not a hook.
 */
export function refuseUnsupportedHooks(host: SchedulingHost, hooks: SchedulingHooks, name: string): void {
  const functions = Object.entries(hooks).filter(([, value]) => typeof value === 'function')
  const known = Object.keys(hookHosts)
  for (const [hook] of functions) {
    if (known.includes(hook)) continue
    const nearest = nearestName(hook, known)
    throw refusal(`use plugin ${name} in the ${host}: "${hook}" is not a hook`, {
      hint: nearest === undefined ? `Hooks are ${known.join(', ')}.` : `Did you mean "${nearest}"?`,
    })
  }
  const refused = functions.map(([hook]) => hook as HookName).filter((hook) => !hookHosts[hook].includes(host))
  if (refused.length === 0) return
  const [runner] = refused.flatMap((hook) => hookHosts[hook])
  const these = refused.length === 1 ? 'this hook' : 'these hooks'
  throw refusal(`use plugin ${name} in the ${host}: it cannot run ${refused.join(', ')}`, {
    hint: runner === undefined ? `No program runs ${these} yet.` : `Only the ${runner} runs ${these}.`,
  })
}

function refusal(message: string, { hint }: { readonly hint: string }): PluginError {
  return new PluginError(message, { code: 'BERTH_PLUGIN_HOOK_UNSUPPORTED', hint })
}
