import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { ask } from './ask.ts'
import { nameProblem } from './name-problem.ts'
import { checkoutFiles, type NewFile } from './plugin-files.ts'
import { standaloneFiles } from './standalone-files.ts'
import { templateKinds } from './template-kinds.ts'

const root = join(import.meta.dirname, '../../..')
const versions = {
  '@berth/plugin-api': '1.2.3',
  '@types/node': '1.0.0',
  typescript: '2.0.0',
  vitest: '3.0.0',
  zod: '4.0.0',
}
const asMap = (files: readonly NewFile[]) => new Map(files.map(({ path, text }) => [path, text]))

describe.for(templateKinds)('$kind', (template) => {
  const inCheckout = asMap(checkoutFiles(root, template, 'quiet-hours'))
  const prefix = 'plugins/quiet-hours/'
  const ownFiles = new Map(
    [...inCheckout].flatMap(([path, text]) => (path.startsWith(prefix) ? [[path.slice(prefix.length), text]] : [])),
  )
  const outside = asMap(standaloneFiles(join(root, template.example), template, { name: 'quiet-hours', versions }))

  test('has source, test, README, Dockerfile, values and manifest under the new name', () => {
    for (const files of [ownFiles, outside]) {
      const paths = ['src/index.ts', 'src/index.test.ts', 'README.md', 'Dockerfile', 'values.yaml', 'package.json']
      expect([...files.keys()]).toEqual(expect.arrayContaining(paths))
      expect(files.get('src/index.ts')).toContain("name: 'quiet-hours'")
      expect(files.get('README.md')).toMatch(/^# quiet-hours$/m)
      expect([...files.values()].join('\n')).not.toContain(template.exampleName)
    }
  })

  test('has a test in a checkout that runs it in its program', () => {
    const scenario = template.scenario.replace(template.exampleName, 'quiet-hours')
    expect(inCheckout.get(scenario)).toContain("'plugins/quiet-hours'")
    expect(inCheckout.get(scenario)).not.toContain(template.exampleName)
    expect(JSON.parse(ownFiles.get('package.json') ?? '')).toMatchObject({ berth: { scenarios: [scenario] } })
  })

  test('is a package of the workspace in a checkout', () => {
    const manifest: unknown = JSON.parse(ownFiles.get('package.json') ?? '')
    expect(manifest).toMatchObject({ name: '@berth/plugin-quiet-hours' })
    expect([...ownFiles.values()].join('\n')).not.toContain('../../../')
  })

  test('names versions and no file of the checkout outside', () => {
    expect(JSON.parse(outside.get('package.json') ?? '')).toMatchObject({
      name: 'berth-plugin-quiet-hours',
      devDependencies: { '@berth/plugin-api': '^1.2.3', zod: '^4.0.0' },
    })
    expect([...outside.values()].join('\n')).not.toMatch(/workspace:|catalog:|@berth\/source|\]\(\.\.\//)
    expect([...outside.keys()]).not.toContain('turbo.json')
  })
})

describe('ask', () => {
  const answer = async (given: { readonly kind?: string; readonly name?: string }, ...lines: readonly string[]) => {
    const input = new PassThrough()
    const output = new PassThrough()
    let shown = ''
    output.setEncoding('utf8').on('data', (text: string) => {
      shown += text
      if (text.endsWith(': ')) input.write(`${lines[asked++] ?? 'no more answers'}\n`)
    })
    let asked = 0
    const wanted = await ask(given, templateKinds, { input, output })
    return { wanted, shown, asked }
  }

  test('asks for the kind, by number or name, and for the name', async () => {
    const { wanted, shown } = await answer({}, '2', 'usb-dongles')
    expect(wanted).toEqual({ kind: 'device-source', name: 'usb-dongles' })
    expect(shown).toContain('  1  scheduling-plugin: a placement rule')
  })

  test('asks again after an unknown kind and a bad name, and only for what is missing', async () => {
    const { wanted, shown, asked } = await answer({}, 'gadget', 'resource-source', 'My Name', 'seats')
    expect([wanted, asked]).toEqual([{ kind: 'resource-source', name: 'seats' }, 4])
    expect(shown).toContain('"My Name" is not a kebab-case name')
    expect(await answer({ kind: 'device-source' }, 'a')).toMatchObject({ asked: 1, wanted: { name: 'a' } })
  })

  test('rejects when the terminal is closed', async () => {
    const input = new PassThrough()
    const wanted = ask({}, templateKinds, { input, output: new PassThrough() })
    input.end()
    await expect(wanted).rejects.toThrow('aborted')
  })
})

describe('nameProblem', () => {
  test.for(['quiet-hours', 'gpu2', 'a'])('accepts %s', (name) => {
    expect(nameProblem(name)).toBeUndefined()
  })

  test.for(['', 'Quiet', 'quiet_hours', '-a', 'a-', 'a--b', '../x', '1a', 'a'.repeat(51)])('refuses "%s"', (name) => {
    expect(nameProblem(name)).toBeDefined()
  })
})
