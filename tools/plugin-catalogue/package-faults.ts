import type { BerthPlugin, PluginKind } from '@berth/plugin-api'
import { schemaKeys } from '@berth/process/config'
import { costCase } from './plugin-costs.ts'
import type { PluginPackage } from './plugin-packages.ts'

const kits: Readonly<Record<PluginKind, string>> = {
  scheduling: 'runSchedulingPlugin(',
  'device-source': 'runDeviceSource(',
  'resource-source': 'runResourceSource(',
}

/** The catalogue as it is recorded. */
export interface RecordedCatalogue {
  /** Names of the cases in the recorded output of the benchmark. */
  readonly costs: ReadonlyMap<string, number>
  /** Text of docs/plugins.md. */
  readonly page: string
}

/**
 * Lists what a package with plugins lacks in its code, files and documents.
 *
 * @returns One sentence each, with what to do; empty for a complete package.
 */
export function packageFaults(found: PluginPackage, recorded: RecordedCatalogue): readonly string[] {
  const { folder, plugins, readme, scenarios } = found
  const missing = [...scenarios].flatMap(([file, text]) => (text === undefined ? [file] : []))
  return [
    ...(plugins.length === 0 ? ['src/index.ts exports neither `plugin` nor `plugins`'] : []),
    ...(readme === undefined ? ['README.md is missing'] : []),
    ...missing.map((file) => `berth.scenarios in package.json names ${file}, which does not exist`),
    ...plugins.flatMap((plugin) => pluginFaults(plugin, found, recorded)),
  ].map((fault) => `${folder}: ${fault}`)
}

function pluginFaults(plugin: BerthPlugin, found: PluginPackage, recorded: RecordedCatalogue): readonly string[] {
  const { name, kind, argsSchema } = plugin
  const { readme = '', tests, samples, scenarios } = found
  const inReadme = (text: string): boolean => readme.includes(`\`${text}\``)
  const keys = schemaKeys(argsSchema)
  const checks: readonly (readonly [boolean, string])[] = [
    [inReadme(name), `README.md does not describe \`${name}\``],
    ...keys.map(({ path }) => [inReadme(path), `README.md does not describe the argument \`${path}\``] as const),
    ...keys.map(
      ({ path, description }) =>
        [description !== '', `the schema of ${name} does not describe ${path}: add .describe(…)`] as const,
    ),
    [tests.some((text) => text.includes(kits[kind])), `no test calls ${kits[kind]}…) of @berth/plugin-api/testing`],
    [Object.hasOwn(samples, name), `test/sample.ts does not export \`samples\` with the key ${name}`],
    [
      [...scenarios.values()].some((text) => text?.includes(name)),
      `no scenario runs ${name}: name a check of e2e or a test of an app that does in berth.scenarios of package.json`,
    ],
    [
      recorded.costs.has(costCase(plugin)),
      `no cost of ${name} is recorded: run node -C @berth/source bench/plugins/record-costs.ts`,
    ],
    [
      recorded.page.includes(`[\`${name}\`](../${found.folder}/README.md)`),
      `docs/plugins.md has no row for ${name}: run node -C @berth/source tools/generate.ts`,
    ],
  ]
  return checks.flatMap(([holds, fault]) => (holds ? [] : [fault]))
}
