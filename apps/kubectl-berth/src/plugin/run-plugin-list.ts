import { createPluginRegistry, inspectPlugins, PluginError, type InspectedModule } from '@berth/plugin-api'
import type { CommandLine } from '@berth/process/command'
import type { CommandContext } from '../cli/command.ts'
import { CommandError } from '../errors.ts'
import { paintFor } from '../output/paint.ts'
import { inFormat, isForPeople, outputFormat } from '../output/output-format.ts'
import { describePlugin } from './describe-plugin.ts'
import { pluginListCsv, pluginListText, type PluginList } from './plugin-list-text.ts'

/**
 * Runs `kubectl berth plugin list`.
 *
 * @throws CommandError BERTH_KUBECTL_PLUGIN after the list, if a program would refuse to start; PluginError
 * BERTH_PLUGIN_DIR.
 */
export async function runPluginList(
  line: CommandLine,
  { terminal, builtInPlugins }: Pick<CommandContext, 'terminal' | 'builtInPlugins'>,
): Promise<void> {
  const dir = line.text('plugin-dir')
  const builtIn: readonly InspectedModule[] = [{ path: 'built in', plugins: await builtInPlugins() }]
  const modules = dir === undefined ? builtIn : await inspectPlugins(dir, { isPluginDir: true })
  const found = modules.flatMap(({ path, plugins }) => plugins.map((plugin) => ({ plugin, origin: path })))
  const described = found.map(({ plugin, origin }) => ({ origin, ...describePlugin(plugin, { origin, terminal }) }))
  const refused = described.flatMap(({ origin, problem }) => (problem === undefined ? [] : { path: origin, problem }))
  const failed = modules.flatMap(({ path, problem }) => (problem === undefined ? [] : { path, problem }))
  const problems = [...failed, ...refused, ...duplicates(found)].map(({ path, problem }) => ({
    path,
    message: problem.message,
    ...(problem.hint !== undefined && { fix: problem.hint }),
  }))
  const list: PluginList = {
    plugins: described.map(({ description }) => description),
    problems,
  }
  const format = outputFormat(line)
  const isEmpty = found.length + problems.length === 0
  if (isEmpty && isForPeople(format)) terminal.note(`${dir ?? 'The image'} contains no plugin.\n`)
  else
    terminal.out(
      inFormat(format, {
        text: () => pluginListText(list, { columns: terminal.columns, paint: paintFor(terminal) }),
        value: () => list,
        csv: () => pluginListCsv(list),
      }),
    )
  if (problems.length > 0) {
    throw new CommandError(`a program would not start with ${dir ?? 'these plugins'}`, {
      code: 'BERTH_KUBECTL_PLUGIN',
      hint: 'Fix the problems in the list.',
    })
  }
}

/** Returns the error for two plugins of one kind and name. */
function duplicates(
  found: Parameters<typeof createPluginRegistry>[0],
): readonly { readonly path: string; readonly problem: PluginError }[] {
  try {
    createPluginRegistry(found)
    return []
  } catch (error) {
    if (!(error instanceof PluginError)) throw error
    return [{ path: '', problem: error }]
  }
}
