import { ConfigError } from '@berth/process/errors'
import { type Logger, StatusCode } from '@berth/types'
import type { ChosenPlugin, ChosenPlugins } from './choose-plugins.ts'
import type { EffectPlugin } from './effect-plugin.ts'
import type { ExtensionPoint } from './kube-scheduler-configuration.ts'
import { refuseIdlePoint } from './plugin-hooks.ts'

const PRIORITY_SORT = 'PrioritySort'
const DEFAULT_BINDER = 'DefaultBinder'

/**
 * Default plugins of kube-scheduler that this scheduler implements outside its plugins, with the extension points at
 * which they act.
 */
const pointsByPart: ReadonlyMap<string, readonly ExtensionPoint[]> = new Map<string, readonly ExtensionPoint[]>([
  ['SchedulingGates', ['preEnqueue']],
  [PRIORITY_SORT, ['queueSort']],
  // Pods with resource claims are refused by name, so this plugin has nothing to do at any of its points.
  ['DynamicResources', ['preEnqueue', 'preFilter', 'filter', 'postFilter', 'score', 'reserve', 'preBind']],
  [DEFAULT_BINDER, ['bind']],
])

/** Names of the default plugins that are parts of this scheduler instead of plugins. */
export const schedulerParts: readonly string[] = [...pointsByPart.keys()]

/** Returns whether a plugin of kube-scheduler is a part of this scheduler. */
export function isSchedulerPart(name: string): boolean {
  return pointsByPart.has(name)
}

/**
 * Refuses an entry that enables a part of the scheduler at an extension point that it does not have.
 *
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_PROFILE
 */
export function refuseIdlePart(choice: ChosenPlugin): void {
  const points = pointsByPart.get(choice.name) ?? []
  refuseIdlePoint(choice, points, [...choice.enabledAt.keys()])
}

/**
 * Refuses a profile that disables PrioritySort without another plugin that sorts the queue, or enables both.
 *
 * @param sorter - Name of the contributed plugin that sorts the queue.
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_PROFILE
 */
export function refuseMissingSorter({ plugins }: ChosenPlugins, sorter: string | undefined, path: string): void {
  const own = plugins.get(PRIORITY_SORT)
  const isSorting = own?.points.has('queueSort') ?? false
  const explicitPath = own?.enabledAt.get('queueSort')
  if (!isSorting && sorter === undefined) {
    refuse(`${path}.queueSort`, `${PRIORITY_SORT} is disabled and no other plugin sorts the queue`)
  }
  if (explicitPath !== undefined && sorter !== undefined) {
    refuse(explicitPath, `only one queue sort plugin can be enabled, and ${sorter} is enabled too`)
  }
}

/**
 * Returns the plugin that runs after all bind plugins of a profile without DefaultBinder: it fails the attempt, because
 * every bind plugin has skipped the pod. Empty for a profile with DefaultBinder, because the scheduler then binds the
 * pod itself.
 *
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_PROFILE when no plugin binds, or when a bind plugin would never run because
 * the configuration lists DefaultBinder, which binds every pod, before it.
 */
export function endOfBinders(
  { plugins, order }: ChosenPlugins,
  effects: ReadonlyMap<string, EffectPlugin>,
  { path, log }: { readonly path: string; readonly log: Logger },
): readonly EffectPlugin[] {
  const names = order.get('bind') ?? []
  const binders = names.filter((name) => effects.get(name)?.hooks.bind !== undefined)
  const own = plugins.get(DEFAULT_BINDER)
  const explicitPath = own?.enabledAt.get('bind')
  if (explicitPath !== undefined) {
    const idle = binders.find((name) => names.indexOf(name) > names.indexOf(DEFAULT_BINDER))
    if (idle !== undefined) refuse(explicitPath, `plugin ${idle} never binds, because ${DEFAULT_BINDER} is before it`)
  }
  if (own?.points.has('bind') === true) return []
  if (binders.length === 0) refuse(`${path}.bind`, `${DEFAULT_BINDER} is disabled and no other plugin binds pods`)
  const reasons = [`every bind plugin skipped the pod, and ${DEFAULT_BINDER} is disabled`]
  return [{ name: DEFAULT_BINDER, hooks: { bind: () => ({ kind: 'reject', code: StatusCode.Error, reasons }) }, log }]
}

function refuse(path: string, reason: string): never {
  throw new ConfigError(`read ${path}: ${reason}`, { code: 'BERTH_SCHEDULER_CONFIG_PROFILE' })
}
