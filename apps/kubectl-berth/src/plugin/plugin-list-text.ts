import type { CsvTable } from '../output/csv-text.ts'
import type { Paint } from '../output/paint.ts'
import { wrapSentence } from '../output/wrap-sentence.ts'
import type { PluginArgument, PluginDescription } from './describe-plugin.ts'

/** The plugins of a directory. */
export interface PluginList {
  readonly plugins: readonly PluginDescription[]
  readonly problems: readonly { readonly path: string; readonly message: string; readonly fix?: string }[]
}

/** Renders one block per plugin, then the problems. */
export function pluginListText(
  { plugins, problems }: PluginList,
  { columns, paint }: { readonly columns: number; readonly paint: Paint },
): string {
  const indented = (text: string): readonly string[] => wrapSentence(text, columns, 2)
  const blocks = plugins.map(({ name, kind, description, origin, hooks, args }) => [
    `${paint('strong', name)}  ${kind}`,
    ...indented(description),
    ...indented(`Hooks: ${hooks?.join(', ') ?? unknownHooks(args)}`),
    ...(args === undefined || args.length === 0
      ? indented(`Arguments: ${args === undefined ? 'unknown' : 'none'}`)
      : args.flatMap((argument) => indented(argumentText(argument)))),
    ...indented(`From: ${origin}`),
  ])
  const faults = problems.map(({ message, fix }) => [
    paint('bad', 'PROBLEM'),
    ...indented(message),
    ...(fix === undefined ? [] : indented(`Fix: ${fix}`)),
  ])
  return `${[...blocks, ...faults].map((lines) => lines.join('\n')).join('\n\n')}\n`
}

/** Returns one record for each plugin, then one for each problem. Lists are joined with spaces. */
export function pluginListCsv({ plugins, problems }: PluginList): CsvTable {
  return {
    columns: ['name', 'kind', 'description', 'origin', 'hooks', 'arguments', 'problem'],
    rows: [
      ...plugins.map(({ name, kind, description, origin, hooks = [], args = [] }) => [
        name,
        kind,
        description,
        origin,
        hooks.join(' '),
        args.map((argument) => argument.name).join(' '),
      ]),
      ...problems.map(({ path, message }) => ['', '', '', path, '', '', message]),
    ],
  }
}

function unknownHooks(args: readonly PluginArgument[] = []): string {
  return args.some(({ isRequired }) => isRequired) ? 'unknown without its required arguments' : 'unknown'
}

function argumentText({ name, type, isRequired, default: preset, description }: PluginArgument): string {
  const value = isRequired ? 'required' : preset === undefined ? 'optional' : `default ${JSON.stringify(preset)}`
  return `Argument ${name} (${type}, ${value})${description === undefined ? '' : `: ${description}`}`
}
