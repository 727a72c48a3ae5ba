import { parseArgs } from 'node:util'
import type { Command, Flag, Given } from './command.ts'
import { UsageError } from './errors.ts'

/** Flags of every command. */
export const commonFlags: readonly Flag[] = [{ name: 'help', short: 'h', description: 'Show this help.' }]

/** Flags of every command that talks to a cluster. */
export const clusterFlags: readonly Flag[] = [
  {
    name: 'kubeconfig',
    placeholder: 'FILE',
    description: 'Kubeconfig file; default: KUBECONFIG, then ~/.kube/config.',
  },
  { name: 'context', placeholder: 'NAME', description: 'Context of the kubeconfig; default: its current one.' },
]

/** Every flag that a command takes. */
export function flagsOf(command: Command): readonly Flag[] {
  return [...command.flags, ...(command.usesCluster ? clusterFlags : []), ...commonFlags]
}

/**
 * Reads what follows a command's name.
 *
 * @throws UsageError BERTH_KUBECTL_USAGE for a flag that the command lacks, a missing or an illegal value.
 */
export function parseCommand(command: Command, argv: readonly string[]): Given {
  const flags = flagsOf(command)
  const help = `Run: kubectl berth ${command.name} --help`
  const { values, positionals } = parse(flags, argv, help)
  const extra = positionals[command.maxWords]
  if (extra !== undefined) throw new UsageError(`${command.name}: unexpected word "${extra}"`, help)
  const given = new Map(Object.entries(values))
  for (const { name, choices } of flags) {
    const value = given.get(name)
    if (choices === undefined || typeof value !== 'string' || choices.includes(value)) continue
    throw new UsageError(`--${name} ${value}: expected one of ${choices.join(', ')}`, help)
  }
  return {
    words: positionals,
    text(flag) {
      const value = given.get(flag)
      return typeof value === 'string' ? value : undefined
    },
    texts(flag) {
      const value = given.get(flag)
      return Array.isArray(value) ? value.map(String) : []
    },
    has: (flag) => given.get(flag) === true,
  }
}

function parse(
  flags: readonly Flag[],
  argv: readonly string[],
  help: string,
): { values: Record<string, string | boolean | (string | boolean)[] | undefined>; positionals: string[] } {
  const options = Object.fromEntries(
    flags.map(({ name, short, placeholder, isRepeatable }) => [
      name,
      {
        type: placeholder === undefined ? ('boolean' as const) : ('string' as const),
        ...(short !== undefined && { short }),
        ...(isRepeatable === true && { multiple: true }),
      },
    ]),
  )
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true })
  } catch (error) {
    const said = error instanceof Error ? (error.message.split('. ')[0] ?? error.message) : String(error)
    throw new UsageError(said.replace(/\.$/, ''), help)
  }
}
