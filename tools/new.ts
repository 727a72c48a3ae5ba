/** `npm run new`: creates a plugin from a template, ready for `npm test`. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commandLineOrExit, refuseCommandLine, exitAs, type CommandDefinition } from '@berth/process/command'
import { nameProblem, templateKinds } from 'create-berth-plugin'
import { builtInFilter } from './new/built-in-filter.ts'
import { pluginPackage } from './new/plugin-package.ts'

const BUILT_IN = 'built-in-filter'
const root = join(import.meta.dirname, '..')
const definition: CommandDefinition = {
  name: 'npm run new --',
  summary: 'Creates a plugin with source, test and README.',
  arguments: [
    {
      name: 'KIND',
      description: 'What to create.',
      isRequired: true,
      choices: [...templateKinds.map(({ kind }) => kind), BUILT_IN],
    },
    { name: 'NAME', description: 'Name in kebab-case.', isRequired: true },
  ],
  flags: [],
  examples: [
    { command: 'npm run new -- scheduling-plugin quiet-hours', description: 'A package in plugins/quiet-hours' },
    { command: `npm run new -- ${BUILT_IN} quiet-hours`, description: 'A filter inside the engine' },
  ],
  notes: [
    ...templateKinds.map(({ kind, summary }) => `${kind}: ${summary}.`),
    `${BUILT_IN}: a filter inside packages/fit-engine, for rules that every installation needs.`,
    'Outside a checkout, create-berth-plugin creates the same plugins as projects of their own: see docs/guides/write-a-plugin.md.',
  ],
}

const [kind = '', name = ''] = commandLineOrExit(definition, process.argv.slice(2)).words
const problem = nameProblem(name)
if (problem !== undefined) exitAs(refuseCommandLine(definition, problem))
const template = templateKinds.find((candidate) => candidate.kind === kind)
const folder = template === undefined ? join('packages/fit-engine/src/plugins', name) : join('plugins', name)
if (existsSync(join(root, folder))) exitAs(refuseCommandLine(definition, `${folder} already exists`))

const files = template === undefined ? builtInFilter(root, name) : pluginPackage(root, template, name)
for (const { path, text } of files) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
const created =
  template === undefined
    ? `
  ${folder}/plugin.ts        the rule: change it first
  ${folder}/hint.ts          which changes of the cluster may help a pod that it rejected
  ${folder}/plugin.test.ts   its test
  packages/fit-engine/src/profile/built-in-plugins.ts   its entry in the table`
    : `
  ${folder}/src/index.ts        the rule: change it first
  ${folder}/src/index.test.ts   its test
  ${folder}/README.md           what it does, its arguments
  ${files.find(({ path }) => path.startsWith('apps/'))?.path}   runs it in its program
  bench/plugins/costs.jsonl   its cost: measure it again when the rule is done, with npm run bench -- plugins`
if (template === undefined) {
  complete(['oxfmt', 'packages/fit-engine/src'])
} else {
  complete(['node', 'tools/pnpm.mjs', 'install', '--prefer-offline', '--no-frozen-lockfile', '--reporter=silent'])
  complete(['node', '-C', '@berth/source', 'bench/plugins/record-costs.ts'])
}
complete(['node', '-C', '@berth/source', 'tools/generate.ts'])
console.log(`Created ${folder}.\n${created}\n\nNext: npm test`)

/** Runs a command that completes the new files. Ends this process if it fails. */
function complete([program = '', ...args]: readonly string[]): void {
  const { status } = spawnSync(program, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status === 0) return
  console.error(`cannot complete ${folder}: run ${[program, ...args].join(' ')}`)
  process.exit(1)
}
