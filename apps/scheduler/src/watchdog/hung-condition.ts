import type { Pod } from '@berth/types'

const PREFIX = 'hung-plugin.berth.dev/'

/** Returns the type of the condition of a pod for which a hook of the plugin did not return. */
export function hungConditionType(plugin: string): string {
  return `${PREFIX}${plugin}`
}

/** Returns the plugins that did not return for this pod, according to its conditions. */
export function hungPlugins(pod: Pod): readonly string[] {
  return (pod.status?.conditions ?? []).flatMap(({ type, status }) =>
    status === 'True' && type.startsWith(PREFIX) ? type.slice(PREFIX.length) : [],
  )
}
