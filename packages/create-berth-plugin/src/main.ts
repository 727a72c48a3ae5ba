#!/usr/bin/env node
/** `npm create berth-plugin`: creates a project for a plugin, in a folder of its own. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commandLineOrExit, exitAs, refuseCommandLine, type CommandDefinition } from '@berth/process/command'
import { ask } from './ask.ts'
import { nameProblem } from './name-problem.ts'
import { standaloneFiles, type TemplateVersions } from './standalone-files.ts'
import { templateKinds } from './template-kinds.ts'

const definition: CommandDefinition = {
  name: 'npm create berth-plugin --',
  summary: 'Creates a project for a plugin of Berth: source, test, README, Dockerfile and values of the chart.',
  arguments: [
    { name: 'KIND', description: 'Kind of plugin.', choices: templateKinds.map(({ kind }) => kind) },
    { name: 'NAME', description: 'Name of the plugin and of its folder, in kebab-case.' },
  ],
  flags: [],
  examples: [
    { command: 'npm create berth-plugin', description: 'Asks for kind and name, on a terminal' },
    { command: 'npm create berth-plugin scheduling-plugin quiet-hours', description: 'A project in ./quiet-hours' },
    { command: 'npm create berth-plugin device-source usb-dongles', description: 'A device source' },
  ],
  notes: templateKinds.map(({ kind, summary }) => `${kind}: ${summary}.`),
}

const [givenKind, givenName] = commandLineOrExit(definition, process.argv.slice(2)).words
if (givenName !== undefined) refuseName(givenName)
const { kind, name } = await choosePackage()
const template = templateKinds.find((candidate) => candidate.kind === kind) ?? exitAs(refuse(`unknown kind ${kind}`))
if (existsSync(name)) exitAs(refuse(`./${name} already exists: choose another name or another folder`))

const templates = join(import.meta.dirname, 'templates')
const versions = JSON.parse(readFileSync(join(templates, 'versions.json'), 'utf8')) as TemplateVersions
for (const { path, text } of standaloneFiles(join(templates, kind), template, { name, versions })) {
  mkdirSync(dirname(join(name, path)), { recursive: true })
  writeFileSync(join(name, path), text)
}
process.stdout.write(`Created ./${name}.

  src/index.ts        the plugin: change it first
  src/index.test.ts   its test
  Dockerfile          an image for a volume of Berth's pods
  values.yaml         values of Berth's chart that run the plugin

Next: cd ${name} && npm install && npm test
`)

/** Returns kind and name. Asks for a missing one if standard input and output are a terminal. */
async function choosePackage(): Promise<{ readonly kind: string; readonly name: string }> {
  if (givenKind !== undefined && givenName !== undefined) return { kind: givenKind, name: givenName }
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    return exitAs(refuse(`missing argument ${givenKind === undefined ? 'KIND' : 'NAME'}`))
  }
  const given = givenKind === undefined ? {} : { kind: givenKind }
  return await ask(given, templateKinds, { input: process.stdin, output: process.stdout }).catch(() =>
    process.exit(130),
  )
}

function refuseName(name: string): void {
  const problem = nameProblem(name)
  if (problem !== undefined) exitAs(refuse(problem))
}

function refuse(problem: string): ReturnType<typeof refuseCommandLine> {
  return refuseCommandLine(definition, problem)
}
