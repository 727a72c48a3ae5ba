import type { Clock, Logger, Random } from '@berth/types'

/** Logger, clock and randomness that a plugin receives when it is created. */
export interface PluginEnv {
  /** The registry adds the name of the plugin to each line. */
  readonly log: Logger
  readonly clock: Clock
  /** For effect hooks only. Decide hooks use the randomness of their context, so that a decision can be replayed. */
  readonly random: Random
}

/** Environment of a device source or a resource source, which is created once for each configured resource. */
export interface SourceEnv extends PluginEnv {
  /** Name of the extended resource, for example `example.com/seat`. */
  readonly resourceName: string
}
