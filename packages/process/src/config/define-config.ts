import { z } from 'zod'
import type { ArgumentDefinition, Example } from '../command/command-definition.ts'
import { ConfigError } from '../errors.ts'
import { isHostPort } from '../host-port.ts'
import { logFormats, type LogFormat } from '../log-format.ts'
import { logLevels } from '../log-level.ts'
import type { LogLevel } from '../log-level.ts'

/** The command-line syntax of a key, beyond the flag named after it in kebab case. */
export interface FlagOptions {
  /** One letter: `n` makes `-n`. */
  readonly short?: string
  /** Stands for the value in the help: `FILE`. Default: derived from the type. */
  readonly placeholder?: string
}

/** Options of {@link defineConfig}. */
export interface ConfigDefinitionOptions<Schema extends z.ZodObject, Address extends string | undefined = undefined> {
  /** Name in the shell: `scheduler`. Its environment variables are `BERTH_SCHEDULER_<KEY>`. */
  readonly name: string
  /** One sentence about what the program does. */
  readonly summary: string
  /**
   * A `z.strictObject` with camelCase keys, each with `.describe()`. Keys for log level, log format and health address are added.
   * With an own key `config`, no configuration file is read: the program reads a file of another format itself.
   */
  readonly schema: Schema
  /** Command-line syntax by key. */
  readonly flags?: Readonly<Record<string, FlagOptions>>
  /** Example command lines for the help; at least one. */
  readonly examples: readonly Example[]
  /** Arguments besides the flags. */
  readonly positionals?: readonly ArgumentDefinition[]
  /** Default address of health and metrics: `0.0.0.0:9402`. Omit to serve neither and to have no such key. */
  readonly healthAddress?: Address
}

/** The keys that all programs share. */
export type CommonValues<Address extends string | undefined> = {
  readonly logLevel: LogLevel
  readonly logFormat: LogFormat
} & (Address extends string ? { readonly healthAddress: string } : unknown)

/** The effective values of a program's own keys and the common keys. */
export type ConfigValues<Schema extends z.ZodObject, Address extends string | undefined> = Readonly<z.output<Schema>> &
  CommonValues<Address>

/**
 * The configuration of one program. An app exports it from `apps/<app>/src/config.ts` as `configDefinition`, and
 * that file does nothing when it is imported: tools/generate.ts imports it to write docs/config.md.
 */
export interface ConfigDefinition<
  Schema extends z.ZodObject = z.ZodObject,
  Address extends string | undefined = string | undefined,
> extends ConfigDefinitionOptions<Schema, Address> {
  /** The program's own keys and the common keys. */
  readonly fullSchema: z.ZodObject
  /** `BERTH_SCHEDULER_`. */
  readonly envPrefix: string
  /** Whether `--config FILE` is read into these keys; false when the schema has an own key `config`. */
  readonly readsFile: boolean
}

/** The values of a definition: `ConfigOf<typeof configDefinition>`. */
export type ConfigOf<Definition> =
  Definition extends ConfigDefinition<infer Schema, infer Address> ? ConfigValues<Schema, Address> : never

const keyPattern = /^[a-z][a-zA-Z0-9]*$/
// A Service named berth-<name> makes the kubelet set BERTH_<NAME>_PORT and the like in every container of its namespace.
const serviceVariable = /^(?:port(?:[0-9A-Z].*)?|serviceHost|servicePort(?:[A-Z].*)?)$/
const taken = new Set(['help', 'version', 'printConfig', 'logLevel', 'logFormat', 'healthAddress'])

/**
 * Defines the configuration of one program: the source of its flags, environment variables, file, help and documentation.
 *
 * @throws ConfigError BERTH_CONFIG_DEFINITION when a key is not camelCase, has no description, is one of the common
 *   keys, or would be set by accident by the environment variables that the kubelet sets for Services.
 */
export function defineConfig<Schema extends z.ZodObject, const Address extends string | undefined = undefined>(
  options: ConfigDefinitionOptions<Schema, Address>,
): ConfigDefinition<Schema, Address> {
  for (const [key, schema] of Object.entries(options.schema.shape)) {
    const fault = keyFault(key, schema as z.ZodType)
    if (fault !== undefined) {
      throw new ConfigError(`define config key "${key}" of ${options.name}: ${fault}`, {
        code: 'BERTH_CONFIG_DEFINITION',
      })
    }
  }
  return {
    ...options,
    fullSchema: options.schema.extend(commonShape(options.healthAddress)),
    envPrefix: `BERTH_${options.name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}_`,
    readsFile: !Object.hasOwn(options.schema.shape, 'config'),
  }
}

function keyFault(key: string, schema: z.ZodType): string | undefined {
  if (!keyPattern.test(key)) return 'it is not camelCase'
  if (taken.has(key)) return 'all programs have this key already'
  if (serviceVariable.test(key)) return 'the environment variables that the kubelet sets for a Service would set it'
  if (describedBy(schema) === undefined) return 'it has no description'
  return undefined
}

// Wrappers such as default() have no description of their own.
function describedBy(schema: z.ZodType): string | undefined {
  let current: z.ZodType | undefined = schema
  for (let depth = 0; current !== undefined && depth < 10; depth++) {
    if (current.description !== undefined) return current.description
    const def: { innerType?: z.ZodType; in?: z.ZodType } = current.def as { innerType?: z.ZodType; in?: z.ZodType }
    current = def.innerType ?? def.in
  }
  return undefined
}

function commonShape(healthAddress: string | undefined): Record<string, z.ZodType> {
  return {
    logLevel: z.enum(logLevels).default('info').describe('Minimum log level.'),
    logFormat: z
      .enum(logFormats)
      .default('auto')
      .describe('Format of the log. auto: text on a terminal, JSON otherwise.'),
    ...(healthAddress !== undefined && {
      healthAddress: z
        .string()
        .refine(isHostPort, 'expected HOST:PORT')
        .default(healthAddress)
        .describe('Address of /livez, /readyz and /metrics, as HOST:PORT. Port 0 selects any free port.'),
    }),
  }
}
