import type { ChosenPlugins } from './choose-plugins.ts'
import type { EffectPlugin } from './effect-plugin.ts'
import { type EffectPluginHooks, hooksByPoint } from './plugin-hooks.ts'

const effectPoints = ['postFilter', 'reserve', 'permit', 'preBind', 'bind', 'postBind'] as const

/**
 * Returns the plugins with effect hooks in running order. Each extension point has an order of its own, so a plugin is
 * listed once per point, each time with the hooks of that point only.
 */
export function orderEffects(
  plugins: ReadonlyMap<string, EffectPlugin>,
  order: ChosenPlugins['order'],
): readonly EffectPlugin[] {
  return effectPoints.flatMap((point) =>
    (order.get(point) ?? []).flatMap((name) => {
      const plugin = plugins.get(name)
      if (plugin === undefined) return []
      const hooks = Object.fromEntries(
        Object.entries(plugin.hooks).filter(([hook]) => hooksByPoint[point].some((each) => each === hook)),
      ) as EffectPluginHooks
      const isPreemption = plugin.preemption !== undefined && point === 'postFilter'
      return Object.keys(hooks).length > 0 || isPreemption ? [{ ...plugin, hooks }] : []
    }),
  )
}
