import { PluginError } from '../errors.ts'
import type { SchedulingHooks } from '../contract/scheduling-plugin.ts'
import { refuseUnknownHooks } from '../checks/refuse-unknown-hooks.ts'

/** A program that runs scheduling plugins. */
export type SchedulingHost = 'scheduler' | 'extender'

/** Name of a hook. */
export type HookName = keyof SchedulingHooks

const both: readonly SchedulingHost[] = ['scheduler', 'extender']

/** The programs that run each hook, in the order of a scheduling cycle. A hook with an empty list is refused everywhere. */
export const hookHosts: Readonly<Record<HookName, readonly SchedulingHost[]>> = {
  preEnqueue: ['scheduler'],
  // The extender has no queue. Unlike any other hook, a hint that is not called ignores no rule.
  queueingHint: both,
  queueSort: ['scheduler'],
  preFilter: both,
  filter: both,
  postFilter: ['scheduler'],
  preScore: both,
  score: both,
  normalizeScore: both,
  bindingAnnotations: both,
  reserve: ['scheduler'],
  unreserve: ['scheduler'],
  permit: ['scheduler'],
  preBind: ['scheduler'],
  bind: both,
  postBind: ['scheduler'],
  // kube-scheduler offers its victims to extenders only.
  processPreemption: ['extender'],
}

/** Every hook, in the order of a scheduling cycle. */
export const hookNames: readonly HookName[] = Object.keys(hookHosts) as HookName[]

/** The hooks that can reject a pod, after which queueingHint decides when it is tried again. */
const rejectingHooks: readonly HookName[] = [
  'preEnqueue',
  'preFilter',
  'filter',
  'reserve',
  'permit',
  'preBind',
  'bind',
]

/**
 * Checks at start that a program can run every hook of a plugin. A skipped hook would be an ignored constraint.
 *
 * @throws PluginError BERTH_PLUGIN_HOOK_UNSUPPORTED naming the plugin and the hooks, also for a function whose name is
 * not a hook, and for a plugin without hooks.
 */
export function refuseUnsupportedHooks(host: SchedulingHost, hooks: SchedulingHooks, name: string): void {
  const action = `use plugin ${name} in the ${host}`
  refuseUnknownHooks(hooks, hookNames, action)
  const present = [...new Set([...Object.keys(hooks), ...hookNames])]
    .map((hook) => hook as HookName)
    .filter((hook) => hookNames.includes(hook) && hooks[hook] !== undefined)
  if (present.length === 0) {
    throw refusal(`${action}: it has no hook`, { hint: 'Return at least one hook from create.' })
  }
  const refused = present.filter((hook) => !hookHosts[hook].includes(host))
  if (refused.length > 0) {
    const [runner] = refused.flatMap((hook) => hookHosts[hook])
    const these = refused.length === 1 ? 'this hook' : 'these hooks'
    throw refusal(`${action}: it cannot run ${refused.join(', ')}`, {
      hint: `Only the ${runner} runs ${these}.`,
    })
  }
  if (hooks.queueingHint !== undefined && !rejectingHooks.some((hook) => hooks[hook] !== undefined)) {
    throw refusal(`${action}: queueingHint never runs, because the plugin rejects no pod`, {
      hint: 'Add a hook that rejects pods, or remove queueingHint.',
    })
  }
  const idle =
    hooks.score === undefined ? present.find((hook) => hook === 'preScore' || hook === 'normalizeScore') : undefined
  if (idle !== undefined) {
    throw refusal(`${action}: ${idle} never runs, because the plugin has no score`, {
      hint: `Add score, or remove ${idle}.`,
    })
  }
}

function refusal(message: string, { hint }: { readonly hint: string }): PluginError {
  return new PluginError(message, { code: 'BERTH_PLUGIN_HOOK_UNSUPPORTED', hint })
}
