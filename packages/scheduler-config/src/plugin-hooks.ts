import type { SchedulingHooks } from '@berth/plugin-api'
import { ConfigError } from '@berth/process/errors'
import type { DecidePlugin } from '@berth/types'
import type { ChosenPlugin } from './choose-plugins.ts'
import { type ExtensionPoint, extensionPoints } from './kube-scheduler-configuration.ts'

/** The hooks that run at each extension point, including hooks that only prepare it. */
export const hooksByPoint: Readonly<Record<ExtensionPoint, readonly (keyof SchedulingHooks)[]>> = {
  preEnqueue: ['preEnqueue'],
  queueSort: ['queueSort'],
  preFilter: ['preFilter'],
  filter: ['filter', 'preFilter'],
  postFilter: ['postFilter'],
  preScore: ['preScore'],
  score: ['score', 'preScore', 'normalizeScore'],
  reserve: ['reserve', 'unreserve'],
  permit: ['permit'],
  preBind: ['preBind'],
  bind: ['bind'],
  postBind: ['postBind'],
}
/** The hooks of which a plugin needs at least one to be enabled at each extension point. */
const requiredByPoint: Readonly<Record<ExtensionPoint, readonly (keyof SchedulingHooks)[]>> = {
  ...hooksByPoint,
  score: ['score'],
}
const decideHooks = [
  'preEnqueue',
  'queueingHint',
  'queueSort',
  'preFilter',
  'filter',
  'preScore',
  'score',
  'normalizeScore',
  'bindingAnnotations',
] as const
const effectHooks = ['postFilter', 'reserve', 'unreserve', 'permit', 'preBind', 'bind', 'postBind'] as const

/** The effect hooks that the scheduler runs. */
export type EffectPluginHooks = Pick<SchedulingHooks, (typeof effectHooks)[number]>

/** The hooks of a contributed plugin that run, by kind. */
export interface SelectedHooks {
  readonly decide: Pick<SchedulingHooks, (typeof decideHooks)[number]>
  /** Undefined when no effect hook runs. */
  readonly effects: EffectPluginHooks | undefined
}

/**
 * Selects the hooks of a contributed plugin that run at its extension points.
 *
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_PROFILE when the plugin has no hook for any of its extension points, or for
 * one at which an entry of the configuration enables it.
 */
export function selectHooks(choice: ChosenPlugin, hooks: SchedulingHooks): SelectedHooks {
  const { name, points, path } = choice
  const has = (hook: keyof SchedulingHooks): boolean => hooks[hook] !== undefined
  const implemented = extensionPoints.filter((point) => requiredByPoint[point].some(has))
  refuseIdlePoint(choice, implemented, extensionPoints)
  const selected = new Set(hooksAt(points).filter((hook) => hooks[hook] !== undefined))
  if (selected.size === 0) {
    throw new ConfigError(`read ${path ?? name}: plugin ${name} does not extend ${[...points].join(', ')}`, {
      code: 'BERTH_SCHEDULER_CONFIG_PROFILE',
    })
  }
  // The hint belongs to no extension point: it decides when to retry a pod, whichever hook rejected it.
  if (hooks.queueingHint !== undefined) selected.add('queueingHint')
  // Annotations belong to no extension point either: every pod that the profile binds gets them.
  if (hooks.bindingAnnotations !== undefined) selected.add('bindingAnnotations')
  return {
    decide: bindHooks(hooks, decideHooks, selected),
    effects: effectHooks.some((hook) => selected.has(hook)) ? bindHooks(hooks, effectHooks, selected) : undefined,
  }
}

/**
 * Refuses an entry that enables a built-in plugin at filter, score, postFilter or queueSort if the plugin has no such
 * hook. Other points are accepted: there, the scheduler itself does what kube-scheduler's plugin of this name does.
 *
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_PROFILE
 */
export function refuseIdleBuiltIn(choice: ChosenPlugin, implemented: readonly ExtensionPoint[]): void {
  // kube-scheduler's VolumeBinding scores with a feature gate that is off by default.
  const isScoreAccepted = choice.name === 'VolumeBinding'
  refuseIdlePoint(choice, isScoreAccepted ? [...implemented, 'score'] : implemented, [
    'filter',
    'score',
    'postFilter',
    'queueSort',
  ])
}

/**
 * Refuses an entry that enables a plugin at one of the `checked` extension points that it does not implement.
 *
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_PROFILE
 */
export function refuseIdlePoint(
  { name, enabledAt }: ChosenPlugin,
  implemented: readonly ExtensionPoint[],
  checked: readonly ExtensionPoint[],
): void {
  for (const [point, path] of enabledAt) {
    if (implemented.includes(point) || !checked.includes(point)) continue
    throw new ConfigError(`read ${path}: plugin ${name} does not extend ${point}`, {
      code: 'BERTH_SCHEDULER_CONFIG_PROFILE',
      hint: `It extends ${implemented.join(', ') || 'no extension point'}: enable it there, or remove this entry.`,
    })
  }
}

/** Fields of built-in plugins that replace their `score` hook. */
const scoreFields: ReadonlySet<string> = new Set(['uniformScore', 'scoreShape'])

/**
 * Returns a built-in plugin without the hooks of extension points at which it is disabled; undefined when no hook
 * remains. Other fields, which only the engine reads, are kept if the plugin runs at score (the two about scores) or at
 * filter (all others).
 */
export function restrictToPoints(plugin: DecidePlugin, points: ReadonlySet<ExtensionPoint>): DecidePlugin | undefined {
  const selected = new Set(hooksAt(points))
  const kept = decideHooks.filter((hook) => plugin[hook] !== undefined && selected.has(hook))
  if (kept.length === 0) return undefined
  if (decideHooks.every((hook) => plugin[hook] === undefined || selected.has(hook))) return plugin
  const engineFields = Object.entries(plugin).filter(([key]) => !decideHooks.some((hook) => hook === key))
  return {
    ...Object.fromEntries(engineFields.filter(([key]) => selected.has(scoreFields.has(key) ? 'score' : 'filter'))),
    name: plugin.name,
    ...bindHooks(plugin, decideHooks, selected),
  }
}

function hooksAt(points: ReadonlySet<ExtensionPoint>): readonly (keyof SchedulingHooks)[] {
  return [...points].flatMap((point) => hooksByPoint[point])
}

/** Copies the selected hooks as functions that keep their `this`, whether the plugin is an object or a class instance. */
function bindHooks<Name extends keyof SchedulingHooks>(
  hooks: SchedulingHooks,
  names: readonly Name[],
  selected: ReadonlySet<keyof SchedulingHooks>,
): Pick<SchedulingHooks, Name> {
  const entries = names.flatMap((name) => {
    const hook: unknown = hooks[name]
    return typeof hook === 'function' && selected.has(name) ? [[name, hook.bind(hooks) as unknown]] : []
  })
  return Object.fromEntries(entries) as Pick<SchedulingHooks, Name>
}
