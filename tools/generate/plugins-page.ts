import type { BerthPlugin, PluginKind } from '@berth/plugin-api'
import { schemaKeys } from '@berth/process/config'
import { COSTS_FILE, costCase, NO_PLUGIN, readPluginCosts } from '../plugin-catalogue/plugin-costs.ts'
import { type PluginPackage, readPluginPackages } from '../plugin-catalogue/plugin-packages.ts'
import { code, markdownTable } from './markdown-table.ts'

const programs: Readonly<Record<PluginKind, string>> = {
  scheduling: 'scheduler, extender',
  'device-source': 'device plugin',
  'resource-source': 'advertiser',
}

/** Returns the text of docs/plugins.md. */
export async function pluginsPage(root: string): Promise<string> {
  const packages = await readPluginPackages(root)
  const costs = readPluginCosts(root)
  const table = (folder: string): string =>
    markdownTable(
      ['plugin', 'kind', 'purpose', 'arguments', 'cost'],
      packages
        .filter((found) => found.folder.startsWith(folder))
        .flatMap((found) => found.plugins.map((plugin) => row(plugin, found, costs))),
    )
  return `${[
    '# Plugins',
    'Written by `tools/generate.ts` from the packages in `plugins/` and `examples/plugins/`. [Write a plugin](guides/write-a-plugin.md) and [bring it into a cluster](guides/deliver-plugins.md). The filters and scores of kube-scheduler are part of the engine: [built-in plugins](built-in-plugins.md).',
    '## Plugins in this repository',
    'Berth places pods that request extended resources: units such as GPUs, dongles or licences that a node offers in addition to cpu and memory. A *policy* is a scheduling plugin that the scheduler and the extender, a webhook of kube-scheduler, run in the same way. The chaos plugins are stable; the other policies are beta: their arguments may still change.',
    table('plugins/'),
    '## Templates',
    '`npm run new` copies these packages.',
    table('examples/plugins/'),
    '## Kinds',
    markdownTable(
      ['kind', 'runs in'],
      Object.entries(programs).map(([kind, program]) => [kind, program]),
    ),
    '## Costs',
    `\`npm run bench -- plugins\` measured them on two cores of a shared machine; \`${COSTS_FILE}\` has the complete output. The table shows the fastest sample, which other load affects least. Every plugin runs through the loader, with the sample in the \`test\` folder of its package.`,
    [
      `- A scheduling plugin: one decision over 5,000 nodes with this plugin alone. Without any plugin it takes ${costText(costs.get(NO_PLUGIN))}.`,
      '- A resource source: the amounts of 5,000 nodes.',
      '- A device source runs on each node: its first inventory, and one allocation.',
    ].join('\n'),
  ].join('\n\n')}\n`
}

function row(plugin: BerthPlugin, { folder }: PluginPackage, costs: ReadonlyMap<string, number>): readonly string[] {
  const { kind, name, description, argsSchema } = plugin
  const args = schemaKeys(argsSchema).map(({ path, type, default: fallback }) =>
    [code(path), `(${type}${fallback === undefined ? '' : `, default ${fallback}`})`].join(' '),
  )
  const cost = costText(costs.get(costCase(plugin)))
  return [
    `[${code(name)}](../${folder}/README.md)`,
    kind,
    description,
    args.length === 0 ? 'none' : args.join(', '),
    kind === 'device-source' ? `${cost} per node` : cost,
  ]
}

function costText(us: number | undefined): string {
  if (us === undefined) return 'not measured'
  return us < 1000 ? `${Number(us.toPrecision(2))} µs` : `${Number((us / 1000).toPrecision(2))} ms`
}
