import type { ConfigSource } from './config-source.ts'
import type { z } from 'zod'
import { ConfigError } from '../errors.ts'
import type { ExitRequest } from '../exit-request.ts'
import { version } from '../version.ts'
import { deepFreeze } from './deep-freeze.ts'
import type { ConfigDefinition, ConfigValues } from './define-config.ts'
import { envSuffix, flagName } from './flag-name.ts'
import { helpText } from './help-text.ts'
import { issueSentences, pathText } from './issue-sentences.ts'
import { jsonSchema } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'
import { parseFlags } from './parse-flags.ts'
import { printConfig } from './print-config.ts'
import { readConfigFile, readFileFromDisk } from './read-config-file.ts'
import type { ReadFile } from './read-config-file.ts'
import { readTexts } from './read-text.ts'

/** A valid configuration. */
export interface LoadedConfig<Schema extends z.ZodObject, Address extends string | undefined> {
  readonly kind: 'config'
  /** Deeply frozen. */
  readonly values: ConfigValues<Schema, Address>
  /** Origin of each value, by key. */
  readonly sources: ReadonlyMap<string, ConfigSource>
  /** Arguments besides the flags. */
  readonly positionals: readonly string[]
  /** The file that was read. */
  readonly path?: string
}

/** Command line, environment and file system. */
export interface LoadConfigOptions {
  /** Without program and script: `process.argv.slice(2)`. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Default: the disk. */
  readonly readFile?: ReadFile
}

interface Layer {
  readonly source: ConfigSource
  /** Names the flag, variable or file of a key, for messages. */
  readonly place: (key: string) => string
  readonly values: ReadonlyMap<string, unknown>
}

/**
 * Loads the effective configuration. Precedence for each key: flag, environment variable, file, default.
 * Ignores unknown variables, because the kubelet sets some for each Service. Refuses unknown flags and keys.
 *
 * @returns The values, or what `runMain` prints and exits with: 0 for --help, --version and --print-config, 2 for
 *   mistakes (BERTH_CONFIG_INVALID, BERTH_CONFIG_READ).
 */
export function loadConfig<Schema extends z.ZodObject, Address extends string | undefined>(
  definition: ConfigDefinition<Schema, Address>,
  { argv, env, readFile = readFileFromDisk }: LoadConfigOptions,
): LoadedConfig<Schema, Address> | ExitRequest {
  const untyped = definition as unknown as ConfigDefinition
  const root = jsonSchema(definition.fullSchema)
  const flags = parseFlags(untyped, root, argv)
  if (flags.values.has('help')) return { kind: 'exit', code: 0, text: helpText(untyped, root) }
  if (flags.values.has('version')) return { kind: 'exit', code: 0, text: `${definition.name} ${version}\n` }

  const path = definition.readsFile
    ? (flags.values.get('config')?.at(-1) ?? env[`${definition.envPrefix}CONFIG`])
    : undefined
  let file: Readonly<Record<string, unknown>> = {}
  try {
    if (path !== undefined && path !== '') file = readConfigFile(path, readFile)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return exitWithProblems(untyped, [error.message], error.code, error.hint)
  }
  const layers = [
    flagLayer(root, flags.values),
    envLayer(root, env, definition.envPrefix),
    fileLayer(file, path ?? ''),
  ] as const
  const merged = merge(layers)
  const parsed = definition.fullSchema.safeParse(merged)
  if (!parsed.success || flags.problems.length > 0) {
    const schemaProblems = parsed.success
      ? []
      : issueSentences(parsed.error.issues, root).map(({ path, text }) => {
          const key = String(path[0] ?? '')
          const place = layers.find(({ values }) => values.has(key))?.place(key)
          return `${pathText(path) || 'configuration'}: ${text}${place === undefined ? '' : ` (${place})`}`
        })
    return exitWithProblems(untyped, [...flags.problems, ...schemaProblems], 'BERTH_CONFIG_INVALID')
  }
  const sources = new Map(
    Object.keys(parsed.data).map((key) => [key, layers.find(({ values }) => values.has(key))?.source ?? 'default']),
  )
  if (flags.values.has('printConfig')) {
    return { kind: 'exit', code: 0, text: printConfig({ effective: parsed.data, given: merged, sources }) }
  }
  return {
    kind: 'config',
    values: deepFreeze(parsed.data) as ConfigValues<Schema, Address>,
    sources,
    positionals: flags.positionals,
    ...(path !== undefined && path !== '' && { path }),
  }
}

function flagLayer(root: JsonSchema, flags: ReadonlyMap<string, readonly string[]>): Layer {
  const values = new Map<string, unknown>()
  for (const [key, schema] of Object.entries(root.properties ?? {})) {
    const texts = flags.get(key)
    if (texts !== undefined) values.set(key, readTexts(schema, texts))
  }
  return { source: 'flag', place: (key) => `from --${flagName(key)}`, values }
}

function envLayer(root: JsonSchema, env: LoadConfigOptions['env'], prefix: string): Layer {
  const values = new Map<string, unknown>()
  for (const [key, schema] of Object.entries(root.properties ?? {})) {
    const text = env[`${prefix}${envSuffix(key)}`]
    if (text !== undefined && text !== '') values.set(key, readTexts(schema, [text]))
  }
  return { source: 'env', place: (key) => `from ${prefix}${envSuffix(key)}`, values }
}

function fileLayer(file: Readonly<Record<string, unknown>>, path: string): Layer {
  return { source: 'file', place: () => `from ${path}`, values: new Map(Object.entries(file)) }
}

function merge(layers: readonly Layer[]): Readonly<Record<string, unknown>> {
  const entries = layers.toReversed().flatMap(({ values }) => [...values])
  return Object.fromEntries(entries)
}

function exitWithProblems(
  { name }: ConfigDefinition,
  problems: readonly string[],
  code: string,
  hint = `See ${name} --help.`,
): ExitRequest {
  const [only = '', ...others] = problems
  const end = /[.?]$/.test(only) ? '' : '.'
  const text =
    others.length === 0
      ? `${name}: ${only}${end} ${hint} (${code})\n`
      : `${name}: the configuration has ${problems.length} mistakes. ${hint} (${code})\n${problems.map((problem) => `  ${problem}\n`).join('')}`
  return { kind: 'exit', code: 2, text }
}
