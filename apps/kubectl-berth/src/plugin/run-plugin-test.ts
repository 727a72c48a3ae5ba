import { inspectPlugins, PluginError, type BerthPlugin } from '@berth/plugin-api'
import type { CommandLine } from '@berth/process/command'
import { errorText } from '@berth/text/error-text'
import type { CommandContext } from '../cli/command.ts'
import { readTextFile } from '../cli/read-text-file.ts'
import { CommandError, UsageError } from '../errors.ts'
import { printableLine } from '@berth/text/printable'
import { wrapText } from '../output/align-columns.ts'
import { paintFor } from '../output/paint.ts'
import { structuredText } from '../output/structured-text.ts'
import { clusterFromManifest, type ManifestCluster } from './cluster-from-manifest.ts'

/** Result of the checks of one plugin. */
interface CheckedPlugin {
  readonly name: string
  readonly kind: BerthPlugin['kind']
  readonly passed: boolean
  /** A sentence for each check that passed. Empty when one failed. */
  readonly checks: readonly string[]
  /** The rule that the plugin breaks. */
  readonly problem?: string
  readonly fix?: string
}

const HELP = 'Run: kubectl berth plugin test --help'
const defaultFix = '"What a plugin must do" in docs/guides/write-a-plugin.md explains the rule.'

/**
 * Runs `kubectl berth plugin test`.
 *
 * @throws UsageError BERTH_KUBECTL_USAGE for a plugin or arguments that cannot be read; CommandError BERTH_KUBECTL_FILE for
 * a cluster that cannot be read, BERTH_KUBECTL_PLUGIN when a check failed; PluginError when the file does not load.
 */
export async function runPluginTest(line: CommandLine, { terminal }: Pick<CommandContext, 'terminal'>): Promise<void> {
  const [file = ''] = line.words
  const args = argsOf(line.text('args'))
  const manifest = line.text('filename')
  const cluster = manifest === undefined ? undefined : await readCluster(manifest, terminal)
  const [module, ...others] = await inspectPlugins(file)
  if (module === undefined || others.length > 0)
    throw new UsageError(`${file} is a directory of plugins, not one plugin`, HELP)
  if (module.problem !== undefined) throw module.problem
  const plugins: CheckedPlugin[] = []
  for (const plugin of module.plugins) plugins.push(await checkPlugin(plugin, args, cluster))

  const format = line.text('output')
  const paint = paintFor(terminal)
  const indented = (text: string): readonly string[] =>
    wrapText(printableLine(text), terminal.columns - 4).map((part, index) => `${index === 0 ? '  ' : '    '}${part}`)
  if (format === 'json' || format === 'yaml') terminal.out(structuredText({ plugins }, format))
  else {
    for (const { name, kind, passed, checks, problem, fix } of plugins) {
      const head = `${name}  ${kind}  ${passed ? paint('good', 'passed') : paint('bad', 'FAILED')}`
      const lines = [...checks, ...(problem === undefined ? [] : [problem, `Fix: ${fix ?? defaultFix}`])]
      terminal.out(`${[head, ...lines.flatMap((text) => indented(text))].join('\n')}\n`)
    }
  }
  const failed = plugins.filter(({ passed }) => !passed)
  if (failed.length > 0) {
    throw new CommandError(`${failed.length} of ${plugins.length} plugins in ${file} failed`, {
      code: 'BERTH_KUBECTL_PLUGIN',
      hint: 'Fix the listed problems, and run the command again.',
    })
  }
}

async function checkPlugin(
  plugin: BerthPlugin,
  args: unknown,
  cluster: ManifestCluster | undefined,
): Promise<CheckedPlugin> {
  const { name, kind } = plugin
  try {
    return { name, kind, passed: true, checks: await runKit(plugin, args, cluster) }
  } catch (error) {
    if (!(error instanceof PluginError)) throw error
    const isArgs = [error, error.cause].some((one) => one instanceof PluginError && one.code === 'BERTH_PLUGIN_ARGS')
    const fix = isArgs ? `Give the arguments with --args '{"KEY": VALUE}'.` : (error.hint ?? defaultFix)
    return { name, kind, passed: false, checks: [], problem: error.message, fix }
  }
}

async function runKit(
  plugin: BerthPlugin,
  args: unknown,
  cluster: ManifestCluster | undefined,
): Promise<readonly string[]> {
  const kit = await import('@berth/plugin-api/testing')
  switch (plugin.kind) {
    case 'scheduling':
      return kit.runSchedulingPlugin(plugin, { args, ...(cluster && { nodes: cluster.samples, pods: cluster.pods }) })
    case 'device-source': {
      const devices = await kit.runDeviceSource(plugin, { args })
      return [
        `yields an inventory of ${devices.length} devices with stable ids`,
        'allocates a device, and ends when its signal is aborted',
      ]
    }
    case 'resource-source': {
      const readings = await kit.runResourceSource(plugin, { args, ...(cluster && { nodes: cluster.nodes }) })
      return readings.map(
        ({ units }, index) => `gives ${units} units to ${cluster?.nodes[index]?.metadata.name ?? 'node-a'}`,
      )
    }
  }
}

function argsOf(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new UsageError(
      `--args ${text}: ${errorText(error)}`,
      `Give JSON, for example '{"label":"example.com/rack"}'.`,
    )
  }
}

async function readCluster(file: string, terminal: CommandContext['terminal']): Promise<ManifestCluster> {
  return clusterFromManifest(await readTextFile(terminal, file), file)
}
