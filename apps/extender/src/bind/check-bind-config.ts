import { ConfigError } from '@berth/process/errors'
import type { Config } from '../config.ts'
import type { EffectPlugin } from '../effects/effect-hooks.ts'

/**
 * Checks that everything that needs the bind verb has it.
 *
 * @throws ConfigError BERTH_EXTENDER_CONFIG_BIND with the path of the key.
 */
export function checkBindConfig(
  config: Pick<Config, 'bind' | 'ignoredResources' | 'plugins'>,
  effects: readonly EffectPlugin[],
): void {
  const { bind, ignoredResources, plugins } = config
  const [first] = ignoredResources
  if (!bind && first !== undefined) {
    throw refuse(
      `ignoredResources[0]: kube-scheduler does not count ${first}, so without bind two pods could get its last unit`,
      'Set bind to true and bindVerb in kube-scheduler, or remove ignoredByScheduler there and the resource here.',
    )
  }
  const binding = effects.find(({ hooks }) => hooks.bind !== undefined)
  if (!bind && binding !== undefined) {
    throw refuse(
      `plugins: plugin ${binding.name} has a bind hook, which never runs without bind`,
      'Set bind to true and bindVerb in kube-scheduler, or remove the plugin.',
    )
  }
  if (first !== undefined && !plugins.some(({ name }) => name === 'NodeResourcesFit')) {
    throw refuse(`ignoredResources[0]: no plugin counts ${first}`, 'Add NodeResourcesFit to plugins.')
  }
}

function refuse(message: string, hint: string): ConfigError {
  return new ConfigError(`configure bind: ${message}`, { code: 'BERTH_EXTENDER_CONFIG_BIND', hint })
}
