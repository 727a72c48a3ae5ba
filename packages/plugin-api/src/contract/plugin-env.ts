import type { Clock, Logger, Random } from '@berth/types'

/** Version of the three contracts. A plugin says which one it was written for; a host refuses any other. */
export const PLUGIN_API_VERSION = 1

/** Everything of the world that a plugin is given when it is created. */
export interface PluginEnv {
  /** Each line carries the name of the plugin; the registry sees to that. */
  readonly log: Logger
  readonly clock: Clock
  /** For effects only: decide hooks take randomness from their context, so that a decision can be replayed. */
  readonly random: Random
}
