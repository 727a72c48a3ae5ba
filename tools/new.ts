/** `npm run new`: creates a package from a template, ready for `npm test`. */
import { type CommandDefinition, commandLineOrExit, exitAs, refuseCommandLine } from '@berth/process/command'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nameProblem } from './new/name-problem.ts'
import { pluginPackage } from './new/plugin-package.ts'
import { templateKinds } from './new/template-kinds.ts'

const root = join(import.meta.dirname, '..')
const command: CommandDefinition = {
  name: 'npm run new --',
  summary: 'Creates the package plugins/NAME with source, arguments schema, test and README.',
  arguments: [
    {
      name: 'KIND',
      description: templateKinds.map(({ kind, summary }) => `${kind}: ${summary}.`.replace('..', '.')).join(' '),
      isRequired: true,
      choices: templateKinds.map(({ kind }) => kind),
    },
    { name: 'NAME', description: 'Name of the package and its folder.', isRequired: true },
  ],
  flags: [],
  examples: [
    {
      command: 'npm run new -- scheduling-plugin quiet-hours',
      description: 'A scheduling plugin in plugins/quiet-hours',
    },
  ],
}

function refuse(reason: string): never {
  return exitAs(refuseCommandLine(command, `cannot create a package: ${reason}`))
}

const [kind = '', name = ''] = commandLineOrExit(command, process.argv.slice(2)).words
const template = templateKinds.find((candidate) => candidate.kind === kind)
if (template === undefined) refuse(`unknown kind ${kind}`)
const problem = nameProblem(name)
if (problem !== undefined) refuse(problem)
const folder = join('plugins', name)
if (existsSync(join(root, folder))) refuse(`${folder} exists already`)

for (const { path, text } of pluginPackage(root, template, name)) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
console.log(`Created ${folder}. Linking its dependencies …`)
const install = ['tools/pnpm.mjs', 'install', '--prefer-offline', '--no-frozen-lockfile', '--reporter=silent']
const { status } = spawnSync(process.execPath, install, { cwd: root, stdio: 'inherit' })
if (status !== 0) {
  console.error(`cannot link the dependencies of ${folder}: run node tools/pnpm.mjs install`)
  process.exit(1)
}
console.log(`
  ${folder}/src/index.ts        the rule: change it first
  ${folder}/src/index.test.ts   its test
  ${folder}/README.md           what it does, its arguments

Next: npm test`)
