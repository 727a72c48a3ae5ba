import { loadConfig, type LoadConfigOptions } from '@berth/process/config'
import { configDefinition } from '../config.ts'
import { prepareSetup, type SetupDependencies } from './prepare-setup.ts'
import type { Setup } from './setup.ts'

/**
 * Loads the configuration again and applies it. An invalid configuration is logged and counted, and the previous one
 * stays in effect. Only `resources`, `clearStaleZeros` and `sourceOrigins` change without a restart.
 */
export function reloadConfig(
  options: LoadConfigOptions &
    SetupDependencies & {
      /** The installation of this process, which holds its Lease. A reload does not change it. */
      readonly owner: string
      /** The node of this process in node mode. A reload does not change it. */
      readonly onlyNode: string | undefined
      readonly replace: (setup: Setup) => void
    },
): void {
  const { owner, onlyNode, log, metrics, replace } = options
  try {
    const loaded = loadConfig(configDefinition, options)
    if (loaded.kind === 'exit') {
      metrics.reloaded('refused')
      log.error({ reason: loaded.text }, 'Kept the previous configuration: the new one is invalid')
      return
    }
    const setup = prepareSetup({ ...loaded.values, owner, onlyNode }, options)
    replace(setup)
    metrics.reloaded('applied')
    log.info({ declarations: setup.desired.declarations.length }, 'Applied the new configuration')
  } catch (err) {
    metrics.reloaded('refused')
    log.error({ err }, 'Kept the previous configuration: the new one is invalid')
  }
}
