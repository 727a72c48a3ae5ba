import { wrap } from './wrap.ts'
import { configKeys } from './config-keys.ts'
import type { ConfigKey } from './config-keys.ts'
import type { ConfigDefinition } from './define-config.ts'
import { isSwitch } from './parse-flags.ts'
import type { JsonSchema } from './json-schema.ts'

/** The answer to --help: usage, words, flags with their nested keys, examples; no line above 80 columns but examples. */
export function helpText(definition: ConfigDefinition, root: JsonSchema): string {
  const { name, summary, examples, positionals = [], envPrefix, readsFile } = definition
  const words = positionals.map(({ name, isRequired = false }) => (isRequired ? ` ${name}` : ` [${name}]`)).join('')
  const sections = [
    wrap(summary, 0),
    `Usage:\n  ${name}${words} [flags]`,
    ...(positionals.length === 0
      ? []
      : [`Words:\n${positionals.map((word) => entry(word.name, word.description)).join('\n')}`]),
    `Examples:\n${examples.map((example) => `${wrap(`# ${example.description}`, 2, '# ')}\n  ${example.command}`).join('\n\n')}`,
    `Flags:\n${flagEntries(definition, root).join('\n')}`,
    wrap(
      `Each flag can also be given as an environment variable: --log-level as ${envPrefix}LOG_LEVEL. ` +
        (readsFile ? 'Flags come before variables, these before the file. ' : 'Flags come before variables. ') +
        'Lists and objects are JSON or YAML text on the command line.',
      0,
    ),
  ]
  return `${sections.join('\n\n')}\n`
}

function flagEntries(definition: ConfigDefinition, root: JsonSchema): readonly string[] {
  const { flags = {}, readsFile } = definition
  const entries = configKeys(definition).map((key) => {
    if (key.flag === undefined) return nestedEntry(key)
    const { short, placeholder = placeholderOf(key) } = flags[key.path] ?? {}
    const value = isSwitch(root.properties?.[key.path] ?? {}) ? '' : ` ${placeholder}`
    return entry(`${short === undefined ? '' : `-${short}, `}${key.flag}${value}`, sentence(key))
  })
  return [
    ...(readsFile ? [entry('--config FILE', 'YAML file with the keys below, written in camelCase.')] : []),
    ...entries,
    entry('--print-config', 'Print the effective configuration as YAML and exit.'),
    entry('--version', 'Print the version and exit.'),
    entry('-h, --help', 'Print this text and exit.'),
  ]
}

function entry(head: string, text: string): string {
  return `  ${head}\n${wrap(text, 6)}`
}

function nestedEntry(key: ConfigKey): string {
  return wrap(`${key.path} (${key.type}): ${sentence(key)}`, 6, '  ')
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
