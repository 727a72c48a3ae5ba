import { helpFlag } from '../command/parse-command-line.ts'
import { type HelpEntry, renderHelp } from '../command/render-help.ts'
import { configKeys } from './config-keys.ts'
import type { ConfigKey } from './config-keys.ts'
import type { ConfigDefinition } from './define-config.ts'
import { isSwitch } from './parse-flags.ts'
import type { JsonSchema } from './json-schema.ts'

/** Returns the answer to `--help`: usage, arguments, examples, and flags with their nested keys. */
export function helpText(definition: ConfigDefinition, root: JsonSchema): string {
  const { name, summary, examples, positionals = [], envPrefix, readsFile } = definition
  const words = positionals.map(({ name, isRequired = false }) => (isRequired ? ` ${name}` : ` [${name}]`)).join('')
  return renderHelp({
    summary,
    usage: [`${name}${words} [flags]`],
    arguments: positionals.map(({ name: head, description: text }) => ({ head, text })),
    examples,
    flags: flagEntries(definition, root),
    notes: [
      `Each flag can also be given as an environment variable: --log-level as ${envPrefix}LOG_LEVEL. ` +
        `Precedence: flags, environment variables, ${readsFile ? 'file, ' : ''}defaults. ` +
        'Lists and objects are JSON or YAML text on the command line.',
    ],
  })
}

function flagEntries(definition: ConfigDefinition, root: JsonSchema): readonly HelpEntry[] {
  const { flags = {}, readsFile } = definition
  const entries: { head: string; text: string; details: string[] }[] = []
  for (const key of configKeys(definition)) {
    if (key.flag === undefined) {
      entries.at(-1)?.details.push(`${key.path} (${key.type}): ${sentence(key)}`)
      continue
    }
    const { short, placeholder = placeholderOf(key) } = flags[key.path] ?? {}
    const value = isSwitch(root.properties?.[key.path] ?? {}) ? '' : ` ${placeholder}`
    const head = `${short === undefined ? '' : `-${short}, `}${key.flag}${value}`
    entries.push({ head, text: sentence(key), details: [] })
  }
  return [
    ...(readsFile ? [{ head: '--config FILE', text: 'YAML file with the keys below, written in camelCase.' }] : []),
    ...entries,
    { head: '--print-config', text: 'Print the effective configuration as YAML and exit.' },
    { head: '--version', text: 'Print the version and exit.' },
    { head: '-h, --help', text: helpFlag.description },
  ]
}

function sentence({ description, default: fallback, isRequired }: ConfigKey): string {
  const end = isRequired
    ? ' Required.'
    : fallback === undefined
      ? ''
      : ` Default: ${fallback.replaceAll(/^"|"$/g, '')}.`
  return `${description}${end}`.trim()
}

function placeholderOf({ path, type }: ConfigKey): string {
  if (path === 'healthAddress') return 'HOST:PORT'
  if (type.includes('"')) return type.replaceAll('"', '').replaceAll(' ', '')
  return type === 'integer' ? 'N' : /^(?:list|map) of |^object$/.test(type) ? 'YAML' : type.toUpperCase()
}
