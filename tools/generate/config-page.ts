import { configKeys } from '@berth/process/config'
import type { ConfigDefinition } from '@berth/process/config'
import type { Catalogue } from './catalogues.ts'
import { code, markdownTable } from './markdown-table.ts'

/** Returns the text of docs/config.md. */
export function configPage(catalogues: readonly Catalogue[]): string {
  const sections = catalogues.flatMap(({ config }) => (config === undefined ? [] : [section(config)]))
  return `${[
    '# Configuration',
    'Written by `tools/generate.ts` from the schemas in the code. A flag comes before an environment variable, this before the file named by `--config`, this before the default. `--print-config` shows what counts and where it comes from; unknown flags and keys are refused.',
    ...sections,
  ].join('\n\n')}\n`
}

function section(config: ConfigDefinition): string {
  const { name, summary, envPrefix, readsFile, positionals = [], examples } = config
  const rows = configKeys(config).map(({ path, flag = '', type, default: fallback, isRequired, description }) => [
    code(path),
    code(flag),
    code(type),
    isRequired ? 'required' : code(fallback ?? ''),
    description,
  ])
  return [
    `## ${name}`,
    summary,
    `Environment variables: \`${envPrefix}\` and the key in capitals (\`logLevel\` is \`${envPrefix}LOG_LEVEL\`). ${
      readsFile
        ? '`--config` names a YAML file with these keys.'
        : '`--config` names a file of another format; see the key.'
    }`,
    ...(positionals.length === 0
      ? []
      : [positionals.map((word) => `Word \`${word.name}\`: ${word.description}`).join('\n')]),
    markdownTable(['key', 'flag', 'type', 'default', 'meaning'], rows),
    ['```sh', ...examples.flatMap((example) => [`# ${example.description}`, example.command]), '```'].join('\n'),
  ].join('\n\n')
}
