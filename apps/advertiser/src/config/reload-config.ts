import { loadConfig, type LoadConfigOptions } from '@berth/process/config'
import type { Setup } from '../advertiser.ts'
import { configDefinition } from '../config.ts'
import { prepareSetup, type SetupParts } from './prepare-setup.ts'

/**
 * Reads the configuration again and goes on with it. A configuration that is not usable changes nothing: it is
 * logged and counted, and the old one stays. Only `resources` and `adopt` change without a restart.
 */
export function reloadConfig(
  options: LoadConfigOptions & SetupParts & { readonly replace: (setup: Setup) => void },
): void {
  const { log, metrics, replace } = options
  try {
    const loaded = loadConfig(configDefinition, options)
    if (loaded.kind === 'exit') {
      metrics.reloaded('refused')
      log.error({ reason: loaded.text }, 'Kept the old configuration: the new one is not usable')
      return
    }
    const setup = prepareSetup(loaded.values, options)
    replace(setup)
    metrics.reloaded('applied')
    log.info({ declarations: setup.wanted.declarations.length }, 'Went on with the new configuration')
  } catch (err) {
    metrics.reloaded('refused')
    log.error({ err }, 'Kept the old configuration: the new one is not usable')
  }
}
