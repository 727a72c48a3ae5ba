import type { Pod } from '@berth/types'
import type { EnginePlugin } from '../framework/engine-plugin.ts'
import type { Framework } from '../framework/framework.ts'
import { findBuiltIn } from '../profile/built-in-plugins.ts'
import type { EventTopic } from '../framework/event-topic.ts'
import type { RoomDemand } from '../framework/room-demand.ts'

/** Which events may help a pod that a plugin rejected. */
export interface Interests {
  /** Topics of such events. The plugin's hint decides about each of them. */
  readonly topics: readonly EventTopic[]
  /** More room on a node for this demand may help, too; undefined: room does not matter to the plugin. */
  readonly room?: RoomDemand
}

/**
 * Returns which events may help the pod that a built-in plugin of the profile rejected; undefined when every event may,
 * so that the plugin's hint must be asked about each.
 */
export function interestsOf({ plugins }: Framework, pluginName: string, pod: Pod): Interests | undefined {
  if (findBuiltIn(pluginName) === undefined) return undefined
  const plugin: EnginePlugin | undefined = plugins.find(({ plugin: { name } }) => name === pluginName)?.plugin
  const topics = plugin?.eventTopics?.(pod)
  if (plugin === undefined || topics === undefined) return undefined
  const room = plugin.roomDemand?.(pod)
  return { topics, ...(room !== undefined && { room }) }
}
