import type { z } from 'zod'
import type { ConfigDefinition, ConfigValues } from '../config/define-config.ts'
import { loadConfig } from '../config/load-config.ts'
import { ConfigError } from '../errors.ts'

/**
 * Loads a configuration from the text of its file alone, as a program with `--config` does.
 *
 * @throws ConfigError with what the program would print before it exits.
 */
export function readConfiguration<Schema extends z.ZodObject, Address extends string | undefined>(
  definition: ConfigDefinition<Schema, Address>,
  text: string,
): ConfigValues<Schema, Address> {
  const loaded = loadConfig(definition, { argv: ['--config', 'app.yaml'], env: {}, readFile: () => text })
  if (loaded.kind === 'config') return loaded.values
  throw new ConfigError(loaded.text, { code: 'BERTH_CONFIG_INVALID' })
}

/**
 * Loads the configuration that `--print-config` prints for the text of a file.
 *
 * @throws ConfigError with what the program would print before it exits.
 */
export function readPrinted<Schema extends z.ZodObject, Address extends string | undefined>(
  definition: ConfigDefinition<Schema, Address>,
  text: string,
): ConfigValues<Schema, Address> {
  const argv = ['--config', 'app.yaml', '--print-config']
  const printed = loadConfig(definition, { argv, env: {}, readFile: () => text })
  return readConfiguration(definition, printed.kind === 'exit' ? printed.text : '')
}
